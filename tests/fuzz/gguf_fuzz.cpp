#include <functional>

#include "model/files/gguf.h"
#include "model/files/gguf_checkpoint.h"
#include "model/files/gguf_config.h"
#include "model/files/gguf_tokenizer.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/use_tokenizer.h"
#include "tests/support/memory_file.h"

namespace kv::fuzz {

namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();

// Every question, of which most are wrong.
void ask_everything(const GgufValue& value) {
  demand_one_line(value.shown());
  allow_refusal([&] { value.integer(kLeast, kMost); });
  allow_refusal([&] { value.integer(1, 1024); });
  allow_refusal([&] { value.number(); });
  allow_refusal([&] { value.boolean(); });
  allow_refusal([&] { value.text(); });
  allow_refusal([&] { value.integers(kLeast, kMost); });
  allow_refusal([&] { value.integers(0, 6); });
  allow_refusal([&] { value.numbers(); });
  allow_refusal([&] { value.texts(); });
  allow_refusal([&] { value.fail("is wrong"); });
  if (value.is_array()) allow_refusal([&] { value.fail_at(value.size() - 1, "is wrong"); });
}

size_t sum_of_bytes(const Gguf& file) {
  size_t sum = 0;
  for (const GgufTensor& tensor : file.tensors)
    for (const std::byte byte : tensor.stored.bytes) sum += static_cast<size_t>(byte);
  return sum;
}

}  // namespace

void try_gguf(std::string_view bytes) {
  const test::MemoryFile in_memory(bytes);
  allow_refusal([&] {
    const Gguf file = read_gguf(in_memory.path());
    for (const GgufValue& value : file.metadata) {
      ask_everything(value);
      if (file.find(value.key()) != &value) throw std::logic_error("a key is not found");
    }
    for (const GgufTensor& tensor : file.tensors)
      if (file.find_tensor(tensor.name) != &tensor) throw std::logic_error("a tensor is not found");
    volatile size_t used = sum_of_bytes(file);  // so that it is not left out
    (void)used;

    allow_refusal([&] { use_tokenizer(read_gguf_tokenizer(file)); });
    allow_refusal([&] { gguf_end_tokens(file); });
    allow_refusal([&] {
      const ModelConfig config = read_gguf_config(file);
      for (const std::string& sentence : config.assumed) demand_one_line(sentence);
      if (parameter_count(config) < 0 || config.cache_bytes(config.max_context, Dtype::f32) < 0)
        throw std::logic_error("a size wrapped around");
    });
  });
  allow_refusal([&] {
    const LoadedModel model = load_gguf_checkpoint(in_memory.path());
    for (const std::string& sentence : model.notes) demand_one_line(sentence);
    converted(model.weights, model.config, Dtype::f32);
  });
}

}  // namespace kv::fuzz

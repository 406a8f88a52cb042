#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/chat_template.h"
#include "model/files/gguf.h"
#include "model/files/gguf_checkpoint.h"
#include "model/files/gguf_config.h"
#include "model/files/gguf_tokenizer.h"
#include "model/parameters.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/use_tokenizer.h"
#include "tests/support/memory_file.h"

namespace kv::fuzz {

namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();

using Question = void (*)(const GgufValue&);
constexpr Question kQuestions[] = {
    [](const GgufValue& value) { value.integer(kLeast, kMost); },
    [](const GgufValue& value) { value.integer(1, 1024); },
    [](const GgufValue& value) { value.number(); },
    [](const GgufValue& value) { value.boolean(); },
    [](const GgufValue& value) { value.text(); },
    [](const GgufValue& value) { value.integers(kLeast, kMost); },
    [](const GgufValue& value) { value.integers(0, 6); },
    [](const GgufValue& value) { value.numbers(); },
    [](const GgufValue& value) { value.texts(); },
    [](const GgufValue& value) { value.fail_at(value.size() - 1, "is wrong"); },
};
constexpr size_t kFullyAsked = 4;

// Most questions are wrong, and each refusal takes ten times as long as an answer: the first values are asked all of
// them, later ones one each, in turn.
void ask(const GgufValue& value, size_t index) {
  demand_one_line(value.shown());
  const size_t count = std::size(kQuestions);
  for (size_t i = 0; i < count; ++i)
    if (index < kFullyAsked || i == index % count) allow_refusal([&] { kQuestions[i](value); });
}

// A template that is known writes a conversation.
void use_chat_template(const Gguf& file) {
  const std::optional<ChatTemplateText> text = gguf_chat_template(file);
  if (!text) return;
  const std::optional<ChatTemplate> known = ChatTemplate::recognise(*text);
  if (!known) return;
  const std::vector<ChatMessage> messages = {
      {"system", "Be brief."}, {"user", "Hi"}, {"assistant", "Hi"}, {"user", "?"}};
  known->apply(messages, "26 Jul 2024");
  known->apply(std::span(messages).subspan(1, 1), "26 Jul 2024");
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
    for (size_t i = 0; i < file.metadata.size(); ++i) {
      ask(file.metadata[i], i);
      if (file.find(file.metadata[i].key()) != &file.metadata[i]) throw std::logic_error("a key is not found");
    }
    for (const GgufTensor& tensor : file.tensors)
      if (file.find_tensor(tensor.name) != &tensor) throw std::logic_error("a tensor is not found");
    volatile size_t used = sum_of_bytes(file);  // so that it is not left out
    (void)used;

    allow_refusal([&] { use_tokenizer(read_gguf_tokenizer(file)); });
    allow_refusal([&] { gguf_end_tokens(file); });
    allow_refusal([&] { use_chat_template(file); });
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

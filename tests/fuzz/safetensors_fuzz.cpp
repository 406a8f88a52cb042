#include "model/files/safetensors.h"

#include "tests/fuzz/targets.h"
#include "tests/support/memory_file.h"

namespace kv::fuzz {

void try_safetensors(std::string_view bytes) {
  const test::MemoryFile file(bytes);
  allow_refusal([&] {
    const Safetensors read = read_safetensors(file.path());
    // Every byte of every tensor is in the file, and can be read.
    size_t sum = 0, letters = 0;
    for (const auto& [name, tensor] : read.tensors) {
      for (const std::byte byte : tensor.bytes) sum += static_cast<size_t>(byte);
      letters += name.size() + tensor.dtype.size() + tensor.shape.size();
      const int64_t end = tensor.file_offset + std::ssize(tensor.bytes);
      if (tensor.file_offset < 8 || end > std::ssize(bytes)) throw std::logic_error("a tensor lies outside the file");
    }
    for (const auto& [key, value] : read.metadata) letters += key.size() + value.size();
    volatile size_t used = sum + letters;  // so that nothing above is left out
    (void)used;
  });
}

}  // namespace kv::fuzz

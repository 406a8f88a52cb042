#include "model/files/hf_tokenizer.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/use_tokenizer.h"
#include "tests/support/memory_file.h"

namespace kv::fuzz {

void try_tokenizer(std::string_view bytes) {
  const test::MemoryFile file(bytes);
  allow_refusal([&] { use_tokenizer(read_hf_tokenizer(file.path())); });
}

}  // namespace kv::fuzz

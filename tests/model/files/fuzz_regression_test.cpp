#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "model/files/gguf.h"
#include "model/files/gguf_checkpoint.h"
#include "model/files/hf_config.h"
#include "model/files/hf_tokenizer.h"
#include "model/files/safetensors.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"
#include "tests/support/memory_file.h"
#include "tests/support/temporary_folder.h"

using namespace kv;

TEST_SUITE("model/files/fuzz") {
  TEST_CASE("what fuzzing begins with passes every target") {
    for (const fuzz::Target& target : fuzz::kTargets)
      for (const fuzz::Seed& seed : fuzz::seeds_of(target.name)) {
        CAPTURE(seed.name);
        CHECK_NOTHROW(target.run(seed.bytes));
      }
  }

  // A seed that is refused would lead a fuzzer nowhere.
  TEST_CASE("what fuzzing begins with is valid: it is read, and models load with their tokenizers") {
    const auto seeds = [](const char* target) {
      const std::vector<fuzz::Seed> list = fuzz::seeds_of(target);
      CHECK(list.size() >= 3);
      return list;
    };
    for (const fuzz::Seed& seed : seeds("gguf")) {
      CAPTURE(seed.name);
      const test::MemoryFile file(seed.bytes);
      const Gguf read = read_gguf(file.path());
      if (seed.name == "metadata.gguf") continue;  // which is no model
      const LoadedModel model = load_gguf_checkpoint(file.path());
      CHECK_MESSAGE(model.tokenizer.has_value() == (read.find("tokenizer.ggml.tokens") != nullptr), model.no_tokenizer);
    }
    for (const fuzz::Seed& seed : seeds("safetensors"))
      CHECK_NOTHROW(read_safetensors(test::MemoryFile(seed.bytes).path()));
    for (const fuzz::Seed& seed : seeds("config")) CHECK_NOTHROW(read_hf_config(test::MemoryFile(seed.bytes).path()));
    for (const fuzz::Seed& seed : seeds("tokenizer"))
      CHECK_NOTHROW(read_hf_tokenizer(test::MemoryFile(seed.bytes).path()));
  }

  TEST_CASE("no input that a fuzzer once found does it again") {
    for (const fuzz::Target& target : fuzz::kTargets) {
      const std::filesystem::path folder = std::filesystem::path(KVLAB_SOURCE_DIR) / "tests/fuzz/found" / target.name;
      if (!std::filesystem::is_directory(folder)) continue;
      for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        CAPTURE(entry.path().string());
        CHECK_NOTHROW(target.run(test::read_whole_file(entry.path())));
      }
    }
  }
}

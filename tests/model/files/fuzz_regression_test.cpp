#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

using namespace kv;

TEST_SUITE("model/files/fuzz") {
  TEST_CASE("what fuzzing begins with is read, and each target has some") {
    for (const fuzz::Target& target : fuzz::kTargets) {
      CAPTURE(std::string(target.name));
      const std::vector<fuzz::Seed> seeds = fuzz::seeds_of(target.name);
      CHECK(!seeds.empty());
      for (const fuzz::Seed& seed : seeds) {
        CAPTURE(seed.name);
        CHECK_NOTHROW(target.run(seed.bytes));
      }
    }
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

#include "tests/fuzz/seeds.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"

namespace kv::fuzz {

namespace {

using test::safetensors_bytes;

const std::filesystem::path kRoot = KVLAB_SOURCE_DIR;

// Files under a folder of the tree whose path ends so, by name.
std::vector<Seed> files_under(const std::string& folder, std::string_view ending) {
  std::vector<Seed> list;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
    std::string name = std::filesystem::relative(entry.path(), kRoot / folder).string();
    if (!entry.is_regular_file() || !name.ends_with(ending)) continue;
    std::replace(name.begin(), name.end(), '/', '-');
    list.push_back({name, test::read_whole_file(entry.path())});
  }
  std::sort(list.begin(), list.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return list;
}

std::vector<Seed> safetensors_seeds() {
  return {
      {"empty", safetensors_bytes("{}", "")},
      {"scalar", safetensors_bytes(R"({"s":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})", "12345678")},
      {"several",
       safetensors_bytes(R"({"__metadata__":{"format":"pt","a":""},"m":{"dtype":"BF16","shape":[2,3],"data_offsets":)"
                         R"([0,12]},"v":{"dtype":"F32","shape":[2],"data_offsets":[12,20]},)"
                         R"("z":{"dtype":"I64","shape":[4,0],"data_offsets":[20,20]},)"
                         R"("f":{"dtype":"F4","shape":[2,1],"data_offsets":[20,21]}}   )",
                         "abcdefghijklmnopqrstu")},
  };
}

}  // namespace

std::vector<Seed> seeds_of(std::string_view target) {
  if (target == "gguf") return gguf_seeds();
  if (target == "safetensors") return safetensors_seeds();
  if (target == "config") return files_under("tests/goldens", "config.json");
  if (target == "tokenizer") return files_under("tests/fuzz/seeds/tokenizer", ".json");
  throw std::invalid_argument("there is no fuzz target " + std::string(target));
}

}  // namespace kv::fuzz

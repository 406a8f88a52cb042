// Writes the seeds of every fuzz target into FOLDER/TARGET/.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"

int main(int count, char** words) try {
  if (count != 2) {
    std::fputs("usage: write_seeds FOLDER\n", stderr);
    return 2;
  }
  for (const kv::fuzz::Target& target : kv::fuzz::kTargets) {
    const std::filesystem::path folder = std::filesystem::path(words[1]) / target.name;
    std::filesystem::create_directories(folder);
    for (const kv::fuzz::Seed& seed : kv::fuzz::seeds_of(target.name)) {
      std::ofstream file(folder / seed.name, std::ios::binary);
      file.write(seed.bytes.data(), static_cast<std::streamsize>(seed.bytes.size()));
      if (!file.flush()) throw std::runtime_error((folder / seed.name).string() + ": cannot be written");
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_seeds: %s\n", error.what());
  return 1;
}

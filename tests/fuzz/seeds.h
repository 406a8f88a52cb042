// What fuzzing begins with: small valid files that use every feature of their format, from which a fuzzer makes others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kv::fuzz {

struct Seed {
  std::string name;
  std::string bytes;
};

// For a target of targets.h.
std::vector<Seed> seeds_of(std::string_view target);

// Small GGUF files, one for each architecture, kind of tokenizer and layout.
std::vector<Seed> gguf_seeds();

}  // namespace kv::fuzz

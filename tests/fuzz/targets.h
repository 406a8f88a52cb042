// What the fuzzers run: one function for each kind of file that users bring, which does with its bytes all that the
// program would do with such a file. Nothing but a refusal may come of any bytes, and no refusal may take long, take
// much memory, or be more than a line.
//
// These functions are plain C++: the tests run them too, over the seeds and over every input that once failed.
#pragma once

#include <array>
#include <span>
#include <stdexcept>
#include <string_view>

#include "model/error.h"
#include "tests/support/one_line.h"

namespace kv::fuzz {

void try_gguf(std::string_view bytes);
void try_safetensors(std::string_view bytes);
void try_config(std::string_view bytes);     // config.json
void try_tokenizer(std::string_view bytes);  // tokenizer.json

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};
inline constexpr std::array<Target, 4> kTargets = {{
    {"gguf", try_gguf},
    {"safetensors", try_safetensors},
    {"config", try_config},
    {"tokenizer", try_tokenizer},
}};

// Throws std::logic_error unless the text is one line of printable UTF-8, as an error message has to be.
inline void demand_one_line(std::string_view text) {
  if (!test::is_one_printable_line(text)) throw std::logic_error("not one printable line");
}

// Runs `action`, which may refuse what it is given, and do nothing else.
template <class Action>
void allow_refusal(const Action& action) {
  try {
    action();
  } catch (const FormatError& error) {
    demand_one_line(error.what());
  } catch (const std::invalid_argument& error) {
    demand_one_line(error.what());
  }
}

}  // namespace kv::fuzz

// WordWrap: a text that arrives in pieces, written in lines that fit, word by word as each is complete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace kv::cli {

class WordWrap {
 public:
  // Lines of at most `width` columns, all but the first begin with `indent` blanks: the caller has written a label of
  // that width. Blanks and line feeds of the text are places to break and nothing else.
  WordWrap(const Terminal& terminal, size_t width, size_t indent)
      : terminal_(terminal), width_(width), indent_(indent), column_(indent) {}

  void add(std::string_view text) { add(text, false); }
  void add_faint(std::string_view text) { add(text, true); }
  // Writes the last word and ends the line.
  void finish();

 private:
  void add(std::string_view text, bool faint);
  void end_word();

  const Terminal& terminal_;
  size_t width_, indent_, column_;
  std::string word_;  // with its styles
  size_t word_columns_ = 0;
  bool blank_before_ = false;
};

}  // namespace kv::cli

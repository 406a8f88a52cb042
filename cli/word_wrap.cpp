#include "cli/word_wrap.h"

#include <algorithm>
#include <cstdio>

#include "cli/text_table.h"

namespace kv::cli {

namespace {

void write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace

void WordWrap::add(std::string_view text, bool faint) {
  constexpr std::string_view kBlanks = " \n\t";
  while (!text.empty()) {
    const std::string_view run = text.substr(0, text.find_first_of(kBlanks));
    if (!run.empty()) {
      const std::string shown = without_controls(run);
      word_ += faint ? terminal_.faint(shown) : shown;
      word_columns_ += columns_of(shown);
    }
    text.remove_prefix(run.size());
    if (text.empty()) return;
    end_word();
    blank_before_ = column_ > indent_;
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  }
}

void WordWrap::end_word() {
  if (word_.empty()) return;
  if (blank_before_ && column_ + 1 + word_columns_ > width_) {
    write("\n");
    write(std::string(indent_, ' '));
    column_ = indent_;
  } else if (blank_before_) {
    write(" ");
    ++column_;
  }
  write(word_);
  std::fflush(stdout);
  column_ += word_columns_;
  word_.clear();
  word_columns_ = 0;
  blank_before_ = false;
}

void WordWrap::finish() {
  end_word();
  write("\n");
}

}  // namespace kv::cli

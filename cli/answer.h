// Answer: what `generate` writes to stdout, each token as soon as it is there and no character before it is whole.
//
// On a terminal the prompt stands before it, faint. Into a pipe or a file goes the answer alone.
#pragma once

#include <cstdint>
#include <string>

#include "cli/terminal.h"
#include "model/files/load_model.h"
#include "model/utf8_stream.h"

namespace kv::cli {

class Answer {
 public:
  enum class Form { text, ids, silent };

  // `prompt` as a person should see it. The model must outlive the answer.
  Answer(const LoadedModel& model, Form form, std::string prompt);

  void add(int32_t token);
  // Writes what is left of a broken character, and the line feed.
  void finish();

  // The whole text, valid UTF-8; empty without a tokenizer. A token that ended the generation is no part of it.
  const std::string& text() const { return text_; }

 private:
  void add_text(const std::string& characters);
  void write(const std::string& text);

  const LoadedModel& model_;
  Form form_;
  std::string prompt_;
  Terminal terminal_{stdout};
  Utf8Stream characters_;
  std::string text_;
  int64_t tokens_ = 0;
};

}  // namespace kv::cli

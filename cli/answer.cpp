#include "cli/answer.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kv::cli {

Answer::Answer(const LoadedModel& model, Form form, std::string prompt)
    : model_(model), form_(form), prompt_(std::move(prompt)) {}

void Answer::add(int32_t token) {
  if (tokens_ == 0 && terminal_.is_terminal()) write(terminal_.faint(without_controls(prompt_)));
  if (form_ == Form::ids) {
    const bool is_first = tokens_ == 0 && !(terminal_.is_terminal() && !prompt_.empty());
    write((is_first ? "" : " ") + std::to_string(token));
  }
  ++tokens_;
  const auto& ends = model_.config.end_tokens;
  if (model_.tokenizer && std::find(ends.begin(), ends.end(), token) == ends.end())
    add_text(characters_.push(model_.tokenizer->token_bytes(token)));
}

void Answer::finish() {
  add_text(characters_.flush());
  write("\n");
}

void Answer::add_text(const std::string& characters) {
  text_ += characters;
  if (form_ == Form::text) write(terminal_.is_terminal() ? without_controls(characters) : characters);
}

void Answer::write(const std::string& text) {
  if (form_ == Form::silent || text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);  // whether it worked is asked once, at the end of the program
}

}  // namespace kv::cli

// ChatTemplate: how a model wants a conversation written down as one text.
//
// Files carry their template as a program in the Jinja language. Running it would take an engine for that language; the
// templates of the families that kvlab runs are few, so each is known here by what it does. A file's template is
// recognised by its text: an unknown one is refused, never guessed at.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kv {

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;
};

// What a file says about conversations: the template, and the texts of the tokens that it calls bos_token and
// eos_token ("" where there are none).
struct ChatTemplateText {
  std::string jinja, begin, end;
};

class ChatTemplate {
 public:
  // The template whose Jinja text this is; nothing when kvlab does not know it.
  static std::optional<ChatTemplate> recognise(std::string_view jinja);

  // The conversation, and the beginning of the assistant's answer. Special tokens stand in it by their text, and a
  // begin token that the template writes is part of it (Tokenizer::with_begin does not double it).
  std::string apply(std::span<const ChatMessage> messages) const;
  std::string_view name() const;  // "smollm2", "chatml", "llama-3", ...
};

}  // namespace kv

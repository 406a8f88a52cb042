// ChatTemplate: how a model wants a conversation written down as one text.
//
// Files carry their template as a program in the Jinja language. Running it would take an engine for that language; the
// templates of the families that kvlab runs are few, so each is known here by what it does. A file's template is
// recognised by its outline (jinja_outline.h): an unknown one is refused, never guessed at.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/jinja_outline.h"

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

struct Conversation;

class ChatTemplate {
 public:
  // The template whose Jinja text this is; nothing when kvlab does not know it.
  static std::optional<ChatTemplate> recognise(const ChatTemplateText& text);
  static std::optional<ChatTemplate> of_outline(const JinjaOutline& outline, std::string begin, std::string end);
  // The template of a name, as if its text had been recognised. Throws std::invalid_argument for an unknown name.
  static ChatTemplate named(std::string_view name, std::string begin, std::string end);
  // All names, in alphabetical order.
  static std::vector<std::string_view> names();

  // The conversation, and the beginning of the assistant's answer. Special tokens stand in it by their text, and a
  // begin token that the template writes is part of it (Tokenizer::with_begin does not double it). Llama 3.2's template
  // writes the date of the day: `today` in its form, 26 Jul 2024, or the clock's. Throws std::invalid_argument for no
  // messages, an unknown role, and an order of roles that the template does not take.
  std::string apply(std::span<const ChatMessage> messages, std::string_view today = "") const;

  std::string_view name() const { return name_; }  // "smollm2", "chatml", "llama-3", ...
  // The system message that the template puts in where a conversation has none; empty: it puts in none.
  const std::string& default_system() const { return default_system_; }

 private:
  using Layout = std::string (*)(const Conversation&);
  struct Known;
  static const std::vector<Known>& known();

  ChatTemplate(const Known& known, std::string_view default_system, std::string begin, std::string end);

  std::string_view name_;
  Layout layout_;
  std::string default_system_, begin_, end_;
};

}  // namespace kv

#include "model/chat_layouts.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "model/utf8_stream.h"

namespace kv {

namespace {

constexpr std::string_view kThinkEnd = "</think>";

// What Python's str.isspace holds for white space.
bool is_space(char32_t point) {
  return (point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x20) || point == 0x85 || point == 0xA0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 ||
         point == 0x202F || point == 0x205F || point == 0x3000;
}

// Python's str.strip().
std::string_view trimmed(std::string_view text) {
  size_t begin = text.size(), end = 0;
  for (size_t at = 0; at < text.size();) {
    const Utf8Piece piece = first_utf8_piece(text.substr(at));
    if (piece.kind != Utf8Piece::Kind::character || !is_space(code_point_of(text.substr(at, piece.bytes)))) {
      if (end == 0) begin = at;
      end = at + piece.bytes;
    }
    at += piece.bytes;
  }
  return end == 0 ? std::string_view() : text.substr(begin, end - begin);
}

std::string_view without_leading_lines(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}
std::string_view without_trailing_lines(std::string_view text) {
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

// Behind the last mark of the end of a thought; the whole text where there is none.
std::string_view behind_thought(std::string_view text) {
  const size_t mark = text.rfind(kThinkEnd);
  return mark == std::string_view::npos ? text : text.substr(mark + kThinkEnd.size());
}

bool has_system(const Conversation& c) { return c.messages.front().role == "system"; }
std::string_view system_of(const Conversation& c) {
  return has_system(c) ? std::string_view(c.messages.front().content) : std::string_view();
}
std::span<const ChatMessage> without_system(const Conversation& c) { return c.messages.subspan(has_system(c) ? 1 : 0); }

// A system message stands first or nowhere.
void demand_one_system(const Conversation& c) {
  for (const ChatMessage& message : c.messages.subspan(1))
    if (message.role == "system")
      throw std::invalid_argument("this model's chat template takes a system message in front of all others only");
}

// Behind it, user and assistant take turns, the user first.
void demand_turns(std::span<const ChatMessage> messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const char* expected = i % 2 == 0 ? "user" : "assistant";
    if (messages[i].role != expected)
      throw std::invalid_argument(
          fmt::format("this model's chat template wants user and assistant to take turns: message {} behind the system "
                      "message is of role {}, expected {}",
                      i + 1, messages[i].role, expected));
  }
}

std::string chatml_message(std::string_view role, std::string_view content) {
  return fmt::format("<|im_start|>{}\n{}<|im_end|>\n", role, content);
}

std::string chatml_messages(const Conversation& c) {
  std::string text;
  if (!has_system(c) && !c.default_system.empty()) text += chatml_message("system", c.default_system);
  for (const ChatMessage& message : c.messages) text += chatml_message(message.role, message.content);
  return text;
}

std::string llama3_message(std::string_view role, std::string_view content) {
  return fmt::format("<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>", role, content);
}

constexpr std::string_view kLlama3Answer = "<|start_header_id|>assistant<|end_header_id|>\n\n";

// Llama 3.1 and later open with a system message of their own, in front of the conversation's.
std::string llama3_with_date(const Conversation& c, std::string_view date) {
  std::string text(c.begin);
  text += llama3_message("system", fmt::format("Cutting Knowledge Date: December 2023\nToday Date: {}\n\n{}", date,
                                               trimmed(system_of(c))));
  for (const ChatMessage& message : without_system(c)) text += llama3_message(message.role, trimmed(message.content));
  return text += kLlama3Answer;
}

// The versions of Mistral's templates without a system message differ in what stands behind an answer.
std::string mistral_turns(const Conversation& c, std::string_view behind_answer) {
  if (has_system(c)) throw std::invalid_argument("this model's chat template takes no system message");
  demand_turns(c.messages);
  std::string text(c.begin);
  for (const ChatMessage& message : c.messages)
    text += message.role == "user" ? fmt::format("[INST] {} [/INST]", message.content)
                                   : fmt::format("{}{}{}", message.content, c.end, behind_answer);
  return text;
}

// DeepSeek writes its end token out, whatever the file says.
std::string deepseek3_messages(const Conversation& c, bool with_thoughts) {
  demand_one_system(c);
  std::string text(c.begin);
  text += system_of(c);
  for (const auto& [role, content] : without_system(c))
    text += role == "user" ? fmt::format("<\uFF5CUser\uFF5C>{}", content)
                           : fmt::format("<\uFF5CAssistant\uFF5C>{}<\uFF5Cend\u2581of\u2581sentence\uFF5C>",
                                         with_thoughts ? content : behind_thought(content));
  return text += "<\uFF5CAssistant\uFF5C>";
}

}  // namespace

std::string write_chatml(const Conversation& c) { return chatml_messages(c) + "<|im_start|>assistant\n"; }

std::string write_chatml_unless_answered(const Conversation& c) {
  return chatml_messages(c) + (c.messages.back().role == "assistant" ? "" : "<|im_start|>assistant\n");
}

// Thoughts of answers that a question follows are left out; those behind the last question are written anew.
std::string write_qwen3(const Conversation& c) {
  size_t last_question = c.messages.size() - 1;
  for (size_t i = c.messages.size(); i-- > 0;) {
    const std::string_view content = c.messages[i].content;
    if (c.messages[i].role != "user" ||
        (content.starts_with("<tool_response>") && content.ends_with("</tool_response>")))
      continue;
    last_question = i;
    break;
  }
  std::string text;
  for (size_t i = 0; i < c.messages.size(); ++i) {
    const auto& [role, content] = c.messages[i];
    if (role != "assistant") {
      text += chatml_message(role, content);
      continue;
    }
    std::string_view answer = content, thought;
    if (const size_t first = content.find(kThinkEnd); first != std::string::npos) {
      answer = without_leading_lines(behind_thought(content));
      thought = without_trailing_lines(std::string_view(content).substr(0, first));
      constexpr std::string_view kThink = "<think>";
      if (const size_t mark = thought.rfind(kThink); mark != std::string_view::npos)
        thought.remove_prefix(mark + kThink.size());
      thought = without_leading_lines(thought);
    }
    const bool with_thought = i > last_question && (i + 1 == c.messages.size() || !thought.empty());
    text +=
        chatml_message(role, with_thought ? fmt::format("<think>\n{}\n</think>\n\n{}", without_trailing_lines(thought),
                                                        without_leading_lines(answer))
                                          : std::string(answer));
  }
  return text += "<|im_start|>assistant\n";
}

// The system message goes into the first of the user's.
std::string write_llama2(const Conversation& c) {
  demand_one_system(c);
  const std::span<const ChatMessage> turns = without_system(c);
  demand_turns(turns);
  std::string text;
  for (size_t i = 0; i < turns.size(); ++i) {
    std::string content = turns[i].content;
    if (i == 0 && has_system(c)) content = fmt::format("<<SYS>>\n{}\n<</SYS>>\n\n{}", system_of(c), content);
    text += turns[i].role == "user" ? fmt::format("{}[INST] {} [/INST]", c.begin, trimmed(content))
                                    : fmt::format(" {} {}", trimmed(content), c.end);
  }
  return text;
}

std::string write_llama3(const Conversation& c) {
  std::string text(c.begin);
  for (const ChatMessage& message : c.messages) text += llama3_message(message.role, trimmed(message.content));
  return text += kLlama3Answer;
}

std::string write_llama3_with_release_date(const Conversation& c) { return llama3_with_date(c, "26 Jul 2024"); }
std::string write_llama3_with_today(const Conversation& c) { return llama3_with_date(c, c.today); }

std::string write_mistral1(const Conversation& c) { return mistral_turns(c, " "); }
std::string write_mistral2(const Conversation& c) { return mistral_turns(c, ""); }

std::string write_mistral_with_system(const Conversation& c) {
  demand_one_system(c);
  const std::span<const ChatMessage> turns = without_system(c);
  demand_turns(turns);
  std::string text(c.begin);
  for (size_t i = 0; i < turns.size(); ++i) {
    const std::string system = i == 0 && has_system(c) ? fmt::format("{}\n\n", system_of(c)) : "";
    text += turns[i].role == "user" ? fmt::format(" [INST] {}{} [/INST]", system, turns[i].content)
                                    : fmt::format(" {}{}", turns[i].content, c.end);
  }
  return text;
}

// The system message goes into the last of the user's, so there has to be one.
std::string write_mistral3(const Conversation& c) {
  demand_one_system(c);
  const std::span<const ChatMessage> turns = without_system(c);
  demand_turns(turns);
  if (has_system(c) && turns.size() % 2 == 0)
    throw std::invalid_argument("this model's chat template drops a system message unless the user has the last word");
  std::string text(c.begin);
  for (size_t i = 0; i < turns.size(); ++i) {
    const bool system = has_system(c) && i + 1 == turns.size();
    text += turns[i].role == "user" ? fmt::format("[INST] {}{}{}[/INST]", system ? system_of(c) : "",
                                                  system ? "\n\n" : "", turns[i].content)
                                    : fmt::format(" {}{}", trimmed(turns[i].content), c.end);
  }
  return text;
}

std::string write_zephyr(const Conversation& c) {
  std::string text;
  for (const auto& [role, content] : c.messages) text += fmt::format("<|{}|>\n{}{}\n", role, content, c.end);
  return text += "<|assistant|>\n";
}

std::string write_deepseek2(const Conversation& c) {
  std::string text(c.begin);
  for (const auto& [role, content] : c.messages)
    text += role == "user"        ? fmt::format("User: {}\n\n", content)
            : role == "assistant" ? fmt::format("Assistant: {}{}", content, c.end)
                                  : fmt::format("{}\n\n", content);
  return text += "Assistant:";
}

std::string write_deepseek3(const Conversation& c) { return deepseek3_messages(c, true); }
std::string write_deepseek_r1(const Conversation& c) { return deepseek3_messages(c, false); }
std::string write_deepseek_r1_thinking(const Conversation& c) { return write_deepseek_r1(c) + "<think>\n"; }

}  // namespace kv

// The ways in which families of models write a conversation down. Each layout is what the families' Jinja templates do
// with messages of system, user and assistant, no tools, and add_generation_prompt on.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/chat_template.h"

namespace kv {

struct Conversation {
  std::span<const ChatMessage> messages;  // at least one, of known roles
  std::string_view begin, end;            // the texts of the model's begin and end tokens
  std::string_view default_system;        // where the template puts one in; empty: none
  std::string_view today;                 // "26 Jul 2024"
};

// Each throws std::invalid_argument where the template raises an exception, or would pass over a message without a
// word.
std::string write_chatml(const Conversation& conversation);
std::string write_chatml_unless_answered(const Conversation& conversation);  // Qwen 1.5: answers get no second opening
std::string write_qwen3(const Conversation& conversation);
std::string write_llama2(const Conversation& conversation);
std::string write_llama3(const Conversation& conversation);
std::string write_llama3_with_release_date(const Conversation& conversation);  // 3.1, 3.3: always 26 Jul 2024
std::string write_llama3_with_today(const Conversation& conversation);         // 3.2
std::string write_mistral1(const Conversation& conversation);  // each version of v0.1 to v0.3 sets its spaces otherwise
std::string write_mistral2(const Conversation& conversation);
std::string write_mistral_with_system(const Conversation& conversation);
std::string write_mistral3(const Conversation& conversation);
std::string write_zephyr(const Conversation& conversation);
std::string write_deepseek2(const Conversation& conversation);
std::string write_deepseek3(const Conversation& conversation);
std::string write_deepseek_r1(const Conversation& conversation);           // leaves the thoughts of answers out
std::string write_deepseek_r1_thinking(const Conversation& conversation);  // and opens the next one

}  // namespace kv

#include "model/chat_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <stdexcept>

#include "model/chat_layouts.h"

namespace kv {

// Which program does what was found out by running them: each of these outlines is that of a published template that
// jinja2 rendered, for hundreds of conversations, exactly as the layout writes them (tests/goldens/make_chat_cases.py).
struct ChatTemplate::Known {
  std::string_view name;
  Layout layout;
  std::string_view default_system;  // that the template of this name is published with
  std::vector<uint64_t> outlines;   // one for each program met
};

const std::vector<ChatTemplate::Known>& ChatTemplate::known() {
  static const std::vector<Known> list = {
      {"smollm2",
       write_chatml,
       "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
       {0x9de53db4256effaf}},
      {"qwen2", write_chatml, "You are a helpful assistant.", {0x9de53db4256effaf}},
      // Behind the two above: also the same program with another sentence.
      {"chatml", write_chatml, "", {0xb6dadc0cfda826f9, 0x427c685699f81ed3, 0xdcbd87a6ed82961c, 0x9de53db4256effaf}},
      {"qwen1.5", write_chatml_unless_answered, "You are a helpful assistant", {0xeddec6f9b1c8cb41}},
      {"qwen2.5",
       write_chatml,
       "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
       {0xfc487499aeddf5d5, 0xf828978ddd5f0468}},
      {"qwen3", write_qwen3, "", {0x0283d248dd087c60, 0x8eac968feeb8b0dc, 0x0a7dbb1bd9363358, 0x8e3a50ba7b867752}},
      {"llama-2", write_llama2, "", {0x6ca9e855be75bb27, 0xc5f15f39fdb36964, 0x56c0b3738582da25}},
      {"llama-3", write_llama3, "", {0x4e9187723db92f15, 0x89ac8ba17e895011, 0xf92f2f2594ac0c9d}},
      {"llama-3.1", write_llama3_with_release_date, "", {0xee4da9cfadfb0b78}},
      {"llama-3.2", write_llama3_with_today, "", {0x5da9bde5fc3bd355}},
      {"mistral-v0.1", write_mistral1, "", {0xa2b1a8ccac1ac4c6}},
      {"mistral-v0.2", write_mistral2, "", {0x3893385a55780cd6}},
      {"mistral-v0.2-system", write_mistral_with_system, "", {0xb9549ddcd26f48f0}},
      {"mistral-v0.3", write_mistral3, "", {0x41439df7aa205c87}},
      {"zephyr", write_zephyr, "", {0x9e53354d8b5a659a, 0x110fe3fea4d64ab9}},
      {"deepseek-v2", write_deepseek2, "", {0x8dabd053466570d6}},
      {"deepseek-v3", write_deepseek3, "", {0xccdba59f0da1bdc4}},
      {"deepseek-r1", write_deepseek_r1, "", {0x769984f1ac9bd549}},
      {"deepseek-r1-thinking", write_deepseek_r1_thinking, "", {0x367402ddfe116165}},
  };
  return list;
}

namespace {

// As Python's strftime writes it: 26 Jul 2024.
std::string date_of_today() {
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:02} {} {}", local.tm_mday, kMonths[static_cast<size_t>(local.tm_mon)], local.tm_year + 1900);
}

}  // namespace

ChatTemplate::ChatTemplate(const Known& known, std::string_view default_system, std::string begin, std::string end)
    : name_(known.name),
      layout_(known.layout),
      default_system_(default_system),
      begin_(std::move(begin)),
      end_(std::move(end)) {}

std::optional<ChatTemplate> ChatTemplate::recognise(const ChatTemplateText& text) {
  const std::optional<JinjaOutline> outline = outline_of_jinja(text.jinja);
  if (!outline) return std::nullopt;
  return of_outline(*outline, text.begin, text.end);
}

std::optional<ChatTemplate> ChatTemplate::of_outline(const JinjaOutline& outline, std::string begin, std::string end) {
  const Known* found = nullptr;  // the one with this very sentence, else the last
  for (const Known& each : known()) {
    if (std::find(each.outlines.begin(), each.outlines.end(), outline.fingerprint) == each.outlines.end()) continue;
    found = &each;
    if (each.default_system == outline.default_system) break;
  }
  if (found == nullptr) return std::nullopt;
  return ChatTemplate(*found, outline.default_system, std::move(begin), std::move(end));
}

ChatTemplate ChatTemplate::named(std::string_view name, std::string begin, std::string end) {
  for (const Known& each : known())
    if (each.name == name) return ChatTemplate(each, each.default_system, std::move(begin), std::move(end));
  throw std::invalid_argument(fmt::format("there is no chat template {}", name));
}

std::vector<std::string_view> ChatTemplate::names() {
  std::vector<std::string_view> list;
  for (const Known& each : known()) list.push_back(each.name);
  std::sort(list.begin(), list.end());
  return list;
}

std::string ChatTemplate::apply(std::span<const ChatMessage> messages, std::string_view today) const {
  if (messages.empty()) throw std::invalid_argument("a conversation has at least one message");
  for (const ChatMessage& message : messages)
    if (message.role != "system" && message.role != "user" && message.role != "assistant")
      throw std::invalid_argument(
          fmt::format("there is no role \"{}\"; kvlab knows system, user and assistant", message.role));
  const std::string date = today.empty() ? date_of_today() : std::string(today);
  return layout_({messages, begin_, end_, default_system_, date});
}

}  // namespace kv

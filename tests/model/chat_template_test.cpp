#include "model/chat_template.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "model/files/gguf_tokenizer.h"
#include "tests/support/error_of.h"
#include "tests/support/smollm2.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using namespace kv::test;
using nlohmann::json;

namespace {

using Messages = std::vector<ChatMessage>;

json golden() {
  const auto path = std::filesystem::path(KVLAB_SOURCE_DIR) / "tests/goldens/chat_cases.json";
  return json::parse(read_whole_file(path));
}

Messages messages_of(const json& conversation) {
  Messages messages;
  for (const json& message : conversation) messages.push_back({message.at("role"), message.at("content")});
  return messages;
}

// The text, or the refusal.
std::string applied(const ChatTemplate& chat, const Messages& messages) {
  try {
    return chat.apply(messages, "07 Mar 2025");
  } catch (const std::invalid_argument& error) {
    return std::string("refused: ") + error.what();
  }
}

std::optional<ChatTemplate> recognised(const std::string& jinja) {
  return ChatTemplate::recognise({jinja, "<s>", "</s>"});
}

const Messages kHello = {{"user", "Hello"}};
const Messages kTwice = {{"system", "Be brief."}, {"user", "Hello"}, {"assistant", "Hi"}, {"user", "Bye"}};

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("conversations are written as each family's published template writes them") {
    const json file = golden();
    std::set<std::string> seen;
    for (const json& example : file.at("templates")) {
      const auto name = example.at("name").get<std::string>();
      CAPTURE(name);
      seen.insert(name);
      const JinjaOutline outline{std::stoull(example.at("outline").get<std::string>(), nullptr, 16),
                                 example.at("default_system").get<std::string>()};
      const auto chat = ChatTemplate::of_outline(outline, example.at("begin"), example.at("end"));
      REQUIRE(chat);
      CHECK(chat->name() == name);
      for (size_t i = 0; i < file.at("conversations").size(); ++i) {
        CAPTURE(i);
        const std::string text = applied(*chat, messages_of(file.at("conversations")[i]));
        const json& expected = example.at("texts")[i];
        // Where the template raises an exception, and where it would drop a message without a word, there is no text.
        if (expected.is_null() || text.starts_with("refused: "))
          CHECK((text.starts_with("refused: ") && (expected.is_null() || i == 5 || i == 7)));
        else
          CHECK(text == expected.get<std::string>());
      }
    }
    for (const std::string_view name : ChatTemplate::names()) CHECK(seen.contains(std::string(name)));
  }

  TEST_CASE("a template that is spelt otherwise is recognised all the same") {
    const auto chatml = recognised(
        "{#- the plain one -#}\n{% for message in messages %}\n"
        "{{ \"<|im_start|>\" + message.role + \"\\n\" + message.content + \"<|im_end|>\" + \"\\n\" }}"
        "{% endfor %}\n{% if add_generation_prompt %}\n{{ \"<|im_start|>assistant\\n\" }}{% endif %}\n");
    REQUIRE(chatml);
    CHECK(chatml->name() == "chatml");
    CHECK(chatml->apply(kHello) == "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
  }

  TEST_CASE("a sentence of the template's own is what it puts in, and nothing else of it may differ") {
    const auto with = [](const std::string& sentence, const std::string& role = "system") {
      return recognised("{% for message in messages %}{% if loop.first and messages[0].role != '" + role +
                        "' %}{{ '<|im_start|>system\\n" + sentence +
                        "<|im_end|>\\n' }}{% endif %}{{ '<|im_start|>' + message.role + '\\n' + message.content + "
                        "'<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ "
                        "'<|im_start|>assistant\\n' }}{% endif %}");
    };
    REQUIRE(with("Rhyme."));
    CHECK(with("Rhyme.")->name() == "chatml");
    CHECK(with("Rhyme.")->default_system() == "Rhyme.");
    CHECK(with("Rhyme.")->apply(kHello) ==
          "<|im_start|>system\nRhyme.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
    CHECK(with("Rhyme.")->apply(kTwice).starts_with("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n"));
    CHECK(with("You are a helpful assistant.")->name() == "qwen2");
    CHECK(with("You are a helpful AI assistant named SmolLM, trained by Hugging Face")->name() == "smollm2");
    CHECK(!with("Rhyme.", "tool"));
  }

  TEST_CASE("an unknown template is not guessed at, whatever marks it has") {
    CHECK(!recognised(""));
    CHECK(!recognised("{{ messages }}"));
    CHECK(!recognised("<|im_start|>[INST]<|start_header_id|>"));
    CHECK(
        !recognised("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + "
                    "'<|im_end|>' + '\\n'}}{% endfor %}"));  // no opening of an answer
    CHECK(!recognised("{{ unfinished"));
  }

  TEST_CASE("Llama 3.2's template writes today's date, 3.1's always the same one") {
    const auto date_of = [](const char* name, std::string_view today) {
      const std::string text = ChatTemplate::named(name, "<|begin_of_text|>", "<|eot_id|>").apply(kHello, today);
      std::smatch found;
      REQUIRE(std::regex_search(text, found, std::regex("Today Date: ([^\n]*)\n")));
      return found[1].str();
    };
    CHECK(date_of("llama-3.2", "01 Feb 2031") == "01 Feb 2031");
    CHECK(date_of("llama-3.1", "01 Feb 2031") == "26 Jul 2024");
    CHECK(std::regex_match(date_of("llama-3.2", ""),
                           std::regex("[0-3][0-9] (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) 20[0-9]{2}")));
  }

  TEST_CASE("conversations that a template does not take are refused, and the error says why") {
    const auto refusal = [](const char* name, const Messages& messages) {
      return error_of<std::invalid_argument>([&] { ChatTemplate::named(name, "<s>", "</s>").apply(messages); });
    };
    CHECK(names(refusal("chatml", {}), "at least one message"));
    CHECK(names(refusal("chatml", {{"tool", "x"}}), "\"tool\"", "system, user and assistant"));
    CHECK(names(refusal("llama-2", {{"user", "a"}, {"user", "b"}}), "take turns", "message 2", "user", "assistant"));
    CHECK(names(refusal("llama-2", {{"user", "a"}, {"system", "b"}}), "in front of all others"));
    CHECK(names(refusal("mistral-v0.1", kTwice), "no system message"));
    CHECK(names(refusal("mistral-v0.3", {{"system", "a"}, {"user", "b"}, {"assistant", "c"}}), "last word"));
    CHECK(names(refusal("deepseek-v3", {{"user", "a"}, {"system", "b"}}), "in front of all others"));
    CHECK(names(error_of<std::invalid_argument>([] { ChatTemplate::named("klingon", "", ""); }), "klingon"));
  }

  TEST_CASE("the begin token that a template writes is not doubled in front of its tokens") {
    TokenizerParts parts;
    parts.byte_tokens.fill(-1);
    parts.tokens = {"<s>"};
    parts.added = {{0, true}};
    for (int byte = 0; byte < 256; ++byte) {
      parts.byte_tokens[static_cast<size_t>(byte)] = static_cast<int32_t>(parts.tokens.size());
      parts.tokens.emplace_back(1, static_cast<char>(byte));
    }
    parts.begin = 0;
    const Tokenizer tokenizer(std::move(parts));
    const std::string text = ChatTemplate::named("mistral-v0.2", "<s>", "</s>").apply(kHello);
    const std::vector<int32_t> tokens = tokenizer.with_begin(tokenizer.encode(text, Specials::parse));
    CHECK(std::count(tokens.begin(), tokens.end(), 0) == 1);
    CHECK(tokenizer.decode(tokens) == text);
  }

  TEST_CASE("SmolLM2's file has SmolLM2's template") {
    const auto path = smollm2_or_skip();
    if (!path) return;
    const auto text = gguf_chat_template(read_gguf(*path));
    REQUIRE(text);
    CHECK(text->jinja.size() == 368);
    const auto chat = ChatTemplate::recognise(*text);
    REQUIRE(chat);
    CHECK(chat->name() == "smollm2");
    CHECK(chat->apply(kHello) ==
          "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
          "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
    CHECK(chat->apply(kTwice) ==
          "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n"
          "<|im_start|>assistant\nHi<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n");
    const Tokenizer tokenizer = read_gguf_tokenizer(read_gguf(*path));
    const std::vector<int32_t> tokens = tokenizer.encode(chat->apply(kHello), Specials::parse);
    CHECK(tokens.front() == 1);
    CHECK(std::count(tokens.begin(), tokens.end(), 2) == 2);
  }
}

#include "model/files/hf_chat_template.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using namespace kv::test;

namespace {

std::string refusal(const TemporaryFolder& folder) {
  return error_of<FormatError>([&] { read_hf_chat_template(folder.path()); });
}

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("a folder without a chat template has none") {
    const TemporaryFolder folder;
    CHECK(!read_hf_chat_template(folder.path()));
    folder.write("tokenizer_config.json", R"({"bos_token": "<s>"})");
    CHECK(!read_hf_chat_template(folder.path()));
    folder.write("tokenizer_config.json", R"({"chat_template": null})");
    CHECK(!read_hf_chat_template(folder.path()));
    CHECK(!read_hf_chat_template("/nowhere"));
  }

  TEST_CASE("tokenizer_config.json has it as a text, with tokens as texts or objects") {
    const TemporaryFolder folder;
    folder.write(
        "tokenizer_config.json",
        R"({"chat_template": "{{ a }}", "bos_token": {"content": "<s>", "lstrip": false}, "eos_token": "</s>"})");
    const auto found = read_hf_chat_template(folder.path());
    REQUIRE(found);
    CHECK(found->jinja == "{{ a }}");
    CHECK(found->begin == "<s>");
    CHECK(found->end == "</s>");
  }

  TEST_CASE("of several templates the default one counts") {
    const TemporaryFolder folder;
    folder.write("tokenizer_config.json", R"({"chat_template": [{"name": "tool_use", "template": "t"},
                                                                {"name": "default", "template": "d"}]})");
    CHECK(read_hf_chat_template(folder.path())->jinja == "d");
    folder.write("tokenizer_config.json", R"({"chat_template": [{"name": "tool_use", "template": "t"}]})");
    CHECK(names(refusal(folder), "tokenizer_config.json", "chat_template", "default"));
    folder.write("tokenizer_config.json", R"({"chat_template": [{"name": "default"}]})");
    CHECK(names(refusal(folder), "chat_template[0].template is missing"));
    folder.write("tokenizer_config.json", R"({"chat_template": 7})");
    CHECK(names(refusal(folder), "chat_template is 7", "text"));
    folder.write("tokenizer_config.json", R"({"chat_template": "x", "bos_token": 7})");
    CHECK(names(refusal(folder), "bos_token is 7"));
  }

  TEST_CASE("chat_template.jinja counts before tokenizer_config.json, whose tokens it goes with") {
    const TemporaryFolder folder;
    folder.write("chat_template.jinja", "{{ b }}\n");
    CHECK(read_hf_chat_template(folder.path())->jinja == "{{ b }}\n");
    folder.write("tokenizer_config.json", R"({"chat_template": "{{ a }}", "eos_token": "</s>"})");
    CHECK(read_hf_chat_template(folder.path())->jinja == "{{ b }}\n");
    CHECK(read_hf_chat_template(folder.path())->end == "</s>");
  }
}

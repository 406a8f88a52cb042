#include "model/prompt.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/support/error_of.h"

using namespace kv;
using namespace kv::test;

TEST_SUITE_BEGIN("model");

TEST_CASE("token ids stand between commas and blanks, and are written with blanks") {
  CHECK(parse_token_ids("0,17, 4\n2") == std::vector<int32_t>{0, 17, 4, 2});
  CHECK(parse_token_ids(" , ").empty());
  CHECK(token_ids_text(parse_token_ids("0,17,4")) == "0 17 4");
  for (const char* text : {"1,two,3", "1.5", "99999999999", "4x"})
    CHECK(names(error_of<std::runtime_error>([&] { parse_token_ids(text); }), "not a token id"));
}

TEST_CASE("without a tokenizer a text is refused with the reason") {
  LoadedModel model;
  model.config.name = "bare";
  model.no_tokenizer = "the folder has no tokenizer.json";
  const auto refused = [&] { tokens_of_prompt(model, "text", Specials::ignore); };
  CHECK(names(error_of<std::runtime_error>(refused), "bare", "the folder has no tokenizer.json"));
}

TEST_SUITE_END();

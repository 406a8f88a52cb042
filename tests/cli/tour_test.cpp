#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/support/error_of.h"
#include "tests/support/process.h"

using kv::test::Finished;
using kv::test::names;
using kv::test::run_kvlab;

namespace {

// The words of the first line behind `title` that begins with `model`.
std::vector<std::string> row(const std::string& text, const std::string& title, const std::string& model) {
  const size_t at = text.find("  " + model, text.find(title));
  if (at == std::string::npos) return {};
  std::istringstream line(text.substr(at, text.find('\n', at) - at));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("the tour shows four caches, what they save, and that they change no bit") {
    const Finished run = run_kvlab({"tour", "--tokens", "10"});
    REQUIRE_MESSAGE(run.status == 0, run.err);
    CHECK(run.err.empty());
    CHECK(names(run.out, "What the cache holds", "What the cache saves", "the logits of both runs are bit-identical"));
    CHECK(run.out.find('\033') == std::string::npos);  // no colour into a file

    // bf16, 4 layers: 2 x 8 x 32, 2 x 2 x 32, 2 x 1 x 32 and 64 + 16 values.
    const auto cells = [&](const std::string& model) { return row(run.out, "What the cache holds", model); };
    const std::vector<std::string> mha = cells("austen-mha"), gqa = cells("austen-gqa"), mqa = cells("austen-mqa"),
                                   mla = cells("austen-mla");
    for (const auto* words : {&mha, &gqa, &mqa, &mla}) REQUIRE(words->size() == 7);
    CHECK((mha[1] == "8" && mha[2] + mha[3] == "4.00KiB"));
    CHECK((gqa[1] == "2" && gqa[2] + gqa[3] == "1.00KiB"));
    CHECK((mqa[1] == "1" && mqa[2] + mqa[3] == "512B"));
    CHECK((mla[1] == "latent" && mla[2] + mla[3] == "640B"));
    CHECK(mha[6].size() > gqa[6].size());  // the bars

    for (const std::string model : {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"}) {
      const std::vector<std::string> work = row(run.out, "What the cache saves", model);
      REQUIRE(work.size() == 11);  // name, then with, without (two words each) and their ratio, twice
      CHECK(std::stod(work[5]) > 2);
      CHECK(row(run.out, "What the cache changes", model).at(2).starts_with("0x"));
    }
  }

  TEST_CASE("each model writes the same text both times, under its name") {
    const Finished run = run_kvlab({"tour", "--tokens", "6", "--prompt", "My dear"});
    REQUIRE(run.status == 0);
    std::istringstream lines(run.out);
    std::string with;
    int pairs = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  with cache ")) with = line.substr(line.find("My dear"));
      if (line.starts_with("  without ")) {
        CHECK(line.substr(line.find("My dear")) == with);
        ++pairs;
      }
    }
    CHECK(pairs == 4);
  }

  TEST_CASE("a tour that does not fit the models' context is refused") {
    const Finished run = run_kvlab({"tour", "--tokens", "2000"});
    CHECK(run.status == 1);
    CHECK(names(run.err, "1024"));
  }

  TEST_CASE("a tour that does not fit is refused before anything is shown") {
    const Finished run = run_kvlab({"tour", "--tokens", "2000"});
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK(names(run.err, "1024"));
  }
}

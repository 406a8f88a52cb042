// The code that the inspector shows is the code that runs.
#include <doctest/doctest.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "viewer/code/code.h"
#include "viewer/code/cut_function.h"
#include "viewer/code/narrow_code.h"

using namespace kv::viewer;

namespace {

std::vector<std::string> lines_of_file(const std::string& path) {
  std::ifstream file(std::string(KVLAB_SOURCE_DIR) + "/" + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_SUITE("viewer/code") {
  TEST_CASE("each excerpt is what stands in its file, line for line, from its first line on") {
    REQUIRE(all_code().size() == 7);
    for (const CodeExcerpt& code : all_code()) {
      CAPTURE(code.symbol);
      const std::vector<std::string> file = lines_of_file(code.file);
      REQUIRE(code.lines.size() >= 4);
      REQUIRE(file.size() >= static_cast<size_t>(code.first_line) - 1 + code.lines.size());
      for (size_t i = 0; i < code.lines.size(); ++i)
        CHECK(code.lines[i] == file[static_cast<size_t>(code.first_line) - 1 + i]);
      CHECK(code.lines.back() == "}");
    }
  }

  TEST_CASE("what a reader points at has its functions: who stores it, who projects it, who reads it") {
    for (const char* symbol : {"layer_with_cache", "KvCache::append", "KvCache::append_latent", "project_heads",
                               "project_latent", "attend", "attend_stored"}) {
      bool named = false;
      for (const std::string& line : code_of(symbol).lines)
        named = named || line.find(std::string(symbol) + "(") != std::string::npos;
      CHECK_MESSAGE(named, symbol);
    }
    CHECK_THROWS_AS(code_of("nothing"), std::out_of_range);
  }

  TEST_CASE("read alone, the phases of a layer are the algorithm, for per-head and for latent attention") {
    std::vector<std::string> per_head, latent;
    for (const CodePhase& phase : phases_of(code_of("layer_with_cache"))) {
      REQUIRE_FALSE(phase.lines.empty());
      const bool of_latent = phase.lines.front().find("latent") != std::string::npos ||
                             phase.lines.front().find("Latent") != std::string::npos;
      if (!phase.in_branch || !of_latent) per_head.push_back(phase.comment);
      if (!phase.in_branch || of_latent) latent.push_back(phase.comment);
      CHECK(lines_of_file("cpu_reference/transformer.cpp")[static_cast<size_t>(phase.line) - 1].ends_with(
          "// " + phase.comment));
    }
    const std::vector<std::string> expected = {"Normalise.",
                                               "Project to queries, keys and values, and rotate.",
                                               "Append to the cache.",
                                               "Attend.",
                                               "Project the output and add.",
                                               "Feed forward and add."};
    CHECK(per_head == expected);
    CHECK(latent == std::vector<std::string>{"Normalise.", "Project to queries, latents and rope keys, and rotate.",
                                             "Append to the cache.", "Attend.", "Project the output and add.",
                                             "Feed forward and add."});
  }

  TEST_CASE("a function is cut out by its name and braces, whatever its texts and comments hold") {
    const std::string source =
        "void other() {}\n"
        "// Says it.\n"
        "template <class T>\n"
        "int Thing::say(T t) {\n"
        "  const char* a = \"}\\\"}\";  // }\n"
        "  return t == '}' ? 100'000 : 2;\n"
        "}\n"
        "template int Thing::say(char);\n";
    const CutFunction cut = cut_function(source, "Thing::say");
    CHECK(cut.first_line == 2);
    REQUIRE(cut.lines.size() == 6);
    CHECK(cut.lines.front() == "// Says it.");
    CHECK(cut.lines.back() == "}");
    CHECK(cut_function(source, "other").lines == std::vector<std::string>{"void other() {}"});
  }

  TEST_CASE("in a narrow column nothing is lost of any function, and no line is too long but for a name") {
    for (const CodeExcerpt& code : all_code())
      for (const size_t columns : {24u, 34u, 60u, 200u}) {
        CAPTURE(code.symbol);
        const auto letters = [](const std::vector<std::string>& lines) {
          std::string text;
          for (const std::string& line : lines)
            for (const char c : line)
              if (c != ' ' && c != '/') text += c;
          return text;
        };
        const std::vector<std::string> narrow = narrow_code(code.lines, columns);
        CHECK(letters(narrow) == letters(code.lines));
        for (const std::string& line : narrow) CHECK_MESSAGE((line.size() <= columns || columns == 24), line);
      }
  }

  TEST_CASE("statements are broken where a reader would") {
    const auto narrow = [](std::vector<std::string> lines) { return narrow_code(lines, 34); };
    using Lines = std::vector<std::string>;
    CHECK(narrow({"  note_written(layer, keys.rows);"}) == Lines{"  note_written(layer, keys.rows);"});
    CHECK(
        narrow({"void KvCache::append(int64_t layer, Rows<Scalar> keys,", "                     const Run& run) {"}) ==
        Lines{"void KvCache::append(", "    int64_t layer,", "    Rows<Scalar> keys,", "    const Run& run) {"});
    CHECK(narrow({"  for (int64_t head = 0; head < cache.kv_heads; ++head)", "    f();"}) ==
          Lines{"  for (int64_t head = 0;", "      head < cache.kv_heads;", "      ++head)", "    f();"});
    CHECK(narrow({"  // One comment that goes on and on,", "  // over two lines."}) ==
          Lines{"  // One comment that goes on and", "  // on, over two lines."});
    CHECK(narrow({"  expect(\"a text, with commas in it\", keys.shape());"}) ==
          Lines{"  expect(", "      \"a text, with commas in it\",", "      keys.shape());"});
    CHECK(narrow({"  return the_only_name_that_is_too_long_for_it;"}) ==
          Lines{"  return", "the_only_name_that_is_too_long_for_it;"});
    CHECK(narrow({"  if (config.has_latent_attention()) {"}) == Lines{"  if (", "  config.has_latent_attention()) {"});
    CHECK(narrow({}).empty());
  }

  TEST_CASE("a name that is not defined, or twice, is refused by name") {
    CHECK_THROWS_WITH_AS(cut_function("int f();\n", "f"), "f is not defined", std::invalid_argument);
    CHECK_THROWS_WITH_AS(cut_function("int f() {\n}\nint f(int) {\n}\n", "f"), "f is defined twice",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(cut_function("int half() {\n}\n", "f"), "f is not defined", std::invalid_argument);
  }
}

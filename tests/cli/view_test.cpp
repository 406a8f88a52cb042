#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/commands.h"
#include "tests/support/temporary_folder.h"

using kv::test::check_fails;
using kv::test::Finished;
using kv::test::names;
using kv::test::output_of;
using kv::test::read_whole_file;
using kv::test::run_kvlab;
using kv::test::TemporaryFolder;

namespace {

// No display for the program, while it lives.
class NoDisplay {
 public:
  NoDisplay() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
      const char* value = std::getenv(name);
      values_.emplace_back(name, value == nullptr ? "" : value);
      ::unsetenv(name);
    }
  }
  ~NoDisplay() {
    for (const auto& [name, value] : values_)
      if (!value.empty()) ::setenv(name.c_str(), value.c_str(), 1);
  }
  NoDisplay(const NoDisplay&) = delete;
  NoDisplay& operator=(const NoDisplay&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

std::vector<std::string> view(std::vector<std::string> options) {
  options.insert(options.begin(), "view");
  return options;
}

void check_wrong(const std::vector<std::string>& options, const std::string& what) {
  const NoDisplay none;
  check_fails(view(options), 2, what);
}

std::string described(std::vector<std::string> options) {
  options.emplace_back("--describe");
  const NoDisplay none;
  return output_of(view(options));
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("view --describe tells a step in words and needs no display") {
    const std::string words = described({"--step", "20"});
    CHECK(names(words, "MHA keeps 128 KiB", "MQA keeps 16 KiB", "8 times less", "step 20"));
    CHECK(words.ends_with("\n"));
    CHECK(names(described({"--step", "3", "--scene", "attention", "--variant", "mla", "--layer", "2", "--head", "5"}),
                "MLA"));
    CHECK(described({"--step", "3", "--cache", "off"}) != described({"--step", "3"}));
  }

  TEST_CASE("view takes one model or several, by name or path") {
    const std::string words =
        described({"--model", "austen-gqa", "--model", KVLAB_SOURCE_DIR "/checkpoints/austen-mla", "--step", "2"});
    CHECK(names(words, "GQA", "MLA"));
    CHECK_FALSE(names(words, "MQA"));
    CHECK(names(
        described({"--model", KVLAB_SOURCE_DIR "/tests/goldens/mistral-window", "--prompt", "5,17,3", "--step", "2"}),
        "5 tokens"));
  }

  TEST_CASE("view --run records, and replays the same words, times included") {
    const TemporaryFolder folder;
    const std::string file = folder / "run";
    const std::string first = described({"--step", "4", "--run", file});
    CHECK(std::filesystem::exists(file));
    CHECK(described({"--step", "4", "--run", file}) == first);
    CHECK(names(first, "(predicted), ", "without the cache (measured)"));
    folder.write("broken", "no run at all");
    check_fails({"view", "--describe", "--run", folder / "broken"}, 1, "broken");
  }

  TEST_CASE("a kept run goes on when later steps are asked for, and then repeats them as well") {
    const TemporaryFolder folder;
    const std::string file = folder / "run";
    const std::vector<std::string> early = {"--model", "austen-gqa", "--step", "2", "--run", file};
    const std::vector<std::string> late = {"--model", "austen-gqa", "--step", "100", "--run", file};
    described(early);
    const auto size = std::filesystem::file_size(file);
    const std::string first = described(late);
    CHECK(std::filesystem::file_size(file) > size);
    CHECK(described(late) == first);
  }

  TEST_CASE("a kept run is not played for other models, another prompt, length or type than are asked for") {
    const TemporaryFolder folder;
    const std::string file = folder / "run";
    const std::vector<std::string> kept = {"--model", "austen-gqa", "--prompt", "Dear",  "--tokens",
                                           "3",       "--step",     "1",        "--run", file};
    const std::string words = described(kept);
    CHECK(described(kept) == words);
    CHECK(described({"--step", "1", "--run", file}) == words);
    for (const auto& [option, value] : {std::pair<std::string, std::string>{"--model", "austen-mqa"},
                                        {"--prompt", "It is"},
                                        {"--tokens", "4"},
                                        {"--cache-dtype", "f32"}})
      check_fails({"view", "--describe", "--run", file, option, value}, 1, file, "leave out " + option);
  }

  TEST_CASE("a run that cannot be kept, or ends before the step, is told of before anything is lost") {
    const TemporaryFolder folder;
    check_fails({"view", "--describe", "--run", "/nonesuch/run"}, 1, "--run", "/nonesuch");
    check_wrong({"--describe", "--run", ""}, "--run");
    check_wrong({"--screenshot", ""}, "--screenshot");
    check_wrong({"--frames", ""}, "--frames");
    check_wrong({"--run", folder / "one", "--screenshot", folder / "./one"}, "the same file");
    const NoDisplay none;
    const Finished early = run_kvlab({"view", "--describe", "--model", "austen-gqa", "--tokens", "3", "--step", "9"});
    CHECK(early.status == 0);
    CHECK(names(early.out, "step 3"));
    CHECK(names(early.err, "the run ends at step 3"));
  }

  TEST_CASE("without a display view says why and what there is instead, and bare kvlab runs the tour") {
    const NoDisplay none;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"view"}, {"view", "--screenshot", "/nonesuch/a.png"}})
      check_fails(arguments, 1, "kvlab view --describe", "kvlab tour");
    const Finished bare = run_kvlab({});
    CHECK(bare.status == 0);
    CHECK(names(bare.out, "four models", "bit-identical"));
    CHECK(names(bare.err, "so here is the tour", "--help"));
    CHECK(bare.err.find('\n') == bare.err.size() - 1);
  }

  TEST_CASE("view --help needs no display and lists every option") {
    const NoDisplay none;
    const Finished help = run_kvlab({"view", "--help"});
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    CHECK(names(help.out, "Examples:"));
    for (const char* option :
         {"--model",      "--prompt",         "--tokens", "--cache-dtype", "--run",     "--scene",
          "--step",       "--variant",        "--theme",  "--scale",       "--size",    "--frames",
          "--screenshot", "--from",           "--to",     "--by",          "--size-of", "--zoom",
          "--layer",      "--head",           "--form",   "--cache",       "--page",    "--describe",
          "--profile",    "--reduced-motion", "--threads"})
      CHECK_MESSAGE(names(help.out, option), option);
  }

  TEST_CASE("wrong options of view are one line and status 2") {
    check_wrong({"--scene", "memory"}, "--scene: expected growth or attention, found \"memory\"");
    check_wrong({"--step", "-1"}, "--step");
    check_wrong({"--tokens", "0"}, "--tokens: expected a whole number from 1");
    check_wrong({"--theme", "blue"}, "--theme: expected dark or light, found \"blue\"");
    check_wrong({"--scale", "0"}, "--scale: expected a number from 0.5 to 4, found \"0\"");
    check_wrong({"--scale", "nan"}, "--scale");
    check_wrong({"--scale", "1x"}, "--scale");
    check_wrong({"--size", "1440"}, "--size: expected WIDTHxHEIGHT");
    check_wrong({"--size", "0x10"}, "--size: expected a whole number from 1");
    check_wrong({"--size", "10x10x10"}, "--size");
    check_wrong({"--size-of", "GPT"}, "--size-of: expected Llama-3-8B or Llama-3-70B or DeepSeek-V3");
    check_wrong({"--page", "memory"}, "--page");
    check_wrong({"--by", "head"}, "--by: expected slot or position");
    check_wrong({"--cache-dtype", "f8"}, "--cache-dtype");
    check_wrong({"--describe", "--screenshot", "a.png"}, "exclude each other");
    check_wrong({"--frames", "d", "--from", "3", "--to", "2"}, "--to must not be less than --from");
    check_wrong({"--describe", "--variant", "MLB"}, "--variant: expected MHA or GQA or MQA or MLA, found \"MLB\"");
    check_wrong({"--describe", "--zoom", "4"}, "--zoom: expected a whole number from 0 to 3, found \"4\"");
    check_wrong({"--describe", "--layer", "9"}, "--layer");
    check_wrong({"--describe", "--head", "8"}, "--head");
  }

  TEST_CASE("what view cannot load is named in one line, status 1") {
    check_fails({"view", "--describe", "--model", "austen-mlb"}, 1, "austen-mlb");
  }
}

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/commands.h"

using kv::test::Finished;
using kv::test::names;
using kv::test::run_kvlab;

namespace {

// And a pointer to help.
void check_wrong_command_line(const std::vector<std::string>& arguments, const std::string& what) {
  kv::test::check_fails(arguments, 2, what, "--help");
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("--version prints name and version") {
    const Finished run = run_kvlab({"--version"});
    CHECK(run.status == 0);
    CHECK(run.out.starts_with("kvlab "));
    CHECK(run.err.empty());
  }

  TEST_CASE("--help and the help of each command go to stdout, with examples") {
    const std::vector<std::vector<std::string>> commands = {{},        {"generate"}, {"inspect"},
                                                            {"fetch"}, {"view"},     {"tour"}};
    for (std::vector<std::string> arguments : commands) {
      arguments.push_back("--help");
      const Finished run = run_kvlab(arguments);
      CHECK(run.status == 0);
      CHECK(names(run.out, "Examples:"));
      CHECK(run.err.empty());
    }
    const Finished generate = run_kvlab({"generate", "--help"});
    for (const char* option :
         {"--model",   "--prompt",      "--tokens",  "--temperature", "--top-k",    "--top-p",   "--seed",
          "--cache",   "--cache-dtype", "--weights", "--chunk",       "--device",   "--threads", "--chat",
          "--raw-ids", "--trace",       "--json",    "--form",        "--capacity", "--specials"})
      CHECK_MESSAGE(names(generate.out, option), option);
  }

  TEST_CASE("a wrong command line is one line on stderr, a pointer to --help, and status 2") {
    check_wrong_command_line({"generat"}, "did you mean generate?");
    check_wrong_command_line({"frobnicate"}, "there is no command \"frobnicate\"");
    check_wrong_command_line({"--frobnicate"}, "--frobnicate");
    check_wrong_command_line({"generate", "--frobnicate"}, "--frobnicate");
    check_wrong_command_line({"generate", "stray"}, "stray");
    check_wrong_command_line({"generate", "--tokens"}, "--tokens");
    check_wrong_command_line({"generate", "--tokens", "0"}, "--tokens: expected a whole number from 1");
    check_wrong_command_line({"generate", "--tokens", "-1"}, "\"-1\"");
    check_wrong_command_line({"generate", "--tokens", "5x"}, "\"5x\"");
    check_wrong_command_line({"generate", "--tokens", "99999999999999999999"}, "--tokens");
    check_wrong_command_line({"generate", "--tokens", ""}, "--tokens");
    check_wrong_command_line({"generate", "--threads", "0"}, "--threads");
    check_wrong_command_line({"generate", "--cache", "yes"}, "--cache: expected on or off, found \"yes\"");
    check_wrong_command_line({"generate", "--cache-dtype", "f8"}, "f32 or f16 or bf16");
    check_wrong_command_line({"generate", "--weights", "q4"}, "file or f32 or bf16");
    check_wrong_command_line({"generate", "--form", "other"}, "absorbed or materialised");
    check_wrong_command_line({"generate", "--device", "tpu"}, "--device");
    check_wrong_command_line({"generate", "--chunk", "3,,1"}, "--chunk");
    check_wrong_command_line({"generate", "--chunk", "3,0"}, "--chunk");
    check_wrong_command_line({"generate", "--temperature", "nan"}, "--temperature");
    check_wrong_command_line({"generate", "--temperature", "-0.5"}, "--temperature is -0.5");
    check_wrong_command_line({"generate", "--top-p", "0"}, "--top-p is 0");
    check_wrong_command_line({"generate", "--top-p", "1.5"}, "--top-p is 1.5");
    check_wrong_command_line({"generate", "--top-k", "-3"}, "--top-k");
    check_wrong_command_line({"generate", "--seed", "-3"}, "--seed");
    check_wrong_command_line({"generate", "--trace", "run.txt"}, ".json or .safetensors");
    check_wrong_command_line({"inspect"}, "PATH");
    check_wrong_command_line({"inspect", "one", "two"}, "two");
    check_wrong_command_line({"fetch", "one", "two"}, "two");
    check_wrong_command_line({"fetch", "--frobnicate"}, "--frobnicate");
  }

  TEST_CASE("of an option that is given twice the last one counts") {
    const Finished run = run_kvlab({"generate", "--model", KVLAB_SOURCE_DIR "/tests/goldens/llama-mha", "--raw-ids",
                                    "--prompt", "1 2 3", "--tokens", "7", "--tokens", "2"});
    CHECK(run.status == 0);
    CHECK(std::count(run.out.begin(), run.out.end(), ' ') == 1);
  }

  TEST_CASE("numbers are decimal, whatever zeros stand before them") {
    const Finished run = run_kvlab({"generate", "--model", KVLAB_SOURCE_DIR "/tests/goldens/llama-mha", "--raw-ids",
                                    "--prompt", "1 2 3", "--tokens", "010"});
    CHECK(run.status == 0);
    CHECK(std::count(run.out.begin(), run.out.end(), ' ') == 9);
  }

  TEST_CASE("a stderr that cannot be written changes neither the answer nor the exit status") {
    const auto status = [](const std::string& words) {
      return WEXITSTATUS(std::system(("\"" KVLAB_PROGRAM "\" " + words + " >/dev/null").c_str()));
    };
    CHECK(status("generate --tokens 2 2>&-") == 0);
    CHECK(status("generate --tokens 2 2>/dev/full") == 0);
    CHECK(status("inspect nonesuch 2>&-") == 1);
    CHECK(status("generate --bogus 2>/dev/full") == 2);
  }

  TEST_CASE("--trace without a name is refused") {
    const auto run = run_kvlab({"generate", "--tokens", "2", "--trace", ""});
    CHECK(run.status == 2);
    CHECK(names(run.err, "--trace"));
  }
}

// Commands of the real program as most tests want them: that succeed, or that fail in one line.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/error_of.h"
#include "tests/support/process.h"

namespace kv::test {

// What it prints. On stderr there may be progress, and nothing else.
inline std::string output_of(const std::vector<std::string>& arguments) {
  const Finished run = run_kvlab(arguments);
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK_MESSAGE((run.err.empty() || run.err.ends_with("...\n")), run.err);
  return run.out;
}

inline nlohmann::json json_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  return nlohmann::json::parse(output_of(arguments));
}

// Nothing on stdout, and one line on stderr, maybe behind progress, with these parts in it. Status 2 is a wrong command
// line, 1 all else.
template <class... Parts>
void check_fails(const std::vector<std::string>& arguments, int status, const Parts&... parts) {
  const Finished run = run_kvlab(arguments);
  CAPTURE(arguments.back());
  CHECK(run.status == status);
  CHECK(run.out.empty());
  const size_t progress = run.err.find("...\n");
  const std::string line = progress == std::string::npos ? run.err : run.err.substr(progress + 4);
  CHECK_MESSAGE(line.starts_with("kvlab: "), run.err);
  CHECK_MESSAGE(line.find('\n') == line.size() - 1, run.err);
  CHECK_MESSAGE(names(line, parts...), run.err);
}

}  // namespace kv::test

// Tests that cannot run on this machine: each says so where it stands, and the program counts them at its end.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <set>
#include <string>

namespace kv::test {

inline std::set<std::string>& skipped_tests() {
  static std::set<std::string> names;
  return names;
}

// The running test cannot be done: `why` says what it needs. The test has to return by itself.
inline void skip(const std::string& why) {
  const std::string name = doctest::getContextOptions()->currentTest->m_name;
  if (skipped_tests().insert(name).second) std::printf("skipped: \"%s\" %s\n", name.c_str(), why.c_str());
  std::fflush(stdout);
}

}  // namespace kv::test

// doctest's main, and one line about the tests that were skipped: what was not tested should not look like a pass.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "tests/support/skipped.h"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int result = context.run();
  const std::set<std::string>& skipped = kv::test::skipped_tests();
  if (!skipped.empty()) {
    std::string names;
    for (const std::string& name : skipped) names += (names.empty() ? "\"" : ", \"") + name + "\"";
    std::printf("%zu %s skipped: %s\n", skipped.size(), skipped.size() == 1 ? "test" : "tests", names.c_str());
  }
  return result;
}

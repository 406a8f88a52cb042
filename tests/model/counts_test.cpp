#include "model/counts.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using namespace kv;

TEST_SUITE("model") {
  TEST_CASE("a comma stands before every third digit from the right, and behind no sign") {
    CHECK(with_commas(0) == "0");
    CHECK(with_commas(999) == "999");
    CHECK(with_commas(1000) == "1,000");
    CHECK(with_commas(49'152) == "49,152");
    CHECK(with_commas(1'234'567) == "1,234,567");
    CHECK(with_commas(-999) == "-999");
    CHECK(with_commas(-1'234'567) == "-1,234,567");
    CHECK(with_commas(std::numeric_limits<int64_t>::min()) == "-9,223,372,036,854,775,808");
  }

  TEST_CASE("one thing is one, all other numbers of it are several") {
    CHECK(count_of(0, "token") == "0 tokens");
    CHECK(count_of(1, "token") == "1 token");
    CHECK(count_of(1024, "token") == "1,024 tokens");
  }
}

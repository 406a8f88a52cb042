// The unit printer: the unit is always there, always the right one, and rounding never crosses into another.
#include "model/bytes.h"

#include <doctest/doctest.h>

#include <clocale>
#include <cstdint>
#include <limits>

using namespace kv;

TEST_SUITE("model") {
  TEST_CASE("memory is printed in binary units, to three digits") {
    CHECK(to_string(Bytes{0}) == "0 B");
    CHECK(to_string(Bytes{1}) == "1 B");
    CHECK(to_string(Bytes{640}) == "640 B");
    CHECK(to_string(Bytes{1024}) == "1.00 KiB");
    CHECK(to_string(Bytes{23 * 1024}) == "23.0 KiB");
    CHECK(to_string(Bytes{212 * 1024}) == "212 KiB");
    CHECK(to_string(Bytes{int64_t{3} << 29}) == "1.50 GiB");
    CHECK(to_string(Bytes{int64_t{5000} << 30}) == "5000 GiB");
  }

  TEST_CASE("a thousand bytes are not a KiB, and a billion are not a GiB") {
    CHECK(to_string(Bytes{1'000}) == "1000 B");
    CHECK(to_string(Bytes{1'000'000'000}) == "954 MiB");
    CHECK(to_decimal_string(Bytes{1'000'000'000}) == "1.00 GB");
    CHECK(to_decimal_string(Bytes{int64_t{1} << 30}) == "1.07 GB");
    CHECK(to_decimal_string(Bytes{6'594'560}) == "6.59 MB");
    CHECK(to_decimal_string(Bytes{999}) == "999 B");
  }

  TEST_CASE("an amount that rounds up to the next unit is printed in it") {
    CHECK(to_string(Bytes{1023}) == "1023 B");  // 0.999 KiB
    CHECK(to_string(Bytes{(1 << 20) - 1}) == "1.00 MiB");
    CHECK(to_string(Bytes{1 << 20}) == "1.00 MiB");
    CHECK(to_string(Bytes{10 * 1024 - 1}) == "10.0 KiB");
    CHECK(to_string(Bytes{100 * 1024 - 1}) == "100 KiB");
  }

  TEST_CASE("the unit can be asked for") {
    CHECK(to_string(Bytes{1 << 20}, ByteUnit::B) == "1048576 B");
    CHECK(to_string(Bytes{1 << 20}, ByteUnit::KiB) == "1024 KiB");
    CHECK(to_string(Bytes{1 << 20}, ByteUnit::GiB) == "0.00 GiB");
    CHECK(to_string(Bytes{80'000'000'000}, ByteUnit::GB) == "80.0 GB");
    CHECK(to_string(Bytes{80'000'000'000}, ByteUnit::GiB) == "74.5 GiB");
  }

  TEST_CASE("negative and extreme amounts keep their sign and unit") {
    CHECK(to_string(Bytes{-2048}) == "-2.00 KiB");
    CHECK(to_string(Bytes{std::numeric_limits<int64_t>::max()}) == "8589934592 GiB");
  }

  TEST_CASE("the locale changes nothing") {
    const char* found = std::setlocale(LC_ALL, "de_DE.UTF-8");  // writes 1,50 where it is installed
    CHECK(to_string(Bytes{int64_t{3} << 29}) == "1.50 GiB");
    if (found != nullptr) std::setlocale(LC_ALL, "C");
  }
}

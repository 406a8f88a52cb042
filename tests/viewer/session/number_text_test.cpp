// Numbers in words and pictures.
#include <doctest/doctest.h>

#include "viewer/session/number_text.h"

using namespace kv::viewer;

TEST_SUITE("viewer/session/number_text") {
  TEST_CASE("bytes have three digits, a unit, and no zeros behind the point") {
    CHECK(bytes_text(0) == "0 B");
    CHECK(bytes_text(640) == "640 B");
    CHECK(bytes_text(1023) == "1023 B");
    CHECK(bytes_text(1024) == "1 KiB");
    CHECK(bytes_text(7680) == "7.5 KiB");
    CHECK(bytes_text(448 * 1024) == "448 KiB");
    CHECK(bytes_text(1000 * 1024) == "1,000 KiB");
    CHECK(bytes_text(1000 * 4096) == "3.91 MiB");
    CHECK(bytes_text(1024 * 1024 - 1) == "1 MiB");
    CHECK(bytes_text(int64_t{5} << 40) == "5 TiB");
    CHECK(exact_bytes_text(4096) == "4,096 B");
    CHECK(exact_bytes_text(int64_t{3} << 20) == "3 MiB");
  }

  TEST_CASE("FLOPs have two digits, three from 100 on") {
    CHECK(flops_text(812) == "812 FLOP");
    CHECK(flops_text(6'384'000) == "6.4 MFLOP");
    CHECK(flops_text(12'340'000) == "12.3 MFLOP");
    CHECK(flops_text(570'400'000) == "570 MFLOP");
    CHECK(flops_text(999'600'000) == "1 GFLOP");
    CHECK(flops_text(6'900'000'000) == "6.9 GFLOP");
    CHECK(flops_sum_text(5'924'000, 461'000) == "5.9 + 0.46 MFLOP");
    CHECK(flops_sum_text(600, 0) == "600 + 0 FLOP");
  }

  TEST_CASE("seconds choose their unit by size") {
    CHECK(seconds_text(5.4e-6) == "5.4 µs");
    CHECK(seconds_text(85e-6) == "85 µs");
    CHECK(seconds_text(540e-6) == "0.54 ms");
    CHECK(seconds_text(41.3e-3) == "41.3 ms");
    CHECK(seconds_text(413e-3) == "413 ms");
    CHECK(seconds_text(2.07) == "2.07 s");
  }

  TEST_CASE("a share is one over a number, and says when it is none") {
    CHECK(share_text(56, 448) == "1/8");
    CHECK(share_text(70, 448) == "1/6.4");
    CHECK(share_text(1, 690) == "1/690");
    CHECK(share_text(448, 448) == "the same");
    CHECK(share_text(448, 224) == "2 times");
    CHECK(share_text(0, 5) == "-");
    CHECK(times_text(448, 56) == "8");
    CHECK(times_text(12345, 1) == "12,345");
  }

  TEST_CASE("percent are whole, and a little is not nothing") {
    CHECK(percent_text(7.2, 100) == "7 %");
    CHECK(percent_text(0.01, 100) == "under 1 %");
    CHECK(percent_text(0, 100) == "0 %");
    CHECK(percent_text(5, 0) == "0 %");
    CHECK(percent_text(5, 5) == "100 %");
  }
}

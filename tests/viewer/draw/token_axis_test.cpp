#include "viewer/draw/token_axis.h"

#include <doctest/doctest.h>

using namespace kv::viewer;

TEST_SUITE("viewer/draw") {
  TEST_CASE("the axis is the power of two at or above what was seen, and at least 32") {
    CHECK(axis_for(0) == 32);
    CHECK(axis_for(32) == 32);
    CHECK(axis_for(33) == 64);
    CHECK(axis_for(112) == 128);
    CHECK(axis_for(1000) == 1024);
    CHECK(axis_for(1024) == 1024);
    CHECK(axis_for(1025) == 2048);
    CHECK(axis_for(131072) == 131072);
  }

  TEST_CASE("a map of 768 px gives tokens of 24, 12, 6, 3, 1.5 and 0.75 px, with gaps from 8 px on") {
    double width = 24;
    for (double tokens = 32; tokens <= 1024; tokens *= 2, width /= 2) {
      const TokenAxis axis{142, 768, tokens};
      CHECK(axis.token_width() == width);
      CHECK(axis.separated() == (width >= 8));
    }
  }

  TEST_CASE("position_at is the inverse of x_of, for every token of every axis") {
    for (const double tokens : {32.0, 64.0, 128.0, 1024.0, 8192.0}) {
      const TokenAxis axis{142, 768, tokens};
      for (int64_t position = 0; position < static_cast<int64_t>(tokens); ++position) {
        const float middle = (axis.x_of(position) + axis.x_of(position + 1)) / 2;
        CHECK(axis.position_at(middle) == position);
      }
    }
  }

  TEST_CASE("the ruler has nine ticks, the last at the axis's end, and fewer while the axis grows") {
    CHECK(ticks_of({0, 768, 128}) == std::vector<int64_t>{0, 16, 32, 48, 64, 80, 96, 112, 128});
    CHECK(ticks_of({0, 768, 32}) == std::vector<int64_t>{0, 4, 8, 12, 16, 20, 24, 28, 32});
    CHECK(ticks_of({0, 768, 100}) == std::vector<int64_t>{0, 16, 32, 48, 64, 80, 96});
  }
}

#include "cpu_reference/team.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

using kv::cpu::Team;

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("a team covers every index once, whatever its size, the count and the grain") {
  for (const int threads : {1, 2, 3, 5}) {
    Team team(threads, 1);
    CHECK(team.threads() == threads);
    for (const int64_t count : {0, 1, 2, 3, 7, 64, 1000})
      for (const int64_t grain : {1, 4, 6, 100}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
        team.split(count, grain, [&](int64_t begin, int64_t end) {
          CHECK(begin % grain == 0);
          for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)]++;
        });
        int wrong = 0;
        for (const auto& times : seen) wrong += times != 1;
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("an exception in any member reaches the caller, and the team works on") {
  Team team(3);
  for (const int64_t thrower : {0, 5, 8}) {
    CHECK_THROWS_AS(team.split(9, 1,
                               [&](int64_t begin, int64_t end) {
                                 if (begin <= thrower && thrower < end) throw std::runtime_error("member");
                               }),
                    std::runtime_error);
  }
  std::atomic<int64_t> sum{0};
  team.split(9, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  CHECK(sum == 9);
}

TEST_CASE("a thousand rounds in a row neither hang nor lose work") {
  Team team(2, 1);
  std::atomic<int64_t> sum{0};
  for (int round = 0; round < 1000; ++round) team.split(2, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  CHECK(sum == 2000);
}

TEST_CASE("small work is not split: a grain holds as many items as are worth a thread") {
  CHECK(Team(2).worthwhile(1) == Team::kWorthSplitting);
  CHECK(Team(2).worthwhile(Team::kWorthSplitting / 4) == 4);
  CHECK(Team(2).worthwhile(Team::kWorthSplitting + 1) == 1);
  CHECK(Team(2, 1).worthwhile(1) == 1);
  CHECK(Team(2).worthwhile(0) == Team::kWorthSplitting);
}

TEST_CASE("a team of no threads is refused") { CHECK_THROWS_AS(Team(0), std::invalid_argument); }

TEST_SUITE_END();

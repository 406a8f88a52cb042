#include "viewer/session/player.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

using namespace kv::viewer;

TEST_SUITE_BEGIN("viewer/session");

TEST_CASE("a paused player shows a finished step and does not move") {
  Player player;
  CHECK_FALSE(player.playing());
  CHECK(player.phase() == 1);
  CHECK_FALSE(player.advance(10, 100, false));
  CHECK(player.step() == 0);
}

TEST_CASE("playing goes through every step at the reader's speed, however frames fall") {
  for (const double speed : {1.0, 8.0, 128.0})
    for (const double frame : {1.0 / 120, 1.0 / 60, 0.05}) {
      Player player;
      player.set_speed(speed);
      player.play();
      double time = 0;
      while (time < 1) {
        CHECK(player.advance(frame, 1000, false));
        time += frame;
        CHECK(player.phase() >= 0);
        CHECK(player.phase() <= 1);
      }
      // The first step begins at once.
      CHECK(std::abs(static_cast<double>(player.step()) - 1 + player.phase() - time * speed) < 1e-6 * speed);
    }
}

TEST_CASE("it waits where nothing is recorded yet, goes on when there is, and pauses at the end") {
  Player player;
  player.play();
  for (int i = 0; i < 50; ++i) player.advance(0.1, 2, false);
  CHECK(player.step() == 2);
  CHECK(player.phase() == 1);
  CHECK(player.playing());
  CHECK_FALSE(player.advance(0.1, 2, false));  // nothing to draw anew
  player.advance(0.01, 3, false);
  CHECK(player.step() == 3);
  CHECK(player.phase() == doctest::Approx(0.08));  // it begins now, not when it was waited for
  for (int i = 0; i < 5; ++i) player.advance(0.1, 3, true);
  CHECK_FALSE(player.playing());
  CHECK(player.step() == 3);
  CHECK(player.phase() == 1);
}

TEST_CASE("nothing is recorded at all: it waits at step 0") {
  Player player;
  player.play();
  player.advance(5, -1, false);
  CHECK(player.step() == 0);
  CHECK(player.playing());
}

TEST_CASE("going somewhere pauses and stays within what is recorded") {
  Player player;
  player.play();
  player.advance(0.2, 100, false);
  player.go_to(40, 100);
  CHECK(player.step() == 40);
  CHECK_FALSE(player.playing());
  CHECK(player.phase() == 1);
  player.step_by(-50, 100);
  CHECK(player.step() == 0);
  player.step_by(500, 100);
  CHECK(player.step() == 100);
  player.go_to(7, -1);
  CHECK(player.step() == 0);
}

TEST_CASE("what a branch has taken away is not shown") {
  Player player;
  player.go_to(90, 100);
  player.play();
  player.advance(0, 30, false);
  CHECK(player.step() == 30);
}

TEST_CASE("speed keeps within its ends") {
  Player player;
  CHECK(player.speed() == Player::kUsual);
  player.set_speed(0);
  CHECK(player.speed() == Player::kSlowest);
  player.set_speed(1e9);
  CHECK(player.speed() == Player::kFastest);
  player.set_speed(std::nan(""));
  CHECK(player.speed() == Player::kUsual);
}

TEST_SUITE_END();

#include "viewer/session/session.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include "cpu_reference/this_machine.h"
#include "tests/support/error_of.h"
#include "tests/support/viewer_runs.h"

using namespace kv;
using namespace kv::test;
using namespace kv::viewer;

namespace {

SessionSettings tiny_settings(int64_t tokens = 0) {
  SessionSettings settings;
  settings.prompt = "5,17,3,42,8";
  settings.tokens = tokens;
  settings.machine = Speeds{1e10, 1e11};  // this one's would take a second
  return settings;
}

std::vector<std::shared_ptr<const LaneFacts>> tiny_lanes(int64_t capacity = 256) {
  return {random_lane(tiny_heads(6, 6, 10), capacity), random_lane(tiny_heads(6, 1, 10, 7), capacity),
          random_lane(tiny_latent(), capacity)};
}

// Waits for something that the worker will do; false when it has not within a long time.
template <class Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_SUITE_BEGIN("viewer/session");

TEST_CASE("the worker records ahead of the playhead, and no further") {
  std::atomic<int> progress = 0;
  Session session(tiny_lanes(), tiny_settings(), [&] { ++progress; });
  session.wait_for(10);
  const auto at = [&](int64_t step) {
    for (const LaneView& lane : session.view().lanes)
      if (lane.last_step() < step) return false;
    return true;
  };
  CHECK(comes_true([&] { return at(10 + Session::kAhead); }));
  session.wanted_step(30);
  CHECK(comes_true([&] { return at(30 + Session::kAhead); }));
  // Once what lies behind is run without the cache, the lanes are as far as they shall be.
  CHECK(comes_true([&] { return session.view().lanes[2].without_cache.size() == 3; }));
  for (const LaneView& lane : session.view().lanes) CHECK(lane.last_step() == 30 + Session::kAhead);
  CHECK(progress >= 3 * (30 + Session::kAhead));
  CHECK(session.view().prompt == "5,17,3,42,8");
}

TEST_CASE("this machine is measured when the lanes are ahead") {
  SessionSettings settings = tiny_settings();
  settings.machine.reset();
  Session session(tiny_lanes(), settings);
  session.wait_for(Session::kAhead);
  CHECK(comes_true([&] { return session.view().lanes[2].machine.has_value(); }));
  const Speeds speeds = *session.view().lanes[0].machine;
  CHECK(speeds.bytes_per_second > 0);
  CHECK(speeds.flops_per_second > 0);
}

TEST_CASE("a measurement that nobody waits for any more comes to nothing") {
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(cpu::measure_this_machine(1, stop.get_token()));
}

TEST_CASE("lanes are recorded by turns") {
  std::atomic<int64_t> widest = 0;
  Session* watched = nullptr;
  std::atomic<bool> ready = false;
  Session session(tiny_lanes(), tiny_settings(), [&] {
    if (!ready) return;
    const RunView run = watched->view();
    int64_t least = 1 << 20, most = -2;
    for (const LaneView& lane : run.lanes) {
      least = std::min(least, lane.last_step());
      most = std::max(most, lane.last_step());
    }
    widest = std::max<int64_t>(widest, most - least);
  });
  watched = &session;
  ready = true;
  session.wait_for(60);
  CHECK(widest <= 1);
}

TEST_CASE("what lies behind is run without the cache at 16, 32, 64 and so on") {
  Session session(tiny_lanes(), tiny_settings());
  const auto contexts = [&](size_t lane) {
    std::vector<int64_t> contexts;
    const LaneView view = session.view().lanes[lane];
    for (const StepWithoutCache& ran : view.without_cache) contexts.push_back(ran.context);
    return contexts;
  };
  session.wait_for(5);
  const std::vector<int64_t> expected = {16, 32, 64};
  for (size_t lane = 0; lane < 3; ++lane) CHECK(comes_true([&] { return contexts(lane) == expected; }));
}

TEST_CASE("waiting ends when lanes stop: full, at the end of what was asked for, or failed") {
  {
    Session session(tiny_lanes(16), tiny_settings());
    session.wait_for(1000);
    for (const LaneView& lane : session.view().lanes) CHECK(lane.stopped == "16 of 16: the cache is full");
  }
  {
    Session session(tiny_lanes(), tiny_settings(9));
    session.wait_for(1000);
    for (const LaneView& lane : session.view().lanes) CHECK(lane.last_step() == 9);
  }
  {
    ModelConfig failing = tiny_heads(6, 2, 10);
    failing.max_context = 9;
    Session session({random_lane(failing), random_lane(tiny_latent())}, tiny_settings());
    session.wait_for(40);
    CHECK(session.view().lanes[0].failed);
    CHECK(session.view().lanes[1].last_step() >= 40);
  }
}

TEST_CASE("a branch changes one lane, which goes on from there") {
  Session session(tiny_lanes(), tiny_settings());
  session.wait_for(20);
  const RunView before = session.view();
  const std::vector<int32_t> others(before.lanes[0].tokens.begin(), before.lanes[0].tokens.end());
  const int32_t token = before.lanes[1].steps[7].likeliest[3].token;
  session.branch(1, 7, token);
  session.wait_for(20);
  const RunView after = session.view();
  CHECK(after.lanes[1].tokens[5 + 7] == token);
  CHECK(after.lanes[1].last_step() >= 20);
  CHECK(std::equal(others.begin(), others.end(), after.lanes[0].tokens.begin()));
  CHECK_THROWS_AS(session.branch(3, 0, 1), std::out_of_range);
  CHECK_THROWS_AS(session.branch(0, 100000, 1), std::out_of_range);
  CHECK_THROWS_AS(session.branch(0, 0, 53), std::invalid_argument);
}

TEST_CASE("another prompt begins anew; one that cannot be read leaves all as it was") {
  const SessionSettings settings = settings_of({"austen-gqa", "austen-mla"}, "It is", 48);
  Session session(load_lanes(settings), settings);
  session.wait_for(3);
  const size_t prompt = session.view().lanes[0].facts->prompt.size();
  std::string too_long;
  for (int i = 0; i < 60; ++i) too_long += "word ";
  CHECK(names(error_of<std::invalid_argument>([&] { session.restart(too_long); }), "austen-gqa", "48"));
  CHECK_THROWS_AS(session.restart("\xFF\xFE"), std::invalid_argument);
  CHECK(session.view().prompt == "It is");
  CHECK(session.settings().prompt == "It is");
  CHECK(session.view().lanes[0].facts->prompt.size() == prompt);
  CHECK(session.view().lanes[0].last_step() >= 3);

  session.restart("She was not at all");
  session.wait_for(2);
  CHECK(session.view().prompt == "She was not at all");
  CHECK(session.settings().prompt == "She was not at all");
  for (const LaneView& lane : session.view().lanes) {
    CHECK(lane.facts->prompt != std::vector<int32_t>());
    CHECK(lane.last_step() >= 2);
    CHECK(lane.facts->model->tokenizer->decode(lane.tokens.subspan(0, lane.facts->prompt.size())) ==
          "<|endoftext|>She was not at all");
  }
}

TEST_CASE("restarting without a tokenizer takes ids, and refuses words") {
  Session session(tiny_lanes(), tiny_settings());
  session.wait_for(2);
  CHECK_THROWS_AS(session.restart("words"), std::invalid_argument);
  CHECK_THROWS_AS(session.restart(""), std::invalid_argument);
  CHECK_THROWS_AS(session.restart("5,99999"), std::invalid_argument);
  session.restart("9,8");
  session.wait_for(2);
  CHECK(session.view().lanes[0].tokens[1] == 8);
}

TEST_CASE("closing waits for the step at hand alone, also while a long prompt is read") {
  const ModelConfig config = tiny_heads(6, 2, 10);
  std::atomic<bool> leaving = false;
  std::atomic<int> pieces = 0;
  {
    // The worker stands still after its first piece until this scope is left, and a moment longer.
    Session session({random_lane(config, 4096, random_tokens(config, 4000))}, tiny_settings(), [&] {
      if (pieces++ > 0) return;
      leaving.wait(false);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    });
    CHECK(comes_true([&] { return pieces > 0; }));
    leaving = true;
    leaving.notify_all();
  }
  CHECK(pieces < 32);  // which would be the whole prompt
}

TEST_SUITE_END();

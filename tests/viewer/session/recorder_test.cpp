#include "viewer/session/recorder.h"

#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu_reference/generate.h"
#include "tests/support/error_of.h"
#include "tests/support/viewer_runs.h"
#include "viewer/session/candidates.h"

using namespace kv;
using namespace kv::test;
using namespace kv::viewer;

namespace {

// Everything of one lane that is drawn, but times.
struct Snapshot {
  std::vector<int32_t> tokens;
  std::vector<Counters> counted;
  std::vector<double> probabilities;
  std::vector<std::vector<float>> stored, queries;
  std::vector<float> sizes;
  bool operator==(const Snapshot&) const = default;
};
Snapshot snapshot(const LaneView& lane, int64_t last_step) {
  Snapshot seen;
  const int64_t context = lane.context_at(last_step);
  seen.tokens.assign(lane.tokens.begin(), lane.tokens.begin() + context);
  for (int64_t s = 0; s <= last_step; ++s) {
    const Step& step = lane.steps[static_cast<size_t>(s)];
    seen.counted.push_back(step.counted);
    for (const Candidate& candidate : step.likeliest) {
      seen.probabilities.push_back(candidate.probability);
      seen.probabilities.push_back(candidate.token);
    }
    for (int64_t layer = 0; layer < lane.config().layers; ++layer) {
      const auto queries = lane.store->queries(layer, step.context() - 1);
      seen.queries.emplace_back(queries.begin(), queries.end());
    }
  }
  for (int64_t layer = 0; layer < lane.config().layers; ++layer)
    for (const Role role : lane.store->roles(layer)) {
      seen.sizes.push_back(lane.store->largest_rms(layer, role, context));
      for (int64_t head = 0; head < lane.store->heads(layer, role); ++head)
        for (int64_t position = 0; position < context; ++position) {
          seen.stored.push_back(lane.store->vector(layer, role, head, position));
          seen.sizes.push_back(lane.store->rms(layer, role, head, position));
        }
    }
  return seen;
}

}  // namespace

TEST_SUITE_BEGIN("viewer/session");

TEST_CASE("a lane writes what generate writes, and counts what generate counts") {
  const RecordedRun run = four_models(9);
  for (const LaneView& lane : run.view().lanes) {
    cpu::Team team(1);
    cpu::GenerateOptions options;
    options.tokens = 10;
    options.excluded = lane.facts->excluded;
    Sampler greedy({});
    Trace trace;
    const cpu::Generation made = cpu::generate({lane.config(), lane.facts->model->weights}, lane.facts->prompt, options,
                                               greedy, {}, cpu::Run{team, &trace});
    std::vector<int32_t> expected = lane.facts->prompt;
    expected.insert(expected.end(), made.tokens.begin(), made.tokens.end());
    const int32_t next = expected.back();
    expected.pop_back();  // drawn, but not fed
    CHECK(std::vector<int32_t>(lane.tokens.begin(), lane.tokens.end()) == expected);
    CHECK(lane.steps.back().likeliest[0].token == next);
    REQUIRE(trace.calls().size() == lane.steps.size());
    for (size_t i = 0; i < lane.steps.size(); ++i) CHECK(lane.steps[i].counted == trace.calls()[i].total());
    CHECK(lane.context_at(9) == std::ssize(expected));
  }
}

TEST_CASE("rows kept by position give a windowed model the same tokens and counts as its ring") {
  ModelConfig config = tiny_heads(6, 2, 10, 6);
  // A ring of 6 - 1 + 8 slots, which the cache below wraps several times.
  const RecordedRun run = [&] {
    RecordedRun made({random_lane(config, 64)}, "");
    made.record_to(40);
    return made;
  }();
  const LaneView lane = run.view().lanes[0];
  cpu::KvCache ring(config, 64, Dtype::bf16, 8);
  REQUIRE(ring.layout().slots(0) == 13);
  cpu::Team team(1);
  const cpu::Model model{lane.config(), lane.facts->model->weights};
  Trace trace;
  cpu::Matrix<float> logits = cpu::prefill<float>(model, lane.facts->prompt, ring, cpu::LatentForm::absorbed,
                                                  cpu::LogitRows::last, cpu::Run{team, &trace});
  for (size_t i = 0; i < lane.steps.size(); ++i) {
    if (i > 0)
      logits = cpu::decode_step<float>(model, lane.tokens[static_cast<size_t>(lane.steps[i].first_position)], ring,
                                       cpu::LatentForm::absorbed, cpu::Run{team, &trace});
    const auto likeliest = likeliest_of({logits.data(), static_cast<size_t>(logits.cols())}, {});
    for (size_t c = 0; c < kCandidates; ++c) {
      CHECK(likeliest[c].token == lane.steps[i].likeliest[c].token);
      CHECK(likeliest[c].probability == lane.steps[i].likeliest[c].probability);
    }
    CHECK(trace.calls()[i].total() == lane.steps[i].counted);
  }
}

TEST_CASE("a prompt is read in pieces, with the bits and counts of one piece") {
  const ModelConfig config = tiny_heads(6, 2, 10);
  std::vector<int32_t> prompt = random_tokens(config, 300);
  RecordedRun run({random_lane(config, 512, prompt)}, "");
  for (const int64_t read : {128, 256}) {
    run.advance();
    const LaneView lane = run.view().lanes[0];
    CHECK(lane.prompt_read == read);
    CHECK(lane.steps.empty());
    CHECK(std::ssize(lane.tokens) == read);
    CHECK(lane.context_at(0) == read);
    CHECK(run.view().last_step() == -1);
  }
  run.advance();
  const LaneView lane = run.view().lanes[0];
  REQUIRE(lane.last_step() == 0);
  CHECK(lane.prompt_read == 300);
  CHECK(lane.steps[0].tokens == 300);
  CHECK(lane.steps[0].first_position == 0);

  cpu::KvCache cache(config, 512, Dtype::bf16);
  Trace trace({"queries"});
  const auto logits =
      cpu::prefill<float>({lane.config(), lane.facts->model->weights}, prompt, cache, cpu::LatentForm::absorbed,
                          cpu::LogitRows::last, cpu::Run{run.team(), &trace});
  CHECK(likeliest_of({logits.data(), static_cast<size_t>(logits.cols())}, {})[0].probability ==
        lane.steps[0].likeliest[0].probability);
  for (int64_t layer = 0; layer < 3; ++layer)
    CHECK(std::memcmp(cache.keys(layer).row(1, 0), lane.store->keys(layer).row(1, 0), 300 * 10 * 2) == 0);
  const Counters whole = trace.total(), pieces = lane.steps[0].counted;
  CHECK(whole.flops() == pieces.flops());
  CHECK(whole.score_pairs == pieces.score_pairs);
  CHECK(whole.cache_bytes_written == pieces.cache_bytes_written);
  CHECK(lane.steps[0].time.takes == 1);
}

TEST_CASE("a step looks the same before and after the lane has gone on") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10, 4), tiny_latent()}) {
    RecordedRun run({random_lane(config)}, "");
    run.record_to(5);
    const LaneView early = run.view().lanes[0];
    const Snapshot before = snapshot(early, 3), end = snapshot(early, 5);
    run.record_to(60);
    CHECK(early.last_step() == 5);
    CHECK(snapshot(early, 5) == end);
    CHECK(snapshot(run.view().lanes[0], 3) == before);
  }
}

TEST_CASE("a branch has the bits of a fresh run with that token forced") {
  for (const ModelConfig& config : {tiny_heads(6, 2, 10, 4), tiny_latent()}) {
    RecordedRun run({random_lane(config)}, "");
    run.record_to(12);
    run.run_without_cache(8).run_without_cache(14);
    const int32_t other = run.view().lanes[0].steps[4].likeliest[2].token;
    run.recorder(0).branch(4, other);
    CHECK(run.view().lanes[0].last_step() == 4);
    CHECK(run.view().lanes[0].without_cache.size() == 1);
    CHECK(run.view().lanes[0].store->queries(0, 5 + 4).empty());
    run.record_to(20);
    const LaneView branched = run.view().lanes[0];
    CHECK(branched.tokens[5 + 4] == other);

    // The same model, for which step 4 comes by the only way: the token is forced where it would not have been chosen.
    RecordedRun fresh({random_lane(config)}, "");
    fresh.record_to(4);
    fresh.recorder(0).branch(4, other);
    fresh.record_to(20);
    CHECK(snapshot(branched, 20) == snapshot(fresh.view().lanes[0], 20));

    // And without a recorder: the branch's tokens as one prompt.
    cpu::KvCache cache(config, 64, Dtype::bf16);
    const auto logits = cpu::prefill<float>({branched.config(), branched.facts->model->weights}, branched.tokens, cache,
                                            cpu::LatentForm::absorbed, cpu::LogitRows::last, cpu::Run{run.team()});
    CHECK(likeliest_of({logits.data(), static_cast<size_t>(logits.cols())}, {})[0].probability ==
          branched.steps.back().likeliest[0].probability);
  }
}

TEST_CASE("branching refuses steps and tokens that are not there, and leaves the lane as it was") {
  RecordedRun run({random_lane(tiny_heads(6, 2, 10))}, "");
  CHECK_THROWS_AS(run.recorder(0).branch(0, 3), std::out_of_range);  // the prompt is not read
  run.record_to(3);
  const Snapshot before = snapshot(run.view().lanes[0], 3);
  CHECK_THROWS_AS(run.recorder(0).branch(4, 3), std::out_of_range);
  CHECK_THROWS_AS(run.recorder(0).branch(-1, 3), std::out_of_range);
  CHECK_THROWS_AS(run.recorder(0).branch(2, 53), std::invalid_argument);
  CHECK_THROWS_AS(run.recorder(0).branch(2, -1), std::invalid_argument);
  CHECK(snapshot(run.view().lanes[0], 3) == before);
}

TEST_CASE("candidates are the five likeliest that are not excluded, ties to the lowest id") {
  const std::vector<float> logits = {1, 3, 2, 3, -INFINITY, 0, 5, 2};
  const auto likeliest = likeliest_of(logits, std::vector<int32_t>{6, 99, -4});
  const int32_t expected[] = {1, 3, 2, 7, 0};
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit));
  for (size_t i = 0; i < kCandidates; ++i) {
    CHECK(likeliest[i].token == expected[i]);
    const double share = std::exp(static_cast<double>(logits[static_cast<size_t>(expected[i])])) / total;
    CHECK(likeliest[i].probability == doctest::Approx(share).epsilon(1e-12));
  }
  const auto few = likeliest_of(std::vector<float>{1, 2, 3}, std::vector<int32_t>{0});
  CHECK(few[0].token == 2);
  CHECK(few[1].token == 1);
  CHECK(few[2].token == -1);
  CHECK_THROWS_AS(likeliest_of(std::vector<float>{1, NAN}, {}), std::invalid_argument);
  CHECK_THROWS_AS(likeliest_of(std::vector<float>{1, 2}, std::vector<int32_t>{0, 1}), std::invalid_argument);
}

TEST_CASE("end tokens are never chosen: a lane writes until it is full, and says so") {
  RecordedRun full = four_full_models();
  for (const LaneView& lane : full.view().lanes) {
    CHECK(lane.stopped == "24 of 24: the cache is full");
    CHECK_FALSE(lane.failed);
    CHECK(lane.context_at(1000) == 24);
    const auto written = lane.tokens.subspan(lane.facts->prompt.size());
    for (const int64_t end : lane.config().end_tokens) CHECK(std::count(written.begin(), written.end(), end) == 0);
  }
  CHECK_FALSE(full.recorder(0).advance(full.team()));
  // A branch makes room again.
  full.recorder(0).branch(2, full.view().lanes[0].steps[2].likeliest[1].token);
  CHECK(full.view().lanes[0].stopped.empty());
  full.record_to(1000);
  CHECK(full.view().lanes[0].stopped == "24 of 24: the cache is full");
}

TEST_CASE("a lane that fails keeps what it has and tells the error; the others go on") {
  const RecordedRun run = one_failing_lane(10);
  const RunView view = run.view();
  CHECK(view.lanes[1].failed);
  CHECK(view.lanes[1].last_step() == 4);
  CHECK(names(view.lanes[1].stopped, "exceed the model's context of 9"));
  for (const size_t other : {size_t{0}, size_t{2}, size_t{3}}) {
    CHECK(view.lanes[other].last_step() == 10);
    CHECK(view.lanes[other].stopped.empty());
  }
  CHECK(view.last_step() == 10);
}

TEST_CASE("logits that are no numbers stop a lane while it reads its prompt") {
  auto facts = std::make_shared<LaneFacts>(*random_lane(tiny_heads(6, 2, 10)));
  auto model = std::make_shared<LoadedModel>(*facts->model);
  const OwnedWeight nan(cpu::Matrix<float>::Constant(1, 44, NAN), Dtype::f32);
  model->weights.final_norm = nan.view;
  facts->model = model;
  RecordedRun run({facts}, "");
  CHECK_FALSE(run.recorder(0).advance(run.team()));
  const LaneView lane = run.view().lanes[0];
  CHECK(lane.failed);
  CHECK(names(lane.stopped, "logit of token 0 is nan"));
  CHECK(lane.last_step() == -1);
}

TEST_CASE("a prompt that does not fit is refused with both numbers; so is none") {
  const ModelConfig config = tiny_heads(6, 2, 10);
  const auto message = [&](int64_t tokens) {
    return error_of<std::invalid_argument>([&] { Recorder(random_lane(config, 8, random_tokens(config, tokens))); });
  };
  CHECK(names(message(9), "tiny", "9", "8"));
  CHECK(names(message(0), "tiny", "empty"));
  CHECK(message(8) == "(no error)");
}

TEST_CASE("no more steps than were asked for") {
  RecordedRun run({random_lane(tiny_heads(6, 2, 10))}, "", 7);
  run.record_to(6);
  CHECK(run.view().lanes[0].stopped.empty());
  run.record_to(7);  // the last says at once that it is
  CHECK(run.view().lanes[0].stopped == "7 steps were asked for");
  CHECK_FALSE(run.view().lanes[0].failed);
  run.record_to(1000);
  CHECK(run.view().lanes[0].last_step() == 7);
  run.recorder(0).branch(7, 3);  // makes no room
  CHECK_FALSE(run.recorder(0).lacks(8));
  run.recorder(0).branch(6, 3);
  CHECK(run.view().lanes[0].stopped.empty());
  run.record_to(1000);
  CHECK(run.view().lanes[0].last_step() == 7);
}

TEST_CASE("a lane says with its last step that its cache is full, also when the prompt fills it") {
  const ModelConfig config = tiny_heads(6, 2, 10);
  RecordedRun run({random_lane(config, 8, random_tokens(config, 6)), random_lane(config, 8, random_tokens(config, 8))},
                  "");
  run.record_to(1);
  CHECK(run.view().lanes[0].stopped.empty());
  CHECK(run.view().lanes[1].stopped == "8 of 8: the cache is full");
  run.record_to(2);
  CHECK(run.view().lanes[0].stopped == "8 of 8: the cache is full");
}

TEST_CASE("short steps are timed three times, and the counts are those of one") {
  RecordedRun run({random_lane(tiny_heads(6, 2, 10))}, "");
  run.record_to(3);
  const LaneView lane = run.view().lanes[0];
  for (int64_t s = 1; s <= 3; ++s) {
    const Step& step = lane.steps[static_cast<size_t>(s)];
    CHECK(step.time.least > 0);
    CHECK(step.time.least <= step.time.median);
    CHECK(step.time.median <= step.time.most);
    CHECK(step.time.takes >= 1);
    CHECK(step.time.takes <= 3);
    CHECK(step.counted.kv_projections == 3);
  }
}

TEST_CASE("a step without the cache is counted at its context, and the runs stand in order") {
  RecordedRun run({random_lane(tiny_heads(6, 2, 10))}, "");
  run.record_to(20);
  run.run_without_cache(16).run_without_cache(8).run_without_cache(16).run_without_cache(25);
  const LaneView lane = run.view().lanes[0];
  REQUIRE(lane.without_cache.size() == 3);
  CHECK(lane.without_cache[0].context == 8);
  CHECK(lane.without_cache[1].context == 16);
  CHECK(lane.without_cache[2].context == 25);
  CHECK(lane.without_cache[1].counted.kv_projections == 3 * 16);
  CHECK(lane.without_cache[1].counted.cache_bytes_read == 0);
  CHECK(lane.without_cache[1].time.median > 0);
  CHECK_THROWS_AS(run.run_without_cache(26), std::out_of_range);
}

TEST_CASE("ten thousand steps take no memory beyond what was reserved, and no view moves") {
  ModelConfig config = tiny_heads(2, 1, 6);
  config.layers = 1;
  config.max_context = 16384;
  config.layer_cache = {LayerCache::per_head(1, 6, 6, 8)};
  RecordedRun run({random_lane(config, 10'006)}, "");
  run.record_to(10);
  const LaneView early = run.view().lanes[0];
  const auto used = [] { return mallinfo2().uordblks; };
  const size_t before = used();
  run.record_to(10'000);
  const size_t after = used();
  const LaneView late = run.view().lanes[0];
  CHECK(late.last_step() == 10'000);
  CHECK(late.tokens.data() == early.tokens.data());
  CHECK(late.steps.data() == early.steps.data());
  CHECK(late.store->keys(0).data == early.store->keys(0).data);
  CHECK(late.store->queries(0, 10).data() == early.store->queries(0, 10).data());
  // One step's odds and ends, against a million bytes if each step left a hundred. (Sanitizers have allocators of their
  // own, which count nothing here and find leaks by themselves.)
  CHECK(after < before + 10'000);
  run.record_to(20'000);
  CHECK(run.view().lanes[0].stopped == "10,006 of 10,006: the cache is full");
}

TEST_SUITE_END();

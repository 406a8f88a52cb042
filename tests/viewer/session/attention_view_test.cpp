#include "viewer/session/attention_view.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cpu_reference/attention.h"
#include "cpu_reference/latent_attention.h"
#include "tests/support/viewer_runs.h"
#include "viewer/session/kv_store.h"

using namespace kv;
using namespace kv::test;
using namespace kv::viewer;

namespace {

// What attention had, in a run of its own on the model's own cache, with rings where it has windows: weights of each
// step and layer that differ from those that are computed from the recording.
int differing_layers(const LaneView& lane, cpu::LatentForm form, int64_t every) {
  cpu::Team team(1);
  const ModelConfig& config = lane.config();
  const cpu::Model model{config, lane.facts->model->weights};
  cpu::KvCache cache(config, lane.facts->capacity, lane.facts->cache_dtype, std::ssize(lane.facts->prompt));
  int differ = 0;
  for (int64_t s = 0; s <= lane.last_step(); ++s) {
    const Step& step = lane.steps[static_cast<size_t>(s)];
    Trace trace({"attention_weights"});
    cpu::prefill<float>(model,
                        lane.tokens.subspan(static_cast<size_t>(step.first_position), static_cast<size_t>(step.tokens)),
                        cache, form, cpu::LogitRows::none, cpu::Run{team, &trace});
    if (s % every != 0) continue;
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      const TracedTensor& traced = trace.tensor(0, "layer." + std::to_string(layer) + ".attention_weights");
      const AttentionWeights weights = attention_weights(lane, s, layer, form);
      const std::span<const double> last(traced.values.end() - weights.heads * weights.context, traced.values.end());
      differ += weights.context != step.context() || weights.heads != config.heads ||
                !std::equal(last.begin(), last.end(), weights.values.begin(), weights.values.end(),
                            [](double then, float now) { return static_cast<float>(then) == now; });
    }
  }
  return differ;
}

// Of a step's last row, [1, heads * value_head_dim], from all heads together.
cpu::Matrix<float> outputs_of_all_heads(const LaneView& lane, int64_t step, int64_t layer, cpu::LatentForm form) {
  const int64_t position = lane.context_at(step) - 1;
  const std::span<const float> queries = lane.store->queries(layer, position);
  cpu::Team alone;
  return cpu::attend_latent<float>(form, {queries.data(), 1, std::ssize(queries), std::ssize(queries)},
                                   lane.store->latents(layer),
                                   lane.facts->model->weights.layers[static_cast<size_t>(layer)].latent_up,
                                   lane.config(), position, cpu::Run{alone});
}

}  // namespace

TEST_SUITE_BEGIN("viewer/session");

TEST_CASE("attention weights from a recording are those of the run, bit for bit, in the four models") {
  const RecordedRun run = four_models(12);
  for (const LaneView& lane : run.view().lanes) CHECK(differing_layers(lane, cpu::LatentForm::absorbed, 3) == 0);
}

TEST_CASE("so they are past a window, with a ring that has wrapped") {
  CHECK(differing_layers(window_model(30).view().lanes[0], cpu::LatentForm::absorbed, 1) == 0);
}

TEST_CASE("materialised latent attention too, where queries come from a run in that form") {
  // The recording runs absorbed. Layer 0's queries and latents are the same in either form, being made from the
  // embedding; further layers differ by rounding, and with them what they attend to.
  const RecordedRun run = four_models(6);
  const LaneView lane = run.view().lanes[3];
  REQUIRE(lane.config().has_latent_attention());
  cpu::Team team(1);
  const ModelConfig& config = lane.config();
  for (int64_t s = 0; s <= lane.last_step(); ++s)
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      // What the run would have had in that form, from what it had then: traced in attend itself.
      const int64_t position = lane.context_at(s) - 1;
      const auto queries = lane.store->queries(layer, position);
      Trace trace({"attention_weights"});
      trace.begin_call(position, 1, config.layers);
      cpu::attend_materialised<float>({queries.data(), 1, std::ssize(queries), std::ssize(queries)},
                                      lane.store->latents(layer),
                                      lane.facts->model->weights.layers[static_cast<size_t>(layer)].latent_up, config,
                                      position, cpu::Run{team, &trace}.in_layer(layer));
      const TracedTensor& then = trace.tensor(0, "layer." + std::to_string(layer) + ".attention_weights");
      const AttentionWeights now = attention_weights(lane, s, layer, cpu::LatentForm::materialised);
      CHECK(std::equal(then.values.begin(), then.values.end(), now.values.begin(), now.values.end(),
                       [](double a, float b) { return static_cast<float>(a) == b; }));
    }
}

TEST_CASE("each head's weights sum to 1, and none lies before the window") {
  const RecordedRun run = window_model(30);
  const LaneView lane = run.view().lanes[0];
  for (const int64_t step : {0, 3, 30})
    for (int64_t layer = 0; layer < 3; ++layer) {
      const AttentionWeights weights = attention_weights(lane, step, layer);
      const int64_t context = 7 + step;
      CHECK(weights.context == context);
      CHECK(weights.first_seen == std::max<int64_t>(0, context - 5));
      for (int64_t head = 0; head < weights.heads; ++head) {
        double sum = 0;
        for (int64_t position = 0; position < context; ++position) {
          if (position < weights.first_seen) CHECK(weights.at(head, position) == 0);
          sum += weights.at(head, position);
        }
        CHECK(std::abs(sum - 1) <= 1e-6);
      }
    }
}

TEST_CASE("the forms of latent attention differ by rounding, and by something") {
  const RecordedRun run = four_models(8);
  const LaneView lane = run.view().lanes[3];
  const ModelConfig& config = lane.config();
  float largest = 0;
  for (int64_t layer = 0; layer < 4; ++layer) {
    const cpu::Matrix<float> absorbed = outputs_of_all_heads(lane, 8, layer, cpu::LatentForm::absorbed);
    const cpu::Matrix<float> materialised = outputs_of_all_heads(lane, 8, layer, cpu::LatentForm::materialised);
    for (int64_t head = 0; head < config.heads; ++head) {
      const FormDifference found = difference_of_forms(lane, 8, layer, head);
      const auto of_head = [&](const cpu::Matrix<float>& all) {
        return all.middleCols(head * config.value_head_dim, config.value_head_dim).array();
      };
      CHECK(found.largest_difference == (of_head(absorbed) - of_head(materialised)).abs().maxCoeff());
      CHECK(found.largest_output == of_head(absorbed).abs().maxCoeff());
      CHECK(found.largest_output > 0);
      CHECK(found.largest_difference <= 1e-5f * absorbed.array().abs().maxCoeff());
      largest = std::max(largest, found.largest_difference);
    }
    const AttentionWeights a = attention_weights(lane, 8, layer, cpu::LatentForm::absorbed),
                           m = attention_weights(lane, 8, layer, cpu::LatentForm::materialised);
    for (size_t i = 0; i < a.values.size(); ++i) CHECK(std::abs(a.values[i] - m.values[i]) <= 1e-5);
  }
  CHECK(largest > 0);
}

TEST_CASE("steps, layers and forms that are not there are refused") {
  const RecordedRun run = window_model(3);
  const LaneView lane = run.view().lanes[0];
  CHECK_THROWS_AS(attention_weights(lane, 4, 0), std::out_of_range);
  CHECK_THROWS_AS(attention_weights(lane, -1, 0), std::out_of_range);
  CHECK_THROWS_AS(attention_weights(lane, 0, 3), std::out_of_range);
  CHECK_THROWS_AS(difference_of_forms(lane, 0, 0, 0), std::invalid_argument);
  const RecordedRun four = four_models(1);
  const LaneView latent = four.view().lanes[3];
  CHECK_THROWS_AS(difference_of_forms(latent, 0, 0, latent.config().heads), std::out_of_range);
  CHECK_THROWS_AS(difference_of_forms(latent, 0, 0, -1), std::out_of_range);
}

TEST_CASE("positions by slot are what lies in a real ring") {
  // A window of 5 on layers 0 and 2; rings of 4 + 512 slots, of which 700 positions fill some twice.
  const TinyModel tiny(tiny_heads(6, 2, 10, 5));
  cpu::Team team(1);
  const cpu::Run run{team};
  const int64_t capacity = 800;
  cpu::KvCache ring(tiny.config, capacity, Dtype::f32);
  REQUIRE(ring.layout().slots(0) == 516);
  REQUIRE(ring.layout().slots(1) == capacity);
  int64_t stored = 0;
  for (const int64_t context : {1, 5, 300, 515, 516, 517, 700}) {
    // Every row holds its own position.
    for (; stored < context; ++stored) {
      const cpu::Matrix<float> row = cpu::Matrix<float>::Constant(1, 20, static_cast<float>(stored));
      for (int64_t layer = 0; layer < 3; ++layer) ring.append<float>(layer, row, row, run);
      ring.advance(1);
    }
    for (int64_t layer = 0; layer < 3; ++layer) {
      const std::vector<int64_t> positions = positions_by_slot(ring.layout(), layer, context);
      REQUIRE(std::ssize(positions) == ring.layout().slots(layer));
      const cpu::Matrix<float> rows = cpu::read_rows<float>(ring.keys(layer), 1, 0, std::ssize(positions));
      int differ = 0;
      for (int64_t slot = 0; slot < rows.rows(); ++slot) {
        const auto position = static_cast<float>(positions[static_cast<size_t>(slot)]);
        // What was never written is a NaN.
        for (int64_t d = 0; d < 10; ++d)
          differ += position < 0 ? !std::isnan(rows(slot, d)) : rows(slot, d) != position;
      }
      CHECK(differ == 0);
    }
  }
}

TEST_SUITE_END();

#include "viewer/session/kv_store.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/viewer_runs.h"

using namespace kv;
using namespace kv::test;
using namespace kv::viewer;

TEST_SUITE_BEGIN("viewer/session");

TEST_CASE("a layer stores K and V of every KV head, or one latent and one rope key") {
  const KvStore heads(tiny_heads(6, 2, 10), 8, Dtype::bf16), latent(tiny_latent(), 8, Dtype::f32);
  CHECK(heads.roles(1) == std::vector<Role>{Role::key, Role::value});
  CHECK(heads.heads(1, Role::value) == 2);
  CHECK(heads.dim(1, Role::key) == 10);
  CHECK(latent.roles(0) == std::vector<Role>{Role::latent, Role::rope_key});
  CHECK(latent.heads(0, Role::latent) == 1);
  CHECK(latent.dim(0, Role::latent) == 20);
  CHECK(latent.dim(0, Role::rope_key) == 8);
  CHECK_THROWS_AS(heads.dim(0, Role::latent), std::out_of_range);
  CHECK_THROWS_AS(heads.vector(0, Role::key, 2, 0), std::out_of_range);
  CHECK_THROWS_AS(heads.vector(0, Role::key, 0, 8), std::out_of_range);
}

TEST_CASE("a layer that reads another's cache stores nothing of its own; the rows that it reads are the other's") {
  ModelConfig config = tiny_heads(6, 2, 10);
  config.layer_cache[2] = LayerCache::shared_with(0);
  const KvStore store(config, 8, Dtype::bf16);
  CHECK(store.roles(2).empty());
  CHECK(store.keys(2).data == store.keys(0).data);
}

TEST_CASE("every stored vector is what the model computed, rounded to the cache's type, and its RMS is its own") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
    for (const ModelConfig& config : {tiny_heads(6, 2, 10, 4), tiny_latent()}) {
      RecordedRun run({random_lane(config, 64, {5, 17, 3, 42, 8}, dtype)}, "");
      run.record_to(7);
      const LaneView lane = run.view().lanes[0];
      // The same tokens in one piece, with a ring where the model has a window, and everything that was computed.
      Trace trace(Trace::Keep::counters_and_tensors);
      cpu::KvCache cache(config, 64, dtype);
      cpu::prefill<float>({lane.config(), lane.facts->model->weights}, lane.tokens, cache, cpu::LatentForm::absorbed,
                          cpu::LogitRows::none, cpu::Run{run.team(), &trace});
      const std::vector<std::pair<Role, std::string>> names = {
          {Role::key, "keys"}, {Role::value, "values"}, {Role::latent, "latents"}, {Role::rope_key, "rope_keys"}};
      int differ = 0;
      for (int64_t layer = 0; layer < config.layers; ++layer)
        for (const auto& [role, name] : names) {
          const auto roles = lane.store->roles(layer);
          if (std::find(roles.begin(), roles.end(), role) == roles.end()) continue;
          const TracedTensor& made = trace.tensor(0, "layer." + std::to_string(layer) + "." + name);
          const int64_t heads = lane.store->heads(layer, role), dim = lane.store->dim(layer, role);
          float largest = 0;
          for (int64_t position = 0; position < std::ssize(lane.tokens); ++position) {
            for (int64_t head = 0; head < heads; ++head) {
              const std::vector<float> stored = lane.store->vector(layer, role, head, position);
              double squares = 0;
              for (int64_t d = 0; d < dim; ++d) {
                const auto computed =
                    static_cast<float>(made.values[static_cast<size_t>((position * heads + head) * dim + d)]);
                std::byte bytes[4];
                cpu::store_row(bytes, dtype, &computed, 1);
                const cpu::StoredRows one{bytes, dtype, 1, 1, 1, 1, 1, false};
                differ += cpu::read_rows<float>(one, 0, 0, 1)(0, 0) != stored[static_cast<size_t>(d)];
                squares += static_cast<double>(stored[static_cast<size_t>(d)]) * stored[static_cast<size_t>(d)];
              }
              const auto rms = static_cast<float>(std::sqrt(squares / static_cast<double>(dim)));
              differ += lane.store->rms(layer, role, head, position) != rms;
              largest = std::max(largest, rms);
            }
            differ += lane.store->largest_rms(layer, role, position + 1) != largest;
          }
          CHECK(lane.store->largest_rms(layer, role, 0) == 0);
          CHECK(largest > 0);
        }
      CHECK(differ == 0);
    }
}

TEST_CASE("queries are kept of the last row of each step, and of no other position") {
  RecordedRun run({random_lane(tiny_heads(6, 2, 10), 64)}, "");
  run.record_to(3);
  const LaneView lane = run.view().lanes[0];
  for (int64_t position = 0; position < 3; ++position) CHECK(lane.store->queries(1, position).empty());
  for (int64_t position = 4; position < 8; ++position) CHECK(lane.store->queries(1, position).size() == 60);
  CHECK(lane.store->queries(1, 8).empty());

  Trace trace({"queries"});
  cpu::KvCache cache(lane.config(), 64, Dtype::bf16);
  cpu::prefill<float>({lane.config(), lane.facts->model->weights}, lane.tokens, cache, cpu::LatentForm::absorbed,
                      cpu::LogitRows::none, cpu::Run{run.team(), &trace});
  const std::vector<double>& all = trace.tensor(0, "layer.1.queries").values;
  for (int64_t position = 4; position < 8; ++position) {
    const auto kept = lane.store->queries(1, position);
    CHECK(std::equal(kept.begin(), kept.end(), all.begin() + position * 60));
  }
}

TEST_SUITE_END();

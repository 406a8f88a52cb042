#include "cpu_reference/kv_cache.h"

#include <doctest/doctest.h>

#include <set>

#include "model/error.h"
#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

namespace {

Team team(1);
const Run run{team};

// Appends `tokens` rows of distinct values to every layer.
void append_rows(KvCache& cache, const ModelConfig& config, int64_t tokens) {
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const LayerCache& kept = config.layer_cache[static_cast<size_t>(layer)];
    Matrix<float> keys(tokens, kept.kv_heads * kept.key_head_dim), values(tokens, kept.kv_heads * kept.value_head_dim);
    for (int64_t t = 0; t < tokens; ++t) {
      keys.row(t).setConstant(static_cast<float>(cache.length() + t));
      values.row(t).setConstant(-static_cast<float>(cache.length() + t));
    }
    cache.append<float>(layer, keys, values, run);
  }
  cache.advance(tokens);
}

}  // namespace

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("every (layer, kind, head, slot, dim) has a place of its own, and together they fill the arena") {
  ModelConfig config = tiny_heads(6, 2, 10, 5);
  config.layer_cache[1] = LayerCache::per_head(3, 10, 14);
  const KvLayout layout(config, 17, 4);
  std::set<int64_t> seen;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const LayerCache& kept = config.layer_cache[static_cast<size_t>(layer)];
    for (int64_t head = 0; head < kept.kv_heads; ++head)
      for (int64_t slot = 0; slot < layout.slots(layer); ++slot) {
        for (int64_t d = 0; d < kept.key_head_dim; ++d) seen.insert(layout.key(layer, head, slot) + d);
        for (int64_t d = 0; d < kept.value_head_dim; ++d) seen.insert(layout.value(layer, head, slot) + d);
      }
  }
  CHECK(static_cast<int64_t>(seen.size()) == layout.size());
  CHECK(*seen.begin() == 0);
  CHECK(*seen.rbegin() == layout.size() - 1);
  CHECK(layout.slots(0) == 8);   // window 5: 4 earlier positions and a call of 4
  CHECK(layout.slots(1) == 17);  // no window: the capacity
  CHECK(layout.slot(0, 13) == 5);
}

TEST_CASE("offsets are 64-bit: the last row of a cache of 5 billion values") {
  ModelConfig config = tiny_heads(8, 8, 128);
  const KvLayout layout(config, 1000000, 512);
  CHECK(layout.size() == int64_t{3} * 1000000 * 8 * 256);
  CHECK(layout.value(2, 7, 999999) == layout.size() - 128);
}

TEST_CASE("layers that share store nothing of their own and read what their source stored") {
  ModelConfig config = tiny_heads(4, 2, 10);
  config.layer_cache[2] = LayerCache::shared_with(1);
  KvCache cache(config, 8, Dtype::f32);
  CHECK(cache.layout().size() == 2 * 8 * 2 * 20);
  CHECK(cache.keys(2).data == cache.keys(1).data);
  CHECK(config.cache_values_per_token() == 2 * 2 * 20);
}

TEST_CASE("values are converted to the storage type, not re-labelled: 1.0 and infinity come back") {
  const ModelConfig config = tiny_heads(2, 2, 8);
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16}) {
    KvCache cache(config, 4, dtype);
    Matrix<float> rows = Matrix<float>::Ones(2, 16);
    rows(1, 3) = std::numeric_limits<float>::infinity();
    cache.append<float>(0, rows, rows, run);
    const Matrix<float> back = read_rows<float>(cache.keys(0), 0, 0, 2);
    CHECK(back(0, 0) == 1.0f);
    CHECK(back(1, 3) == std::numeric_limits<float>::infinity());
    CHECK(read_rows<float>(cache.values(0), 1, 0, 2)(1, 7) == 1.0f);
  }
}

TEST_CASE("what was never written reads as NaN") {
  KvCache cache(tiny_heads(2, 2, 8), 4, Dtype::bf16);
  CHECK(read_rows<float>(cache.keys(1), 1, 2, 3).array().isNaN().all());
}

TEST_CASE("the cache accepts exactly its capacity, refuses one more with both numbers, and works on") {
  const ModelConfig config = tiny_heads(4, 2, 10);
  KvCache cache(config, 16, Dtype::f32);
  append_rows(cache, config, 15);
  append_rows(cache, config, 1);
  CHECK(cache.length() == 16);
  const Matrix<float> row = Matrix<float>::Constant(1, 20, 99.0f);
  CHECK_THROWS_WITH_AS(cache.append<float>(0, row, row, run),
                       "the cache is full: it holds 16 of 16 tokens and 1 more was asked for", CacheFull);
  CHECK_THROWS_AS(cache.advance(1), CacheFull);
  CHECK(cache.length() == 16);
  CHECK(read_rows<float>(cache.keys(0), 1, 15, 16)(0, 0) == 15.0f);
  cache.reset();
  CHECK(cache.length() == 0);
  CHECK(cache.kv_bytes() == 0);
  append_rows(cache, config, 3);
  CHECK(cache.length() == 3);
}

TEST_CASE("a step that fails half-way leaves the length as it was") {
  const ModelConfig config = tiny_heads(4, 2, 10);
  KvCache cache(config, 16, Dtype::f32);
  append_rows(cache, config, 5);
  const Matrix<float> good = Matrix<float>::Zero(1, 20), bad = Matrix<float>::Zero(1, 19);
  cache.append<float>(0, good, good, run);
  CHECK_THROWS_AS(cache.append<float>(1, good, bad, run), std::invalid_argument);
  CHECK(cache.length() == 5);
}

TEST_CASE("a ring keeps what the window needs, and reads by position") {
  const ModelConfig config = tiny_heads(4, 2, 10, 6);
  KvCache cache(config, 100, Dtype::f32, 4);
  for (int step = 0; step < 12; ++step) append_rows(cache, config, 3);
  CHECK(cache.length() == 36);
  const Matrix<float> window = read_rows<float>(cache.keys(0), 1, 30, 36);
  for (int64_t i = 0; i < 6; ++i) CHECK(window(i, 0) == static_cast<float>(30 + i));
}

TEST_CASE("stored bytes count min(length, window), the allocation stands apart") {
  const ModelConfig config = tiny_heads(4, 2, 10, 6);  // layers 0 and 2 windowed, layer 1 full
  KvCache cache(config, 100, Dtype::bf16, 4);
  append_rows(cache, config, 4);
  CHECK(cache.kv_bytes() == 3 * 4 * 40 * 2);
  append_rows(cache, config, 4);
  CHECK(cache.kv_bytes() == (6 + 8 + 6) * 40 * 2);
  CHECK(cache.kv_bytes() == config.cache_bytes(8, Dtype::bf16));
  CHECK(cache.allocated_bytes() == (9 + 100 + 9) * 40 * 2);
}

TEST_CASE("a truncation that a ring cannot undo is an error, and one that it can is done") {
  const ModelConfig config = tiny_heads(4, 2, 10, 6);
  KvCache cache(config, 100, Dtype::f32, 4);  // rings of 9
  for (int step = 0; step < 10; ++step) append_rows(cache, config, 4);
  cache.truncate(36);  // the ring holds 31 .. 39, the next token needs 31 .. 35
  CHECK(cache.length() == 36);
  CHECK_THROWS_AS(cache.truncate(35), std::invalid_argument);
  CHECK(cache.length() == 36);
  append_rows(cache, config, 1);
  CHECK(read_rows<float>(cache.keys(0), 0, 36, 37)(0, 0) == 36.0f);
  CHECK_THROWS_AS(cache.truncate(38), std::invalid_argument);
  CHECK_THROWS_AS(cache.truncate(-1), std::invalid_argument);
  cache.truncate(0);
  append_rows(cache, config, 2);
  CHECK(cache.length() == 2);
}

TEST_CASE("latent layers store latent_dim + rope_dim values a token and nothing more") {
  const ModelConfig config = tiny_latent();
  KvCache cache(config, 10, Dtype::bf16);
  CHECK(cache.allocated_bytes() == 3 * 10 * (20 + 8) * 2);
  const Matrix<float> latents = random_matrix(4, 20, "latents"), rope_keys = random_matrix(4, 8, "rope keys");
  cache.append_latent<float>(1, latents, rope_keys, run);
  const Matrix<float> back = read_rows<float>(cache.latents(1), 0, 0, 4);
  CHECK(back(3, 19) == from_bf16(to_bf16(latents(3, 19))));
  CHECK(back(3, 20) == from_bf16(to_bf16(rope_keys(3, 0))));
}

TEST_CASE("a copy of a cache is a cache of its own") {
  const ModelConfig config = tiny_heads(4, 2, 10);
  KvCache cache(config, 8, Dtype::f32);
  append_rows(cache, config, 3);
  KvCache copy = cache;
  append_rows(copy, config, 2);
  CHECK(cache.length() == 3);
  CHECK(copy.length() == 5);
  CHECK(copy.keys(0).data != cache.keys(0).data);
}

TEST_CASE("capacities and calls of no tokens are refused") {
  CHECK_THROWS_AS(KvCache(tiny_heads(2, 2, 8), 0, Dtype::f32), std::invalid_argument);
  CHECK_THROWS_AS(KvCache(tiny_heads(2, 2, 8), 4, Dtype::f32, 0), std::invalid_argument);
}

TEST_SUITE_END();

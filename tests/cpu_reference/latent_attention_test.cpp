#include "cpu_reference/latent_attention.h"

#include <doctest/doctest.h>

#include "tests/support/compare.h"
#include "tests/support/tiny_models.h"

using namespace kv;
using namespace kv::cpu;
using namespace kv::test;

TEST_SUITE_BEGIN("cpu_reference");

TEST_CASE("absorbed and materialised attention agree: 1e-12 in double, 1e-5 of the scale in float") {
  Team team(2, 1);
  const Run run{team};
  for (const int64_t context : {2, 9, 17, 530}) {
    const TinyModel tiny(tiny_latent());
    const WeightMatrix& up = tiny.weights.layers[0].latent_up;
    const int64_t tokens = std::min<int64_t>(context, 4), past = context - tokens;
    const Matrix<double> stored = random_matrix<double>(context, 28, "stored");
    const Matrix<double> queries = random_matrix<double>(tokens, 5 * 22, "queries");
    const StoredBlock wide(Rows<double>(stored), 1, Dtype::f64);
    const Matrix<double> a = attend_absorbed<double>(queries, wide.view(), up, tiny.config, past, run);
    const Matrix<double> m = attend_materialised<double>(queries, wide.view(), up, tiny.config, past, run);
    CHECK(worst_error(a, m) <= 1e-12);

    const StoredBlock narrow(Rows<double>(stored), 1, Dtype::f32);
    const Matrix<float> q = queries.cast<float>();
    const Matrix<float> af = attend_absorbed<float>(q, narrow.view(), up, tiny.config, past, run);
    const Matrix<float> mf = attend_materialised<float>(q, narrow.view(), up, tiny.config, past, run);
    CHECK(worst_error(af, mf) <= 1e-5 * scale_of(a));
    CHECK(worst_error(af, a) <= 1e-5 * scale_of(a));
  }
}

TEST_CASE("the forms agree through whole models, with and without a query latent: 1e-12 in double, 1e-5 in float") {
  Team team(1);
  const Run run{team};
  for (const int64_t query_latent : {0, 12}) {
    const TinyModel tiny(tiny_latent(query_latent));
    const auto tokens = random_tokens(tiny.config, 21);
    const auto logits = [&]<class Scalar>(Scalar, LatentForm form, Dtype dtype) {
      return forward_without_cache<Scalar>(tiny.model(), tokens, dtype, form, LogitRows::all, run);
    };
    const Matrix<double> a = logits(0.0, LatentForm::absorbed, Dtype::f64),
                         m = logits(0.0, LatentForm::materialised, Dtype::f64);
    CHECK(worst_error(a, m) <= 1e-12 * scale_of(a));
    CHECK(worst_error(logits(0.0f, LatentForm::absorbed, Dtype::f32),
                      logits(0.0f, LatentForm::materialised, Dtype::f32)) <= 1e-5 * scale_of(a));
  }
}

TEST_CASE("work and bytes of the two forms, counted") {
  Team team(2, 1);
  const TinyModel tiny(tiny_latent());
  const LatentConfig& latent = tiny.config.latent;
  const int64_t heads = 5, nope = latent.nope_dim, rope = latent.rope_dim, dim = latent.latent_dim, value = 18;
  const int64_t context = 9, past = 8;  // one query over nine stored tokens
  const WeightMatrix& up = tiny.weights.layers[0].latent_up;
  StoredBlock block(Rows<float>(random_matrix(context, dim + rope, "stored")), 1, Dtype::bf16);
  StoredRows stored = block.view();
  stored.cached = true;
  const Matrix<float> query = random_matrix(1, heads * (nope + rope), "query");
  Counters absorbed, materialised;
  Run run{team};
  run.counters = &absorbed;
  attend_absorbed<float>(query, stored, up, tiny.config, past, run);
  run.counters = &materialised;
  attend_materialised<float>(query, stored, up, tiny.config, past, run);
  CHECK(absorbed.matmul_flops ==
        static_cast<uint64_t>(2 * heads * (nope * dim + value * dim + context * (2 * dim + rope))));
  CHECK(materialised.matmul_flops ==
        static_cast<uint64_t>(2 * heads * (context * dim * (nope + value) + context * (nope + rope + value))));
  for (const Counters& counters : {absorbed, materialised}) {
    CHECK(counters.weight_bytes == static_cast<uint64_t>(up.bytes()));
    CHECK(counters.cache_bytes_read == static_cast<uint64_t>(context * (dim + rope) * 2));
    CHECK(counters.score_pairs == 9);
  }
}

TEST_SUITE_END();

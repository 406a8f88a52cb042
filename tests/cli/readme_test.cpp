// The numbers of README.md that a run gives: they are compared with a run.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "model/counts.h"
#include "model/files/hf_config.h"
#include "model/parameters.h"
#include "tests/support/error_of.h"
#include "tests/support/process.h"
#include "tests/support/smollm2.h"
#include "tests/support/temporary_folder.h"

using kv::with_commas;
using kv::test::names;
using kv::test::read_whole_file;

namespace {

const std::filesystem::path kSource = KVLAB_SOURCE_DIR;

double flops_of_the_readme_run(const char* cache) {
  const auto run =
      kv::test::run_kvlab({"generate", "--model", "austen-mha", "--prompt", "It is a truth universally acknowledged",
                           "--tokens", "40", "--cache", cache, "--json"});
  REQUIRE(run.status == 0);
  double flops = 0;
  const nlohmann::json report = nlohmann::json::parse(run.out);
  for (const auto& part : report["counters"])
    flops += part["matmul_flops"].get<double>() + part["other_flops"].get<double>();
  return flops;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("README.md: what 40 tokens cost with the cache and without is what a run counts") {
    const double with = flops_of_the_readme_run("on"), without = flops_of_the_readme_run("off");
    CHECK(names(read_whole_file(kSource / "README.md"),
                fmt::format("does {:.0f} MFLOP with the cache and {:.2f} GFLOP without: {:.1f} times", with * 1e-6,
                            without * 1e-9, without / with)));
  }

  TEST_CASE("README.md and checkpoints/README.md: bytes a token and parameters follow from the configs") {
    const std::string readme = read_whole_file(kSource / "README.md");
    const std::string table = read_whole_file(kSource / "checkpoints/README.md");
    for (const char* name : {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"}) {
      const kv::ModelConfig config = kv::read_hf_config(kSource / "checkpoints" / name / "config.json");
      const std::string bytes = with_commas(config.cache_bytes(1, kv::Dtype::bf16));
      CHECK(names(readme, bytes + " B"));
      CHECK(names(table, fmt::format("| `{}` | {} |", name, bytes)));
      CHECK(names(table, fmt::format("| {} |", with_commas(kv::parameter_count(config)))));
    }
  }

  TEST_CASE("README.md: the size and the licence of the model that can be fetched are those that fetch states") {
    const std::string readme = read_whole_file(kSource / "README.md"), list = kv::test::run_kvlab({"fetch"}).out;
    CHECK(names(list, "92.9 MB download", "Apache-2.0", "HuggingFaceTB", "QuantFactory"));
    CHECK(names(readme, "92.9 MB", "Apache License 2.0", "HuggingFaceTB", "QuantFactory", "./kvlab fetch smollm2"));
  }

  TEST_CASE("README.md: what SmolLM2 keeps a token and at its full context") {
    const auto file = kv::test::smollm2_or_skip();
    if (!file) return;
    const auto run = kv::test::run_kvlab({"inspect", *file, "--json"});
    REQUIRE(run.status == 0);
    const nlohmann::json model = nlohmann::json::parse(run.out);
    const auto bytes = model["kv_bytes_per_token"].get<int64_t>();
    const double full_context = static_cast<double>(bytes) * model["max_context"].get<double>() / (1 << 20);
    CHECK(names(
        read_whole_file(kSource / "README.md"),
        fmt::format("{} query heads share {} KV heads in {} layers of head_dim {}: {} B a token in bf16, {} MiB at "
                    "its full context of {}",
                    model["heads"].get<int>(), model["kv_heads"].get<int>(), model["layers"].get<int>(),
                    model["key_head_dim"].get<int>(), with_commas(bytes), full_context,
                    with_commas(model["max_context"].get<int64_t>()))));
  }
}

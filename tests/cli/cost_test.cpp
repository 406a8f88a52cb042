#include <doctest/doctest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/commands.h"

using doctest::Approx;
using kv::test::check_fails;
using kv::test::Finished;
using kv::test::json_of;
using kv::test::names;
using kv::test::output_of;
using kv::test::run_kvlab;
using nlohmann::json;

namespace {

std::string output(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "cost");
  return output_of(arguments);
}

json document(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "cost");
  return json_of(arguments);
}

// The counters of a part of `kvlab generate` on a trained model.
json counted(const std::string& model, const std::string& prompt, const std::string& tokens, const std::string& cache,
             const char* part) {
  const Finished run = run_kvlab({"generate", "--model", model, "--raw-ids", "--prompt", prompt, "--tokens", tokens,
                                  "--cache", cache, "--weights", "f32", "--json"});
  REQUIRE_MESSAGE(run.status == 0, run.err);
  return json::parse(run.out)["counters"][part];
}

void check_same_counters(const json& predicted, const json& counters) {
  for (const auto& item : counters.items()) {
    CAPTURE(item.key());
    CHECK(predicted[item.key()] == item.value());
  }
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("what cost predicts is what generate counts, for a prompt and for a step, with the cache and without") {
    for (const char* model : {"austen-mha", "austen-gqa", "austen-mqa", "austen-mla"}) {
      CAPTURE(model);
      check_same_counters(document({model, "--phase", "prefill", "--context", "5", "--weights-dtype", "f32"}),
                          counted(model, "5,6,7,8,9", "1", "on", "prefill"));
      check_same_counters(document({model, "--context", "6", "--weights-dtype", "f32"}),
                          counted(model, "5,6,7,8,9", "2", "on", "decode"));
      check_same_counters(document({model, "--context", "6", "--weights-dtype", "f32", "--cache", "off"}),
                          counted(model, "5,6,7,8,9", "2", "off", "decode"));
    }
  }

  TEST_CASE("the operations add up to the sums, in JSON and in CSV") {
    const json cost = document({"deepseek-v2-lite", "--context", "8192"});
    for (const char* key : {"matmul_flops", "other_flops", "weight_bytes", "cache_bytes_read", "cache_bytes_written",
                            "activation_bytes", "kv_projections", "score_pairs"}) {
      int64_t sum = 0;
      for (const json& operation : cost["operations"]) sum += operation[key].get<int64_t>();
      CHECK(sum == cost[key]);
    }
    CHECK(cost["flops"] == cost["matmul_flops"].get<int64_t>() + cost["other_flops"].get<int64_t>());
    std::istringstream lines(output({"deepseek-v2-lite", "--context", "8192", "--csv"}));
    std::string head, line, last;
    std::getline(lines, head);
    CHECK(head ==
          "operation,matmul_flops,other_flops,weight_bytes,cache_bytes_read,cache_bytes_written,activation_bytes");
    size_t rows = 0;
    while (std::getline(lines, line)) {
      ++rows;
      last = line;
    }
    CHECK(rows == cost["operations"].size() + 1);
    CHECK(last.starts_with("sum," + std::to_string(cost["matmul_flops"].get<int64_t>()) + ","));
  }

  TEST_CASE("SmolLM2 at 2,048: 1,413 times as many FLOPs without the cache, 1.30 FLOPs a byte with it") {
    const json cost = document({"smollm2-135m", "--context", "2048"});
    CHECK(cost["ratio"].get<double>() == Approx(1413).epsilon(0.001));
    CHECK(cost["intensity"].get<double>() == Approx(1.30).epsilon(0.005));
    CHECK(cost["cache_outweighs_weights_at"] == 11677);
    CHECK(cost["absorb_below_queries"].is_null());
    CHECK(cost["kind"] == "predicted");
    CHECK(names(output({"smollm2-135m", "--context", "2048"}), "1,413 times", "1.30 FLOPs a byte", "11,677 tokens"));
  }

  TEST_CASE("latent attention has three forms, and says below how many queries it should absorb") {
    const json absorbed = document({"deepseek-v3", "--context", "8192"});
    const json expanded = document({"deepseek-v3", "--context", "8192", "--form", "expanded"});
    const json rebuilt = document({"deepseek-v3", "--context", "8192", "--form", "materialised"});
    CHECK(absorbed["form"] == "absorbed");
    CHECK(absorbed["cache_bytes_written"] == 70272);
    CHECK(expanded["cache_bytes_written"] == 4997120);
    CHECK(rebuilt["cache_bytes_read"] == absorbed["cache_bytes_read"]);
    CHECK(rebuilt["matmul_flops"].get<double>() > 10 * absorbed["matmul_flops"].get<double>());
    CHECK(absorbed["absorb_below_queries"].get<double>() == Approx(167).epsilon(0.005));
    CHECK(absorbed["without_cache_materialised"]["matmul_flops"].get<double>() <
          absorbed["without_cache"]["matmul_flops"].get<double>());
    CHECK(document({"llama-3.1-8b"})["form"].is_null());
  }

  TEST_CASE("a prefill in chunks reads the weights once in each") {
    const json whole = document({"llama-3.1-8b", "--phase", "prefill", "--context", "4096"});
    const json cut = document({"llama-3.1-8b", "--phase", "prefill", "--context", "4096", "--chunk", "512"});
    CHECK(cut["matmul_flops"] == whole["matmul_flops"]);
    CHECK(cut["weight_bytes"].get<double>() == Approx(8 * whole["weight_bytes"].get<double>()).epsilon(0.1));
    CHECK(cut["chunk"] == 512);
    CHECK(whole["chunk"].is_null());
  }

  TEST_CASE("on a device the longer of the two times is the floor, and numbers name their source") {
    const json decode = document({"llama-3.1-8b", "--context", "8192", "--gpu", "h100 sxm"});
    CHECK(decode["device"] == "H100 SXM");
    CHECK(decode["bytes_per_second"] == 3.35e12);
    CHECK(decode["bytes_per_second_kind"] == "published");
    CHECK(names(decode["bytes_per_second_source"].get<std::string>(), "NVIDIA H100 datasheet"));
    CHECK(decode["flops_per_second"] == 989.5e12);
    CHECK(decode["bound"] == "memory");
    CHECK(decode["seconds"].get<double>() == Approx(decode["memory_bytes"].get<double>() / 3.35e12));
    CHECK(decode["ridge"].get<double>() == Approx(989.5 / 3.35));
    const json prefill = document({"llama-3.1-8b", "--phase", "prefill", "--context", "8192", "--gpu", "h100"});
    CHECK(prefill["bound"] == "compute");
    CHECK(prefill["seconds"].get<double>() == Approx(prefill["matmul_flops"].get<double>() / 989.5e12));
  }

  TEST_CASE("the peak is that of the weights' format, and a number that is not known is null") {
    const auto peak = [](const char* gpu, const char* format) {
      return document({"gpt2", "--gpu", gpu, "--weights-dtype", format});
    };
    CHECK(peak("h100", "f32")["flops_per_second"] == 67e12);
    CHECK(peak("h100", "f8")["peak_dtype"] == "f8");
    CHECK(peak("a10", "f8")["peak_dtype"] == "bf16");
    const json m2 = peak("m2 ultra", "bf16");
    CHECK(m2["flops_per_second"].is_null());
    CHECK(m2["bound"].is_null());
    CHECK(m2["seconds"] == m2["memory_seconds"]);
    CHECK(names(output({"gpt2", "--gpu", "m2"}), "not known"));
  }

  TEST_CASE("a bandwidth and a peak can be given, alone or against a device's") {
    const json given = document({"gpt2", "--bandwidth", "53GB/s", "--peak", "290GFLOPS"});
    CHECK(given["bytes_per_second"] == 53e9);
    CHECK(given["bytes_per_second_kind"] == "given");
    CHECK(given["flops_per_second"] == 290e9);
    CHECK(given["memory_seconds"].get<double>() == Approx(given["memory_bytes"].get<double>() / 53e9));
    const json mixed = document({"gpt2", "--gpu", "h100", "--bandwidth", "2.5TB/s"});
    CHECK(mixed["bytes_per_second"] == 2.5e12);
    CHECK(mixed["bytes_per_second_kind"] == "given");
    CHECK(mixed["flops_per_second_kind"] == "published");
    CHECK(document({"gpt2", "--bandwidth", "1e9"})["flops_per_second"].is_null());
  }

  TEST_CASE("this machine is measured, and says so") {
    const json cost = document({"smollm2-135m", "--gpu", "this"});
    CHECK(cost["device"] == "this machine");
    for (const char* number : {"bytes_per_second", "flops_per_second"}) {
      CHECK(cost[number].get<double>() > 0);
      CHECK(cost[std::string(number) + "_kind"] == "measured");
    }
  }

  TEST_CASE("what was assumed, and what kvlab does not run, is told") {
    const json cost = document({"deepseek-v3"});
    CHECK(cost["context"] == 2048);
    CHECK(names(cost["assumed"].dump(), "2,048 tokens (--context)", "experts"));
    CHECK(names(cost["cannot_run"].get<std::string>(), "kvlab does not compute that"));
    CHECK(document({"gpt2"})["context"] == 1024);
  }

  TEST_CASE("what cannot be priced, and wrong command lines") {
    check_fails({"cost", "qwen3.5-27b"}, 1, "can be sized and not priced");
    check_fails({"cost", "gpt2", "--form", "absorbed"}, 1, "--form");
    check_fails({"cost", "gpt2", "--chunk", "3"}, 2, "--phase prefill");
    check_fails({"cost", "gpt2", "--phase", "both"}, 2, "prefill or decode");
    check_fails({"cost", "gpt2", "--form", "naive"}, 2, "absorbed or materialised or expanded");
    check_fails({"cost", "gpt2", "--bandwidth", "fast"}, 2, "--bandwidth");
    check_fails({"cost", "gpt2", "--bandwidth", "0"}, 2, "--bandwidth");
    check_fails({"cost", "gpt2", "--peak", "1TB/s"}, 2, "--peak");
    check_fails({"cost", "gpt2", "--gpu", "h300"}, 1, "did you mean");
    check_fails({"cost", "gpt2", "--json", "--csv"}, 2, "--json and --csv");
    check_fails({"cost", "llama-3.1-405b", "--batch", "1000000000", "--context", "1000000000"}, 1, "64 bits");
  }
}

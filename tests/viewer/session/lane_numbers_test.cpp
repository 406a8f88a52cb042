// What stands beside a lane: predicted and counted are the same, and shares are exact.
#include <doctest/doctest.h>

#include <stdexcept>

#include "model/presets.h"
#include "model/work.h"
#include "tests/support/viewer_runs.h"
#include "viewer/session/lane_numbers.h"

using namespace kv;
using namespace kv::viewer;

namespace {

int64_t sum(const StepFlops& flops) { return flops.new_token + flops.scan; }
int64_t prompt_of_lane(const LaneView& lane) { return std::ssize(lane.facts->prompt); }

void check_predictions(const RunView& run) {
  for (const LaneView& lane : run.lanes) {
    CAPTURE(lane.facts->name);
    REQUIRE(lane.last_step() > 3);
    for (int64_t step = 0; step <= lane.last_step(); ++step) {
      const StepFlops flops = predicted_flops(lane.config(), prompt_of_lane(lane), step, true);
      const LaneNumbers numbers = numbers_of(lane, step);
      CHECK(sum(flops) == static_cast<int64_t>(lane.steps[static_cast<size_t>(step)].counted.flops()));
      CHECK(numbers.flops == sum(flops));
      CHECK(numbers.new_token_flops == flops.new_token);
      CHECK(numbers.scan_flops == flops.scan);
      CHECK(numbers.context == prompt_of_lane(lane) + step);
    }
  }
}

}  // namespace

TEST_SUITE("viewer/session/lane_numbers") {
  TEST_CASE("FLOPs predicted for a step are what was counted, for every step of the four models") {
    check_predictions(test::four_models(24).view());
  }

  TEST_CASE("so are they with windows, with 30 layers, and for a prompt that is read in pieces") {
    check_predictions(test::window_model(20).view());
    check_predictions(test::thirty_layers(6).view());
    std::string prompt;
    for (int i = 0; i < 30; ++i) prompt += test::kViewerPrompt + " ";
    const test::RecordedRun run = test::four_models(4, prompt);
    REQUIRE(prompt_of_lane(run.view().lanes[0]) > 2 * Recorder::kPromptPiece);
    check_predictions(run.view());
  }

  TEST_CASE("FLOPs predicted without the cache are what such a step really counts") {
    test::RecordedRun run = test::four_models(8);
    const int64_t prompt = prompt_of_lane(run.view().lanes[0]);
    for (const int64_t step : {0, 3, 8}) {
      run.run_without_cache(prompt + step);
      for (const LaneView& lane : run.view().lanes) {
        const LaneNumbers numbers = numbers_of(lane, step);
        REQUIRE(numbers.ran_without_cache);
        CHECK(numbers.flops_without_cache == static_cast<int64_t>(numbers.ran_without_cache->counted.flops()));
        CHECK(sum(predicted_flops(lane.config(), prompt, step, false)) == numbers.flops_without_cache);
      }
    }
    CHECK_FALSE(numbers_of(run.view().lanes[0], 5).ran_without_cache);
  }

  TEST_CASE("a step's new-token part does not grow, and its scan grows by the same for every token") {
    const test::RecordedRun run = test::four_models(8);
    for (const LaneView& lane : run.view().lanes) {
      const LaneNumbers first = numbers_of(lane, 1), second = numbers_of(lane, 2), last = numbers_of(lane, 8);
      CHECK(first.new_token_flops == last.new_token_flops);
      CHECK(second.scan_flops > first.scan_flops);
      CHECK(last.scan_flops - first.scan_flops == 7 * (second.scan_flops - first.scan_flops));
      CHECK(first.scan_flops * second.context == second.scan_flops * first.context);  // proportional to the context
    }
  }

  TEST_CASE("bytes are those of the cache, and counted bytes are written where it grew") {
    const test::RecordedRun run = test::four_models(8);
    const RunView view = run.view();
    const int64_t expected_token_bytes[] = {4096, 1024, 512, 640};
    for (size_t i = 0; i < 4; ++i) {
      const LaneNumbers numbers = numbers_of(view.lanes[i], 5);
      CHECK(numbers.token_bytes == expected_token_bytes[i]);
      CHECK(numbers.kv_bytes == numbers.context * expected_token_bytes[i]);
      CHECK(numbers.cache_bytes_written == numbers.token_bytes);
      CHECK(numbers.cache_bytes_read == numbers.kv_bytes);
    }
  }

  TEST_CASE("the ratio to MHA is stored values over those of one K and one V per query head") {
    const test::RecordedRun run = test::four_models(1);
    const RunView view = run.view();
    CHECK(numbers_of(view.lanes[0], 1).ratio_to_mha == 1.0);
    CHECK(numbers_of(view.lanes[1], 1).ratio_to_mha == 0.25);
    CHECK(numbers_of(view.lanes[2], 1).ratio_to_mha == 0.125);
    const ModelConfig& mla = view.lanes[3].config();
    CHECK(numbers_of(view.lanes[3], 1).ratio_to_mha ==
          static_cast<double>(mla.latent.latent_dim + mla.latent.rope_dim) /
              static_cast<double>(mla.heads * (mla.key_head_dim + mla.value_head_dim)));
  }

  TEST_CASE("behind a window a token adds nothing to its layers, and the ratio is that of the heads") {
    const test::RecordedRun run = test::window_model(20);
    const LaneView lane = run.view().lanes[0];
    const LaneNumbers early = numbers_of(lane, 0), late = numbers_of(lane, 20);
    CHECK(late.token_bytes == 0);
    CHECK(late.cache_bytes_written > 0);  // it takes the place of an old one
    CHECK(late.kv_bytes == lane.config().cache_bytes(5, lane.facts->cache_dtype));
    CHECK(late.ratio_to_mha == early.ratio_to_mha);
    CHECK(late.ratio_to_mha == static_cast<double>(lane.config().kv_heads) / static_cast<double>(lane.config().heads));
  }

  TEST_CASE("the predicted time is the roofline of what was counted, and there is none without speeds") {
    test::RecordedRun run = test::four_models(3);
    CHECK_FALSE(numbers_of(run.view().lanes[0], 3).predicted_seconds);
    run.set_machine({1e9, 1e6});  // so slow at products that these decide
    const LaneView lane = run.view().lanes[0];
    const double flops = static_cast<double>(lane.steps[3].counted.matmul_flops);
    CHECK(*numbers_of(lane, 3).predicted_seconds == flops / 1e6);
    run.set_machine({1e3, 1e15});
    const LaneNumbers numbers = numbers_of(run.view().lanes[0], 3);
    const int64_t bytes = numbers.weight_bytes + numbers.cache_bytes_read + numbers.cache_bytes_written;
    CHECK(*numbers.predicted_seconds == static_cast<double>(bytes) / 1e3);
  }

  TEST_CASE("a step that is not recorded has no numbers") {
    const test::RecordedRun run = test::four_models(2);
    CHECK_THROWS_AS(numbers_of(run.view().lanes[0], 3), std::out_of_range);
    CHECK_THROWS_AS(numbers_of(run.view().lanes[0], -1), std::out_of_range);
    CHECK_THROWS_AS(numbers_of(test::four_models_at_the_start().view().lanes[0], 0), std::out_of_range);
  }

  TEST_CASE("numbers predicted for a model that runs are those that it counts") {
    const test::RecordedRun run = test::four_models(6);
    for (const LaneView& lane : run.view().lanes)
      for (const int64_t step : {0, 6}) {
        const LaneNumbers counted = numbers_of(lane, step);
        const LaneNumbers predicted =
            predicted_numbers(lane.config(), prompt_of_lane(lane), step, lane.facts->cache_dtype);
        CHECK(predicted.context == counted.context);
        CHECK(predicted.kv_bytes == counted.kv_bytes);
        CHECK(predicted.token_bytes == counted.token_bytes);
        CHECK(predicted.flops == counted.flops);
        CHECK(predicted.scan_flops == counted.scan_flops);
        CHECK(predicted.cache_bytes_read == counted.cache_bytes_read);
        CHECK(predicted.cache_bytes_written == counted.cache_bytes_written);
        CHECK(predicted.flops_without_cache == counted.flops_without_cache);
        CHECK(predicted.time.takes == 0);
        CHECK_FALSE(predicted.predicted_seconds);
      }
  }

  TEST_CASE("layers that are alike are added up together, and the sum is that of the cost model") {
    for (const char* name : {"deepseek-v3", "gemma-3-4b", "llama-3-70b"}) {
      const Preset* preset = find_preset(name);
      REQUIRE(preset != nullptr);
      const ModelConfig config = config_of(*preset);
      for (const bool cache : {true, false}) {
        Setting setting;
        setting.cache = cache ? CacheWork::on : CacheWork::off;
        CHECK(sum(predicted_flops(config, 10, 7000, cache)) == decode_step_cost(config, 7010, setting).flops());
      }
    }
  }

  TEST_CASE("sizes to compare keep the published shape, and each variant stores what its attention asks for") {
    REQUIRE(sizes_to_compare().size() == 3);
    const int64_t layers[] = {32, 80, 61}, heads[] = {32, 64, 128}, key_dim[] = {128, 128, 192};
    for (size_t i = 0; i < 3; ++i) {
      const SizeOf& size = sizes_to_compare()[i];
      CAPTURE(size.name);
      REQUIRE(size.variants.size() == 4);
      CHECK(size.labels == std::vector<std::string>{"MHA", "GQA", "MQA", "MLA"});
      const int64_t pair = key_dim[i] + 128;  // values of a K and a V
      CHECK(size.variants[0].cache_values_per_token() == layers[i] * heads[i] * pair);
      CHECK(size.variants[1].cache_values_per_token() == layers[i] * 8 * pair);
      CHECK(size.variants[2].cache_values_per_token() == layers[i] * pair);
      CHECK(size.variants[3].cache_values_per_token() == layers[i] * (512 + 64));
      for (const ModelConfig& variant : size.variants) {
        CHECK(variant.heads == heads[i]);
        // So a variant's share of MHA is its share of the first lane's bytes.
        const LaneNumbers numbers = predicted_numbers(variant, 8, 100, Dtype::bf16);
        const LaneNumbers mha = predicted_numbers(size.variants[0], 8, 100, Dtype::bf16);
        CHECK(numbers.ratio_to_mha == static_cast<double>(numbers.kv_bytes) / static_cast<double>(mha.kv_bytes));
      }
    }
    // The ones that are published: Llama's own GQA, DeepSeek-V3's own MLA.
    CHECK(sizes_to_compare()[0].origin_of(1) == "Llama-3-8B itself");
    CHECK(sizes_to_compare()[1].origin_of(1) == "Llama-3-70B itself");
    CHECK(sizes_to_compare()[2].origin_of(3) == "DeepSeek-V3 itself");
    CHECK(sizes_to_compare()[2].origin_of(1) == "hypothetical");
    CHECK(sizes_to_compare()[1].variants[1].kv_heads == config_of(*find_preset("llama-3-70b")).kv_heads);
    CHECK(predicted_numbers(sizes_to_compare()[0].variants[1], 8, 100, Dtype::bf16).flops ==
          decode_step_cost(config_of(*find_preset("llama-3-8b")), 108, {}).flops());
    CHECK(predicted_numbers(sizes_to_compare()[2].variants[3], 8, 100, Dtype::bf16).flops ==
          decode_step_cost(config_of(*find_preset("deepseek-v3")), 108, {}).flops());
  }
}

// What `kvlab cost` found, for people.
#include <fmt/format.h>

#include <cmath>

#include "cli/cost_facts.h"
#include "cli/numbers.h"
#include "cli/quantity.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "model/bytes.h"

namespace kv::cli {

namespace {

std::string flops(int64_t count) { return count == 0 ? "-" : with_letter(static_cast<double>(count)); }
std::string traffic(int64_t bytes) { return bytes == 0 ? "-" : to_decimal_string(Bytes{bytes}); }

// "1.41", "51.2", "1,413"
std::string times_text(double ratio) {
  return ratio < 99.95 ? fmt::format("{:.{}f}", ratio, ratio < 9.995 ? 2 : 1) : with_commas(std::llround(ratio));
}

class CostText {
 public:
  explicit CostText(const CostFacts& facts) : facts_(facts), config_(facts.model.config), terminal_(stdout) {}

  std::string text() {
    title(heading());
    add_parts();
    add_ratios();
    if (facts_.device) add_device(*facts_.device);
    add_sentences("Assumed", facts_.assumed);
    return without_controls(text_);
  }

 private:
  void title(const std::string& words) { text_ += (text_.empty() ? "" : "\n") + terminal_.bold(words) + "\n"; }
  void line(const std::string& words) { text_ += "  " + words + "\n"; }

  std::string heading() const {
    const CostSettings& s = facts_.settings;
    const bool decode = s.phase == Phase::decode;
    std::string words = fmt::format("{}: {} of {}", config_.name, decode ? "a decode step in a context" : "the prefill",
                                    count_of(facts_.context, "token"));
    if (s.chunk > 0 && s.setting.cache == CacheWork::on) words += fmt::format(" in calls of {}", with_commas(s.chunk));
    if (s.setting.batch > 1) words += fmt::format(", {}", count_of(s.setting.batch, "request"));
    words += s.setting.cache == CacheWork::on ? ", with the cache" : ", without a cache";
    if (config_.has_latent_attention()) words += fmt::format(", {}", name_of(s.setting.form));
    return words + "  (predicted)";
  }

  void add_parts() {
    const Storage& storage = facts_.settings.setting.storage;
    TextTable table("lrrrrrr");
    table.add({"", "FLOPs of products", "share", "other FLOPs", fmt::format("weights ({})", storage.weights.name),
               fmt::format("cache read ({})", storage.cache.name), "written"});
    for (const Part part : facts_.parts.occurring()) table.add(row(std::string(name_of(part)), facts_.parts[part]));
    table.add(row("sum", facts_.total));
    const auto lines = table.lines();
    for (size_t i = 0; i < lines.size(); ++i) text_ += (i == 0 ? terminal_.faint(lines[i]) : lines[i]) + "\n";
    if (!config_.cannot_run.empty()) line("kvlab prices it and does not run it: " + config_.cannot_run + ".");
  }

  std::vector<std::string> row(const std::string& name, const Cost& cost) const {
    const double share = ratio_of(cost.matmul_flops, facts_.total.matmul_flops);
    return {name,
            flops(cost.matmul_flops),
            cost.matmul_flops == 0 ? "-" : fmt::format("{:.1f} %", 100 * share),
            flops(cost.other_flops),
            traffic(cost.weight_bytes),
            traffic(cost.cache_bytes_read),
            traffic(cost.cache_bytes_written)};
  }

  void add_ratios() {
    title("What that means");
    line(fmt::format("{} FLOPs of products over {} of weights and cache: {:.2f} FLOPs a byte.",
                     flops(facts_.total.matmul_flops), traffic(facts_.total.memory_bytes()), intensity(facts_.total)));
    if (facts_.settings.phase == Phase::decode) {
      line(fmt::format("With the cache {} FLOPs of products; without, {}.", flops(facts_.with_cache.matmul_flops),
                       against(facts_.without_cache)));
      if (facts_.without_cache_materialised)
        line(fmt::format("Without, K and V rebuilt instead of absorbed: {}.",
                         against(*facts_.without_cache_materialised)));
    } else {
      line(
          "The first pass over a prompt takes as many FLOPs as without a cache; what it stores pays from the next "
          "token "
          "on.");
    }
    if (facts_.cache_outweighs_weights_at)
      line(fmt::format("A step reads more cache than weights from a context of {} on.",
                       count_of(*facts_.cache_outweighs_weights_at, "token")));
    if (facts_.absorb_below)
      line(fmt::format(
          "Against {}, absorbing takes fewer FLOPs in calls of up to about {} queries; with more, "
          "materialising does.",
          count_of(facts_.context, "stored latent"), with_commas(static_cast<int64_t>(*facts_.absorb_below))));
  }

  std::string against(const Cost& without) const {
    return fmt::format("{}, {} times as many", flops(without.matmul_flops),
                       times_text(ratio_of(without.matmul_flops, facts_.with_cache.matmul_flops)));
  }

  void add_device(const ServedDevice& device) {
    title("On " + device.name);
    TextTable table("lrl");
    add_number(table, "bandwidth", bandwidth_text(device.bytes_per_second.value), device.bytes_per_second);
    add_number(table, device.peak_dtype.empty() ? "peak" : "peak (" + device.peak_dtype + ")",
               flops_text(device.flops_per_second.value), device.flops_per_second);
    if (const double ridge = device.speeds().ridge(); ridge > 0)
      table.add({"ridge", fmt::format("{:.1f} FLOPs a byte", ridge), "below it memory is what holds a work up"});
    const Prediction prediction = facts_.prediction();
    if (prediction.memory_seconds > 0)
      table.add({"for the bytes", duration_text(prediction.memory_seconds), "predicted"});
    if (prediction.compute_seconds > 0)
      table.add({"for the FLOPs", duration_text(prediction.compute_seconds), "predicted"});
    for (const std::string& words : table.lines()) text_ += words + "\n";
    if (prediction.seconds() > 0) line(bound_words(prediction));
  }

  static void add_number(TextTable& table, const std::string& what, const std::string& amount,
                         const Sourced<double>& number) {
    if (number.value > 0)
      table.add({what, amount, fmt::format("{}: {}", name_of(number.origin), number.source)});
    else
      table.add({what, "not known", ""});
  }

  std::string bound_words(const Prediction& prediction) const {
    std::string words = fmt::format("At least {}", duration_text(prediction.seconds()));
    const double tokens = static_cast<double>(facts_.settings.setting.batch) *
                          (facts_.settings.phase == Phase::decode ? 1.0 : static_cast<double>(facts_.context));
    const double rate = tokens / prediction.seconds();
    words += fmt::format(", at most {} tokens/s", rate < 99.95 ? times_text(rate) : with_letter(rate));
    if (const auto bound = prediction.bound())
      words += fmt::format("; {} is the bound", *bound == BoundBy::memory ? "memory" : "compute");
    return words + ".";
  }

  void add_sentences(const std::string& heading, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    title(heading);
    for (const std::string& sentence : sentences) line(sentence);
  }

  const CostFacts& facts_;
  const ModelConfig& config_;
  Terminal terminal_;
  std::string text_;
};

}  // namespace

std::string cost_text(const CostFacts& facts) { return CostText(facts).text(); }

}  // namespace kv::cli

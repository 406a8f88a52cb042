#include "cli/tour_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/generate_report.h"
#include "cli/numbers.h"
#include "cli/text_table.h"
#include "model/bytes.h"

namespace kv::cli {

namespace {

double total_flops(const cpu::Generation& made) {
  return static_cast<double>(made.prefill.flops() + made.decode.flops());
}
double total_seconds(const cpu::Generation& made) { return made.prefill_seconds + made.decode_seconds; }

std::string ratio_text(double without, double with) { return with > 0 ? fmt::format("{:.1f}x", without / with) : "-"; }

std::string kv_heads_cell(const ModelConfig& config) {
  return config.has_latent_attention() ? "latent" : std::to_string(config.kv_heads);
}

// The table's lines, its first rows (the head) faint.
std::string joined(const TextTable& table, size_t head_rows, const Terminal& terminal) {
  std::string text;
  for (const std::string& line : table.lines()) {
    text += head_rows > 0 ? terminal.faint(line) : line;
    text += '\n';
    head_rows -= std::min<size_t>(head_rows, 1);
  }
  return text;
}

}  // namespace

std::string memory_report(const std::vector<TourRun>& runs, Dtype cache_dtype, int64_t tokens,
                          const Terminal& terminal) {
  constexpr size_t kBarWidth = 24;
  int64_t largest = 1;
  for (const TourRun& run : runs) largest = std::max(largest, run.with_cache.kv_bytes);

  TextTable table("lrrrl");
  table.add({"model", "KV heads", "a token", fmt::format("{} tokens", tokens), ""});
  for (const TourRun& run : runs)
    table.add({run.config.name, kv_heads_cell(run.config), to_string(Bytes{run.config.cache_bytes(1, cache_dtype)}),
               to_string(Bytes{run.with_cache.kv_bytes}),
               bar(static_cast<double>(run.with_cache.kv_bytes) / static_cast<double>(largest), kBarWidth)});

  const int64_t written = std::ssize(runs.front().with_cache.tokens);
  return terminal.bold("What the cache holds") + fmt::format("  ({}, counted)\n\n", name_of(cache_dtype)) +
         joined(table, 1, terminal) +
         fmt::format(
             "\n  The {} tokens: {} of the prompt, its begin token included, and all but the\n"
             "  last of the {} that were written, since nothing was asked after it.\n",
             tokens, tokens - written + 1, written) +
         R"(
  Keys and values stay as long as the text does: a cache is a token's bytes
  times the tokens read. Query heads that share a KV head share its bytes. A
  latent is one short row for all heads, from which each makes its own keys
  and values.
)";
}

std::string work_report(const std::vector<TourRun>& runs, int64_t threads, const Terminal& terminal) {
  TextTable table("lrrrlrrr");  // the empty column keeps the two groups apart
  table.add({"", "", "FLOPs", "", "", "", "time", ""});
  table.add({"model", "with", "without", "ratio", "", "with", "without", "ratio"});
  for (const TourRun& run : runs)
    table.add({run.config.name, with_letter(total_flops(run.with_cache)), with_letter(total_flops(run.without_cache)),
               ratio_text(total_flops(run.without_cache), total_flops(run.with_cache)), "",
               duration_text(total_seconds(run.with_cache)), duration_text(total_seconds(run.without_cache)),
               ratio_text(total_seconds(run.without_cache), total_seconds(run.with_cache))});

  return terminal.bold("What the cache saves") +
         fmt::format("  (FLOPs counted; time measured here, {})\n\n", count_of(threads, "thread")) +
         joined(table, 2, terminal) + R"(
  With the cache a step is the work of one token: its own projections and
  feed-forward, and one look at every stored key. Without it a step is the
  work of all tokens so far, so the ratio grows with the text. The clock does
  not follow the FLOPs one to one: a step reads all weights, for one token as
  for fifty, and one token gives them little to do.
)";
}

std::string identity_report(const std::vector<TourRun>& runs, const Terminal& terminal) {
  std::string text = terminal.bold("What the cache changes") + "\n\n";
  const bool all_same = std::all_of(runs.begin(), runs.end(), [](const TourRun& run) { return run.same_logits(); });
  if (all_same) {
    TextTable table("ll");
    for (const TourRun& run : runs)
      table.add({run.config.name, "logits " + hash_text(run.with_cache.logits_hash) + ", both times"});
    for (const std::string& line : table.lines()) text += line + "\n";
    return text + "\n  Nothing: the logits of both runs are bit-identical, in all models and steps.\n";
  }
  for (const TourRun& run : runs)
    if (!run.same_logits())
      text +=
          terminal.bold(fmt::format("  {}: THE LOGITS DIFFER. With the cache {}, without {}.", run.config.name,
                                    hash_text(run.with_cache.logits_hash), hash_text(run.without_cache.logits_hash))) +
          "\n";
  return text + "\n  They must be the same, bit for bit. This is a defect of kvlab: please report it.\n";
}

}  // namespace kv::cli

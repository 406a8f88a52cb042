// What `kvlab size` found, for people.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/cache_facts.h"
#include "cli/numbers.h"
#include "cli/quantity.h"
#include "cli/size_facts.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "model/checked.h"
#include "model/memory.h"

namespace kv::cli {

namespace {

class SizeText {
 public:
  explicit SizeText(const SizeFacts& facts)
      : facts_(facts), config_(facts.model.config), settings_(facts.settings), terminal_(stdout) {}

  std::string text() {
    title(fmt::format("{}  ({})", config_.name, facts_.model.origin));
    add_model();
    title(fmt::format("Memory  (predicted from the shape; {} in the cache)", settings_.cache.name));
    add_memory();
    if (!facts_.whole()) add_ranks();
    title("How the cache grows");
    add_growth();
    if (facts_.fit) add_fit(*facts_.fit);
    add_sentences("Assumed", facts_.assumed);
    return without_controls(text_);
  }

 private:
  void title(const std::string& words) { text_ += (text_.empty() ? "" : "\n") + terminal_.bold(words) + "\n"; }
  void add(const TextTable& table) {
    for (const std::string& line : table.lines()) text_ += line + "\n";
  }
  void line(const std::string& words) { text_ += "  " + words + "\n"; }
  std::string amount(int64_t bytes) const { return amount_text(bytes, settings_.unit); }

  void add_model() {
    const std::string_view kind = attention_kind(config_);
    TextTable table("ll");
    table.add({"attention", fmt::format("{} ({})", kind, attention_words(kind))});
    table.add({"heads", heads_text(config_)});
    table.add({"sees", window_text(config_)});
    if (const int64_t layers = layers_without_attention(); layers > 0)
      table.add({"but", fmt::format("{} of {} layers have no attention, and a fixed state instead of a cache", layers,
                                    config_.layers)});
    if (facts_.parameters) table.add({"parameters", parameters_text()});
    add(table);
    if (!config_.cannot_run.empty()) line("kvlab sizes it and does not run it: " + config_.cannot_run + ".");
  }

  int64_t layers_without_attention() const {
    return std::count_if(config_.layer_cache.begin(), config_.layer_cache.end(),
                         [](const LayerCache& layer) { return layer.kind == LayerCache::Kind::none; });
  }

  std::string parameters_text() const {
    std::string words = with_commas(*facts_.parameters);
    if (facts_.active_parameters != facts_.parameters)
      words += fmt::format(", of which a token uses {}: all are in memory", with_commas(*facts_.active_parameters));
    return words;
  }

  void add_memory() {
    TextTable table("lrl");
    if (facts_.weights_bytes) table.add({"weights", amount(*facts_.weights_bytes), weights_words()});
    table.add({"a token", amount(facts_.token_bytes), cache_formula(config_, 1, 1, settings_.cache)});
    if (facts_.past_window_bytes != facts_.token_bytes)
      table.add({"past the windows", amount(facts_.past_window_bytes), "one more token once every window is full"});
    table.add({"KV cache", amount(facts_.cache_bytes),
               fmt::format("{} of {}", count_of(settings_.batch, "request"), count_of(facts_.tokens, "token"))});
    if (facts_.state_bytes > 0)
      table.add({"states", amount(facts_.state_bytes), "of layers without attention, whatever the length"});
    if (facts_.weights_bytes)
      table.add({"together", amount(checked_sum({*facts_.weights_bytes, facts_.cache_bytes, facts_.state_bytes})), ""});
    add(table);
    if (!config_.unknown_parameters.empty()) line("Weights are not counted: " + config_.unknown_parameters + ".");
    line("KV cache = " + cache_formula(config_, facts_.tokens, settings_.batch, settings_.cache));
    line("Counted as the requests need it (\"logical\"): no pages, no rows set aside.");
  }

  std::string weights_words() const {
    const std::string format = facts_.weights_format();
    if (format == "file") return "as they lie in the file";
    return fmt::format("{} parameters x {} bytes ({})", with_commas(*facts_.parameters),
                       settings_.weights.bytes_per_value(), format);
  }

  void add_ranks() {
    title(fmt::format("On each of {} ranks", settings_.ranks));
    TextTable table("lrl");
    if (facts_.weights_bytes)
      table.add({"weights", amount((*facts_.weights_bytes + settings_.ranks - 1) / settings_.ranks), "shared evenly"});
    table.add({"a token", amount(facts_.rank_token_bytes), sharing_words()});
    table.add({"KV cache", amount(facts_.rank_cache_bytes), ""});
    add(table);
  }

  std::string sharing_words() const {
    if (config_.has_latent_attention()) return "the latent is the same for all heads: every rank stores it";
    if (settings_.ranks > config_.kv_heads)
      return fmt::format("1 KV head: there are {}, so each is stored {} times", config_.kv_heads,
                         settings_.ranks / config_.kv_heads);
    return fmt::format("{} of {} KV heads", config_.kv_heads / settings_.ranks, config_.kv_heads);
  }

  void add_growth() {
    std::set<int64_t> lengths = {1, facts_.tokens, config_.max_context};
    for (int64_t length = 1024; length < std::max(facts_.tokens, config_.max_context); length *= 4)
      lengths.insert(length);
    TextTable table(settings_.batch > 1 ? "rrr" : "rr");
    std::vector<std::string> head = {"tokens", "1 request"};
    if (settings_.batch > 1) head.push_back(count_of(settings_.batch, "request"));
    table.add(head);
    for (const int64_t length : lengths) {
      const int64_t bytes = request_cache_bytes(config_, length, settings_.cache);
      std::vector<std::string> row = {with_commas(length), amount(bytes)};
      if (settings_.batch > 1) row.push_back(amount(checked_product({bytes, settings_.batch})));
      table.add(row);
    }
    add(table);
  }

  void add_fit(const Fit& fit) {
    const Sourced<int64_t>& memory = fit.device.memory_bytes;
    title(fmt::format("On {}{}", fit.device.name, facts_.whole() ? "" : fmt::format(", each of {}", settings_.ranks)));
    TextTable table("lrl");
    table.add({"memory", amount(memory.value), fmt::format("{}: {}", name_of(memory.origin), memory.source)});
    if (settings_.reserve_bytes > 0) table.add({"reserved", amount(settings_.reserve_bytes), "--reserve"});
    if (!fit.free_bytes) {
      add(table);
      line("What is left is not known, since the weights are not.");
      return;
    }
    table.add({"for caches", amount(std::max<int64_t>(0, *fit.room_bytes)), "beside the weights"});
    table.add({*fit.free_bytes < 0 ? "too little by" : "free", amount(std::abs(*fit.free_bytes)),
               fmt::format("with {} of {}", count_of(settings_.batch, "request"), count_of(facts_.tokens, "token"))});
    add(table);
    if (*fit.room_bytes < 0)
      return line(settings_.reserve_bytes > 0 ? "The weights and what is reserved do not fit."
                                              : "The weights alone do not fit.");
    line(fit.most_requests ? fmt::format("Requests of {} that fit: {}.", count_of(facts_.tokens, "token"),
                                         with_commas(*fit.most_requests))
                           : std::string("Any number of requests fits: they keep nothing."));
    line(fit.longest ? fmt::format("{} can grow to {}{}.", requests_words(), count_of(*fit.longest, "token"),
                                   context_words(*fit.longest))
                     : fmt::format("{} can grow to any length: every layer has a window.", requests_words()));
    if (fit.next_stops_at)
      line(fmt::format("One request more no longer fits from token {} on.", with_commas(*fit.next_stops_at)));
  }

  std::string requests_words() const {
    return settings_.batch == 1 ? std::string("One request") : count_of(settings_.batch, "request") + " alike";
  }
  std::string context_words(int64_t length) const {
    return length > config_.max_context
               ? fmt::format(", more than the model's context of {}", with_commas(config_.max_context))
               : std::string();
  }

  void add_sentences(const std::string& heading, const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    title(heading);
    for (const std::string& sentence : sentences) line(sentence);
  }

  const SizeFacts& facts_;
  const ModelConfig& config_;
  const SizeSettings& settings_;
  Terminal terminal_;
  std::string text_;
};

}  // namespace

std::string size_text(const SizeFacts& facts) { return SizeText(facts).text(); }

}  // namespace kv::cli

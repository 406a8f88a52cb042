// An inspection as people read it.
#include <fmt/format.h>

#include <algorithm>

#include "cli/cache_facts.h"
#include "cli/inspection.h"
#include "cli/json_output.h"
#include "cli/numbers.h"
#include "cli/tensor_groups.h"
#include "cli/text_table.h"
#include "model/bytes.h"

namespace kv::cli {

namespace {

constexpr Dtype kCacheDtype = Dtype::bf16;

// Sections of a title and lines of a name and a fact.
class Page {
 public:
  explicit Page(const Terminal& terminal) : terminal_(terminal) {}

  void title(const std::string& text) {
    if (!text_.empty()) text_ += '\n';
    line(terminal_.bold(text));
  }
  void fact(const std::string& name, const std::string& value) {
    text_ += fmt::format("  {:<14}{}\n", name, on_one_line(value));
  }
  void line(const std::string& text) { text_.append(text).append("\n"); }
  std::string take() { return std::move(text_); }

 private:
  const Terminal& terminal_;
  std::string text_;
};

// Metadata may be a document of its own.
std::string beginning_of(const std::string& text) {
  constexpr size_t kMost = 100;
  if (text.size() <= kMost) return text;
  return fmt::format("{} ... ({} in all; --json has them)", text.substr(0, kMost), count_of(std::ssize(text), "byte"));
}

std::string metadata_text(const nlohmann::ordered_json& value) {
  if (value.is_string()) return beginning_of(value.get<std::string>());
  if (!value.is_object()) return beginning_of(compact_text(value));
  const std::string element = value["array_of"];  // a long array
  const auto size = value["size"].get<int64_t>();
  return element == "text" ? count_of(size, "text") : fmt::format("{} ({})", count_of(size, "value"), element);
}

std::string rope_text(const RopeConfig& rope) {
  if (rope.dim == 0) return "none";
  std::string text = fmt::format(
      "theta {}, {} dimensions in pairs ({})", rope.theta, rope.dim,
      rope.pairing == RopeConfig::Pairing::half ? fmt::format("i, i + {}", rope.dim / 2) : std::string("2i, 2i + 1"));
  if (!rope.divisors.empty())
    text += fmt::format("; frequencies divided by {:.4g} to {:.4g}",
                        *std::min_element(rope.divisors.begin(), rope.divisors.end()),
                        *std::max_element(rope.divisors.begin(), rope.divisors.end()));
  switch (rope.scaling) {
    case RopeConfig::Scaling::none: return text;
    case RopeConfig::Scaling::linear: return text + fmt::format("; linear, factor {}", rope.factor);
    case RopeConfig::Scaling::llama3:
      return text +
             fmt::format("; llama3, factor {} over {} positions", rope.factor, with_commas(rope.original_context));
    case RopeConfig::Scaling::yarn:
      return text + fmt::format("; yarn, factor {} over {} positions", rope.factor, with_commas(rope.original_context));
  }
  return text;
}

std::string biases_text(const ModelConfig& config) {
  std::string text;
  const auto add = [&](bool has, const char* what) {
    if (has) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(config.qkv_bias, config.has_latent_attention() ? "down projections" : "query, key, value");
  add(config.output_bias, "attention output");
  add(config.feed_forward_bias, "feed-forward");
  return text.empty() ? "none" : text;
}

void add_file(Page& page, const Inspection& found) {
  page.title("File");
  page.fact("format", found.format);
  page.fact("architecture", found.architecture.empty() ? "none is named" : found.architecture);
  if (!found.config && found.parameters) page.fact("parameters", with_commas(*found.parameters));
}

void add_model(Page& page, const ModelConfig& config, const std::optional<int64_t>& parameters) {
  page.title("Model");
  page.fact("name", config.name);
  page.fact("family", std::string(name_of(config.family)));
  page.fact("parameters", parameters ? with_commas(*parameters) : "not counted");
  page.fact("layers", std::to_string(config.layers));
  page.fact("model_dim", with_commas(config.model_dim));
  page.fact("hidden_dim", hidden_dim_text(config));
  if (config.experts.count > 0)
    page.fact("experts",
              fmt::format("{} in a layer, {} of them for a token", config.experts.count, config.experts.used));
  page.fact("vocab", with_commas(config.vocab) + (config.tied_embeddings ? ", the head is the embedding"
                                                                         : ", the head has weights of its own"));
  page.fact("max_context", with_commas(config.max_context) + " positions");
  std::string norm = fmt::format("{}, eps {}", config.norm_bias ? "LayerNorm" : "RMS", config.norm_eps);
  if (config.query_key_norm) norm += "; of each query and key head as well";
  if (config.has_latent_attention())
    norm += fmt::format("; of latents {}, whatever the file says", config.latent.norm_eps);
  page.fact("norm", norm);
  page.fact("biases", biases_text(config));
}

void add_attention(Page& page, const ModelConfig& config) {
  const std::string_view kind = attention_kind(config);
  page.title("Attention");
  page.fact("kind", fmt::format("{} ({})", kind, attention_words(kind)));
  page.fact("heads", heads_text(config));
  const LatentConfig& latent = config.latent;
  if (config.has_latent_attention()) {
    page.fact("query", latent.query_latent_dim > 0 ? fmt::format("from a latent of {}", latent.query_latent_dim)
                                                   : std::string("projected in one step"));
    page.fact("head_dim", fmt::format("{} for Q and K ({} nope_dim + {} rope_dim), {} for V", config.key_head_dim,
                                      latent.nope_dim, latent.rope_dim, config.value_head_dim));
  } else if (config.key_head_dim == config.value_head_dim) {
    page.fact("head_dim", std::to_string(config.key_head_dim));
  } else {
    page.fact("head_dim", fmt::format("{} for Q and K, {} for V", config.key_head_dim, config.value_head_dim));
  }
  page.fact("rope", rope_text(config.rope));
  page.fact("sees", window_text(config));
}

void add_cache(Page& page, const ModelConfig& config) {
  const auto amount = [&](int64_t length) { return to_string(Bytes{config.cache_bytes(length, kCacheDtype)}); };
  page.title(fmt::format("KV cache ({})", name_of(kCacheDtype)));
  page.fact("a token", amount(1));
  page.fact("formula", bytes_per_token_formula(config, kCacheDtype));
  const int64_t later = bytes_per_token_past_windows(config, kCacheDtype);
  if (later != config.cache_bytes(1, kCacheDtype))
    page.fact("past windows", to_string(Bytes{later}) + " for one more token");
  page.fact("full context",
            fmt::format("{} at {} tokens", amount(config.max_context), with_commas(config.max_context)));
}

void add_tensors(Page& page, const Inspection& found) {
  page.title("Tensors");
  page.line(
      fmt::format("  {}, {}", count_of(std::ssize(found.tensors), "tensor"), to_string(Bytes{found.weights_bytes()})));
  TextTable table("lllrl");
  for (const TensorGroup& group : grouped(found.tensors))
    table.add({group.name, group.dtype, to_string(group.shape), to_string(Bytes{group.bytes / group.count}),
               group.count > 1 ? fmt::format("x {}", group.count) : ""});
  for (const std::string& line : table.lines()) page.line(on_one_line(line));
}

void add_tokenizer(Page& page, const Inspection& found) {
  page.title("Tokenizer");
  if (!found.tokenizer) {
    page.fact("none", found.no_tokenizer);
    return;
  }
  const Tokenizer& tokenizer = *found.tokenizer;
  constexpr size_t kShown = 6;
  const auto label = [&](int64_t id) {
    return fmt::format("{} ({})", tokenizer.token_label(static_cast<int32_t>(id)), id);
  };
  std::string specials;
  for (size_t i = 0; i < std::min(kShown, tokenizer.special_tokens().size()); ++i)
    specials += (i > 0 ? ", " : "") + label(tokenizer.special_tokens()[i]);
  if (tokenizer.special_tokens().size() > kShown) specials += ", ...";
  page.fact("kind", found.tokenizer_kind);
  if (!found.pre_tokenizer.empty()) page.fact("words", fmt::format("cut as \"{}\" does", found.pre_tokenizer));
  page.fact("tokens", with_commas(tokenizer.size()));
  if (const int missing = tokenizer.bytes_without_token(); missing > 0)
    page.fact("bytes", fmt::format("{} of 256 are no token by themselves", missing));
  page.fact("special",
            fmt::format("{}{}{}", tokenizer.special_tokens().size(), specials.empty() ? "" : ": ", specials));
  if (const auto begin = tokenizer.begin_token())
    page.fact("begins with", label(*begin) + ", in front of every text");
  else if (found.config && found.config->begin_token)
    page.fact("begin token", label(*found.config->begin_token) + ", not put in front of texts");
  std::string ends;
  for (const int64_t id : found.config ? found.config->end_tokens : std::vector<int64_t>{})
    ends += (ends.empty() ? "" : ", ") + label(id);
  if (!ends.empty()) page.fact("ends with", ends);
}

std::string chat_text(const std::optional<ChatTemplateText>& text) {
  if (!text) return "no template";
  const std::optional<ChatTemplate> known = ChatTemplate::recognise(*text);
  if (!known) return "a template that kvlab does not know, so that --chat refuses it";
  std::string words(known->name());
  if (!known->default_system().empty())
    words += fmt::format(", which puts in a system message where there is none: {}", known->default_system());
  return words;
}

void add_sentences(Page& page, const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  page.title(title);
  for (const std::string& sentence : sentences) page.line("  " + on_one_line(sentence));
}

}  // namespace

std::string text_of(const Inspection& found, const Terminal& terminal) {
  Page page(terminal);
  if (!found.format.empty()) add_file(page, found);
  if (found.config) {
    add_model(page, *found.config, found.parameters);
    add_attention(page, *found.config);
    add_cache(page, *found.config);
    add_sentences(page, "Assumed, since the file does not say", found.config->assumed);
  }
  if (!found.tensors.empty() || !found.config) add_tensors(page, found);
  if (found.describes_model()) {
    add_tokenizer(page, found);
    page.fact("chat", chat_text(found.chat_template));
  }
  std::vector<std::string> metadata;
  for (const auto& [key, value] : found.metadata.items()) metadata.push_back(key + ": " + metadata_text(value));
  add_sentences(page, "Metadata", metadata);
  add_sentences(page, "Notes", found.notes);
  return page.take();
}

}  // namespace kv::cli

// The claims, source by source. Every figure of ours is computed: nothing here is typed in but what others printed.
#include "model/claims.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "model/files/hf_config.h"
#include "model/memory.h"
#include "model/presets.h"

namespace kv {

namespace {

constexpr double kKilo = 1e3, kMega = 1e6, kGiga = 1e9;
constexpr double kKibi = 1024, kMebi = 1024.0 * 1024, kGibi = 1024.0 * 1024 * 1024;

// Models that are claimed about and are no presets: the fields of their configs that decide about the cache.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMoreModels = {{
    {"OPT-13B", R"({"model_type": "opt", "hidden_size": 5120, "ffn_dim": 20480, "num_hidden_layers": 40,
 "num_attention_heads": 40, "vocab_size": 50272, "max_position_embeddings": 2048})"},
    {"DeepSeek 67B", R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 22016,
 "num_hidden_layers": 95, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 102400,
 "max_position_embeddings": 4096})"},
    {"Mixtral 8x22B", R"({"model_type": "mixtral", "hidden_size": 6144, "intermediate_size": 16384,
 "num_hidden_layers": 56, "num_attention_heads": 48, "num_key_value_heads": 8, "num_local_experts": 8,
 "num_experts_per_tok": 2, "vocab_size": 32768, "max_position_embeddings": 65536, "sliding_window": null})"},
    {"Mistral Large 2", R"({"model_type": "mistral", "hidden_size": 12288, "intermediate_size": 28672,
 "num_hidden_layers": 88, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
 "vocab_size": 32768, "max_position_embeddings": 131072, "sliding_window": null})"},
    {"Command-R", R"({"model_type": "cohere", "hidden_size": 8192, "intermediate_size": 22528,
 "num_hidden_layers": 40, "num_attention_heads": 64, "num_key_value_heads": 64, "vocab_size": 256000,
 "max_position_embeddings": 8192})"},
    {"a 52B model", R"({"model_type": "gpt_neox", "hidden_size": 8192, "intermediate_size": 32768,
 "num_hidden_layers": 64, "num_attention_heads": 64, "vocab_size": 65536, "max_position_embeddings": 8192})"},
}};

ModelConfig model(std::string_view name) {
  for (const auto& [other, text] : kMoreModels)
    if (other == name) return parse_hf_config(std::string(other), text);
  if (const Preset* preset = find_preset(name)) return config_of(*preset);
  throw std::invalid_argument(fmt::format("there is no model \"{}\"", name));
}

// Bytes of the cache in two bytes a value.
double bytes_at(std::string_view name, int64_t tokens) {
  return static_cast<double>(request_cache_bytes(model(name), tokens, Dtype::bf16));
}
double bytes_a_token(std::string_view name) { return bytes_at(name, 1); }
double values_a_token(std::string_view name) { return static_cast<double>(model(name).cache_values_per_token()); }

// Values a token, were K and V of every query head of `value_head_dim` each kept.
double values_as_mha(const ModelConfig& config, double heads) {
  return 2 * static_cast<double>(config.layers) * heads * static_cast<double>(config.value_head_dim);
}

// A list of claims of one source.
class Source {
 public:
  Source(std::vector<Claim>& list, std::string_view name) : list_(list), name_(name) {}

  Claim& add(std::string statement, std::string printed, std::string_view unit, double ours) {
    list_.push_back({.source = name_,
                     .statement = std::move(statement),
                     .printed = std::move(printed),
                     .unit = unit,
                     .ours = ours});
    return list_.back();
  }
  void add_if(std::string statement, std::string printed, std::string_view unit, double ours, std::string convention,
              double by_convention) {
    Claim& claim = add(std::move(statement), std::move(printed), unit, ours);
    claim.convention = std::move(convention);
    claim.by_convention = by_convention;
  }
  Claim& add_wrong(std::string statement, std::string printed, std::string_view unit, double ours, std::string reason) {
    Claim& claim = add(std::move(statement), std::move(printed), unit, ours);
    claim.reason = std::move(reason);
    return claim;
  }

 private:
  std::vector<Claim>& list_;
  std::string_view name_;
};

void add_article(std::vector<Claim>& list) {
  Source article(list, "the article that kvlab grew from, its table of bytes a token in bf16");
  const double llama = bytes_a_token("llama-3-8b"), mistral = bytes_a_token("mistral-7b-v0.1");
  article
      .add_wrong("Llama-3-8B", "32", "KB", llama / kKilo,
                 fmt::format("{:.0f} KiB follow from the article's own formula, 4 times as many; 32 KiB are those of "
                             "Llama-3.2-1B ({:.0f} KiB)",
                             llama / kKibi, bytes_a_token("llama-3.2-1b") / kKibi))
      .about = true;
  article.add("Llama-3-70B", "327", "KB", bytes_a_token("llama-3-70b") / kKilo).about = true;
  const ModelConfig llama_2 = model("llama-2-70b");
  article
      .add_wrong(
          "Llama-2-70B, as MHA with 64 KV heads", "2.6", "MB", bytes_a_token("llama-2-70b") / kMega,
          fmt::format("the published model has {} KV heads; {:.2f} MB would be those of one with {}", llama_2.kv_heads,
                      2 * values_as_mha(llama_2, static_cast<double>(llama_2.heads)) / kMega, llama_2.heads))
      .about = true;
  article
      .add_wrong(
          "Mistral 7B", "28", "KB", mistral / kKilo,
          fmt::format("its layers store what those of Llama-3-8B do, {:.0f} KiB a token; the window of v0.1 caps "
                      "the whole at {:.0f} MiB",
                      mistral / kKibi, bytes_at("mistral-7b-v0.1", 1 << 20) / kMebi))
      .about = true;
}

void add_engines(std::vector<Claim>& list) {
  Source paper(list, "vLLM paper, section 3 (arXiv 2309.06180)");
  const double opt = bytes_a_token("OPT-13B"), opt_full = bytes_at("OPT-13B", 2048);
  paper.add_if("OPT-13B, a token", "800", "KB", opt / kKilo, "KB means KiB", opt / kKibi);
  paper.add_if("OPT-13B, 2,048 tokens", "1.6", "GB", opt_full / kGiga, "GB means GiB", opt_full / kGibi);

  Source issue(list, "vllm issue 10517");
  const double block = bytes_at("llama-3.1-8b", 16);
  issue.add("Llama-3.1-8B, 1,952 blocks of 16 tokens", "3.81", "GiB", 1952 * block / kGibi);
  issue.add("requests of 20,000 tokens in those blocks", "1.56", "x", 1952 * block / bytes_at("llama-3.1-8b", 20000));

  Source discussion(list, "llama.cpp's log in a Hugging Face discussion of Command-R");
  for (const auto& [name, shown, mebibytes] :
       {std::tuple("mixtral-8x7b", "Mixtral 8x7B", "256"), std::tuple("llama-3-8b", "Llama-3-8B", "256"),
        std::tuple("llama-3-70b", "Llama-3-70B", "640"),
        std::tuple("Command-R", "Command-R, MHA with 64 KV heads", "2560")})
    discussion.add(fmt::format("{}, f16, 2,048 tokens", shown), mebibytes, "MiB", bytes_at(name, 2048) / kMebi);
}

void add_posts(std::vector<Claim>& list) {
  Source nvidia(list, "NVIDIA, \"Mastering LLM Techniques: Inference Optimization\"");
  nvidia.add("Llama-2-7B, fp16, batch 1, 4,096 tokens", "2", "GB", bytes_at("llama-2-7b", 4096) / kGiga).about = true;

  Source post(list, "Hugging Face's post on Llama 3.1");
  constexpr std::string_view k1024 = "1k means 1,024 and GB means GiB", kGiB = "GB means GiB (and 16k is 16,000)";
  for (const auto& [name, shown, at_1k, at_16k, at_128k] :
       {std::tuple("llama-3.1-8b", "Llama-3.1-8B", "0.125", "1.95", "15.62"),
        std::tuple("llama-3.1-70b", "Llama-3.1-70B", "0.313", "4.88", "39.06")}) {
    post.add_if(fmt::format("{} at 1k tokens", shown), at_1k, "GB", bytes_at(name, 1000) / kGiga, std::string(k1024),
                bytes_at(name, 1024) / kGibi);
    post.add_if(fmt::format("{} at 16k tokens", shown), at_16k, "GB", bytes_at(name, 16000) / kGiga, std::string(kGiB),
                bytes_at(name, 16000) / kGibi);
    post.add_if(fmt::format("{} at 128k tokens", shown), at_128k, "GB", bytes_at(name, 128000) / kGiga,
                "GB means GiB (and 128k is 128,000)", bytes_at(name, 128000) / kGibi);
  }
  for (const auto& [length, tokens, as_counted, printed] :
       {std::tuple("1k", 1000, 1024, "0.984"), std::tuple("16k", 16000, 16000, "15.38"),
        std::tuple("128k", 128000, 128000, "123.05")}) {
    const double counted = bytes_at("llama-3.1-405b", as_counted) / kGibi;
    post.add_wrong(fmt::format("Llama-3.1-405B at {} tokens", length), printed, "GB",
                   bytes_at("llama-3.1-405b", tokens) / kGiga,
                   fmt::format("twice the {:.3f} GiB of its 8 KV heads, counted as the rows beside it are ({:.2f})",
                               counted, 2 * counted));
  }

  Source kipply(list, "kipply, \"Transformer Inference Arithmetic\"");
  kipply.add("a 52B model with 64 layers, model_dim 8,192 and MHA, a token", "2097152", "B",
             bytes_a_token("a 52B model"));
}

void add_deepseek(std::vector<Claim>& list) {
  Source isca(list, "DeepSeek, ISCA 2025 (arXiv 2505.09343), table 1");
  const double v3 = bytes_a_token("deepseek-v3"), qwen = bytes_a_token("qwen2.5-72b");
  const double llama = bytes_a_token("llama-3.1-405b");
  isca.add("DeepSeek-V3, a token", "70.272", "KB", v3 / kKilo);
  isca.add("Qwen2.5-72B, a token", "327.680", "KB", qwen / kKilo);
  isca.add("Llama-3.1-405B, a token", "516.096", "KB", llama / kKilo);
  isca.add("Qwen2.5-72B over DeepSeek-V3", "4.66", "x", qwen / v3);
  isca.add_wrong("Llama-3.1-405B over DeepSeek-V3", "7.28", "x", llama / v3,
                 fmt::format("the table's own two numbers give {:.3f}", llama / v3));

  Source v2(list, "DeepSeek-V2 (arXiv 2405.04434)");
  const double ours = values_a_token("deepseek-v2"), theirs = values_a_token("DeepSeek 67B");
  v2.add_if("abstract: its cache is smaller than that of DeepSeek 67B by", "93.3", "%", 100 * (1 - ours / theirs),
            "its values take 6 bits (section 3.2.3), and those of DeepSeek 67B 16",
            100 * (1 - 6 * ours / (16 * theirs)));
  const ModelConfig small = model("deepseek-v2-lite"), large = model("deepseek-v2");
  v2.add("table 7: small model with MHA, values a token", "110.6", "K",
         values_as_mha(small, static_cast<double>(small.heads)) / kKilo);
  v2.add("table 7: small model with MLA, values a token", "15.6", "K", values_a_token("deepseek-v2-lite") / kKilo);
  v2.add_if("table 7: large model with MHA, values a token", "860.2", "K",
            values_as_mha(large, static_cast<double>(large.heads)) / kKilo,
            "that model has 56 heads of 128 in 60 layers, which the paper does not print",
            values_as_mha(large, 56) / kKilo);
  v2.add("table 7: large model with MLA, values a token", "34.6", "K", ours / kKilo);
  v2.add("MLA stores as much as GQA with so many KV heads", "2.25", "heads",
         ours / static_cast<double>(large.layers) / static_cast<double>(2 * large.latent.nope_dim));

  Source higgs(list, "panbanda/higgs, pull request 254");
  const double latent = bytes_a_token("deepseek-v2-lite");
  const auto expanded =
      static_cast<double>(2 * small.layers * small.heads * (small.key_head_dim + small.value_head_dim));
  higgs.add("DeepSeek-V2-Lite, K and V of every head, a token", "276480", "B", expanded);
  higgs.add("DeepSeek-V2-Lite, latent, a token", "31104", "B", latent);
  higgs.add("the one over the other", "8.9", "x", expanded / latent);

  Source imp(list, "kekzl/imp, pull request 803");
  const auto padded = static_cast<double>(2 * small.layers * small.heads * (2 * small.key_head_dim));
  imp.add_if("DeepSeek-V2-Lite, K and V of every head over the latent", "10.7", "x", expanded / latent,
             fmt::format("V is padded from {} to the {} of K", small.value_head_dim, small.key_head_dim),
             padded / latent);
}

void add_windows(std::vector<Claim>& list) {
  Source jamba(list, "Jamba-1.5 (arXiv 2408.12570), table 1: KV cache at 256K tokens");
  for (const auto& [name, shown, printed] :
       {std::tuple("mistral-7b-v0.3", "Mistral 7B", "32"), std::tuple("mixtral-8x7b", "Mixtral 8x7B", "32"),
        std::tuple("llama-3.1-8b", "Llama-3.1-8B", "32"), std::tuple("Mixtral 8x22B", "Mixtral 8x22B", "56"),
        std::tuple("Mistral Large 2", "Mistral Large 2", "88"), std::tuple("llama-3.1-70b", "Llama-3.1-70B", "80")})
    jamba.add_if(shown, printed, "GB", bytes_at(name, 256000) / kGiga, "256K means 262,144 and GB means GiB",
                 bytes_at(name, 262144) / kGibi);

  Source mistral(list, "Mistral 7B (arXiv 2310.06825): a window of 4,096 positions");
  mistral.add("v0.1: its cache at 32,768 tokens over that at 4,096", "1", "x",
              bytes_at("mistral-7b-v0.1", 32768) / bytes_at("mistral-7b-v0.1", 4096));
}

}  // namespace

std::vector<Claim> claims() {
  std::vector<Claim> list;
  add_article(list);
  add_engines(list);
  add_posts(list);
  add_deepseek(list);
  add_windows(list);
  return list;
}

}  // namespace kv

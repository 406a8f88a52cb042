#include "cli/generate_report.h"

#include <fmt/format.h>

#include "cli/json_output.h"
#include "model/bytes.h"

namespace kv::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of_form(cpu::LatentForm form) {
  return form == cpu::LatentForm::absorbed ? "absorbed" : "materialised";
}

// null where nothing was measured.
Json rate(const std::optional<DecodeRates>& rates, double DecodeRates::*which) {
  return rates ? Json((*rates).*which) : Json(nullptr);
}

}  // namespace

std::optional<DecodeRates> decode_rates(const cpu::Generation& made) {
  if (made.decode_steps == 0 || !(made.decode_seconds > 0)) return std::nullopt;
  const auto bytes = static_cast<double>(made.decode.weight_bytes + made.decode.cache_bytes_read);
  const auto steps = static_cast<double>(made.decode_steps);
  return DecodeRates{steps / made.decode_seconds, bytes / steps, bytes / made.decode_seconds / 1e9};
}

std::string hash_text(uint64_t hash) { return fmt::format("0x{:016x}", hash); }

std::string closing_line(const cpu::Generation& made, const cpu::GenerateOptions& options) {
  std::string line = fmt::format("{} token{}", made.tokens.size(), made.tokens.size() == 1 ? "" : "s");
  if (const auto rates = decode_rates(made)) {
    const Bytes read{static_cast<int64_t>(rates->bytes_read_per_token)};
    line += fmt::format(", {:.{}f} tokens/s; {} read a token, {:.2f} GB/s", rates->tokens_per_second,
                        rates->tokens_per_second < 10 ? 1 : 0, to_decimal_string(read), rates->gigabytes_per_second);
  }
  if (options.cache == cpu::CacheUse::on)
    line += fmt::format("; KV cache {} ({})", to_string(Bytes{made.kv_bytes}), name_of(options.cache_dtype));
  else
    line += fmt::format("; no KV cache (keys and values rounded to {})", name_of(options.cache_dtype));
  return line + "; logits " + hash_text(made.logits_hash);
}

std::string json_report(const LoadedModel& model, const GenerateSettings& settings, std::span<const int32_t> prompt,
                        const cpu::Generation& made, const std::string& text) {
  const auto rates = decode_rates(made);
  Json report;
  report["model"] = model.config.name;
  report["prompt_tokens"] = prompt.size();
  report["prompt_ids"] = prompt;
  report["tokens"] = made.tokens;
  report["text"] = model.tokenizer ? Json(text) : Json(nullptr);
  report["prefill_seconds"] = made.prefill_seconds;
  report["decode_seconds"] = made.decode_seconds;
  report["decode_steps"] = made.decode_steps;
  report["decode_tokens_per_second"] = rate(rates, &DecodeRates::tokens_per_second);
  report["bytes_read_per_token"] = rate(rates, &DecodeRates::bytes_read_per_token);
  report["gigabytes_per_second"] = rate(rates, &DecodeRates::gigabytes_per_second);
  report["kv_bytes"] = made.kv_bytes;
  report["logits_hash"] = hash_text(made.logits_hash);
  report["cache"] = settings.options.cache == cpu::CacheUse::on ? "on" : "off";
  report["cache_dtype"] = name_of(settings.options.cache_dtype);
  report["weights_dtype"] = name_of(model.config.weights_dtype);
  report["form"] = model.config.has_latent_attention() ? Json(name_of_form(settings.options.form)) : Json(nullptr);
  report["device"] = "cpu";
  report["threads"] = settings.threads;
  report["counters"] = {{"prefill", json_of(made.prefill)}, {"decode", json_of(made.decode)}};
  return document_text(report);
}

}  // namespace kv::cli

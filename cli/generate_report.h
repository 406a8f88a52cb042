// What a run of `generate` says about itself: a line for people, a document for programs. All of it measured (seconds)
// or counted (bytes, FLOPs); nothing is predicted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cli/generate_settings.h"

namespace kv::cli {

// Rates of the decode steps; nothing when there were none (one token is drawn from the prompt's own logits).
struct DecodeRates {
  double tokens_per_second = 0;
  double bytes_read_per_token = 0;  // weights and cache
  double gigabytes_per_second = 0;  // 10^9 bytes
};
std::optional<DecodeRates> decode_rates(const cpu::Generation& made);

std::string hash_text(uint64_t hash);

// "24 tokens, 310 tokens/s; 6.59 MB read a token, 2.04 GB/s; KV cache 23.0 KiB (bf16); logits 0x..."
std::string closing_line(const cpu::Generation& made, const cpu::GenerateOptions& options);

// `text` must be valid UTF-8.
std::string json_report(const LoadedModel& model, const GenerateSettings& settings, std::span<const int32_t> prompt,
                        const cpu::Generation& made, const std::string& text);

}  // namespace kv::cli

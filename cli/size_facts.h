// What `kvlab size` was asked, and everything that it found, before any of it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/described_model.h"
#include "cli/served_device.h"
#include "model/bytes.h"
#include "model/number_format.h"

namespace kv::cli {

struct SizeSettings {
  std::string model;
  int64_t tokens = 0;  // of each request; 0: the model's full context
  int64_t batch = 1;
  int64_t ranks = 1;
  NumberFormat cache = Dtype::bf16;
  NumberFormat weights = Dtype::bf16;
  bool weights_given = false;
  int64_t reserve_bytes = 0;
  DeviceOptions device;
  ByteUnit unit = ByteUnit::GiB;
  bool json = false, csv = false;
};

// What a device holds.
struct Fit {
  ServedDevice device;
  // Nothing where the parameters are not known.
  std::optional<int64_t> room_bytes;  // for caches and states
  std::optional<int64_t> free_bytes;  // after them; negative: so much too little
  std::optional<int64_t> most_requests;
  std::optional<int64_t> longest;        // of `batch` requests; nothing: any length
  std::optional<int64_t> next_stops_at;  // a request more does not fit from this length on; nothing: it always fits
};

struct SizeFacts {
  SizeSettings settings;
  DescribedModel model;
  int64_t tokens = 0;

  int64_t token_bytes = 0;        // of a request's first token
  int64_t past_window_bytes = 0;  // of one more once every window is full
  int64_t request_bytes = 0;
  int64_t cache_bytes = 0;                             // of all requests, each value once
  int64_t state_bytes = 0;                             // of all requests
  int64_t rank_token_bytes = 0, rank_cache_bytes = 0;  // the same on one rank

  std::optional<int64_t> parameters, active_parameters, weights_bytes;  // nothing where they are not known
  std::optional<Fit> fit;
  std::vector<std::string> assumed;

  bool whole() const { return settings.ranks == 1; }
  // The name of what weights are counted in; "file" where they are counted as they lie there.
  std::string weights_format() const;
};

// Throws UsageError, std::runtime_error, std::invalid_argument and std::overflow_error.
SizeFacts size_facts(const SizeSettings& settings);

// "32 layers x 8 KV heads x (128 K + 128 V) x 131,072 tokens x 2 bytes = 17,179,869,184 bytes"
std::string cache_formula(const ModelConfig& config, int64_t tokens, int64_t batch, const NumberFormat& format);

std::string size_text(const SizeFacts& facts);
std::string size_json(const SizeFacts& facts);
std::string size_csv(const SizeFacts& facts);

}  // namespace kv::cli

// What `kvlab cost` was asked, and everything that it found, before any of it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/described_model.h"
#include "cli/served_device.h"
#include "model/call_cost.h"
#include "model/roofline.h"
#include "model/work.h"

namespace kv::cli {

enum class Phase { prefill, decode };
std::string_view name_of(Phase phase);
std::string_view name_of(LatentWork form);

struct CostSettings {
  std::string model;
  Phase phase = Phase::decode;
  int64_t context = 0;  // that the step sees, or of the prompt; 0: a default
  int64_t chunk = 0;    // tokens of a call of the prefill; 0: all in one
  Setting setting;
  bool form_given = false;
  DeviceOptions device;
  bool json = false, csv = false;
};

struct CostFacts {
  CostSettings settings;
  DescribedModel model;
  int64_t context = 0;

  CostByPart parts;
  Cost total;
  Cost with_cache, without_cache;  // the same phase either way; one of them is `total`
  // Latent attention, absorbed: the same without a cache, K and V rebuilt, which takes far fewer FLOPs for many tokens.
  std::optional<Cost> without_cache_materialised;
  std::optional<int64_t> cache_outweighs_weights_at;  // context
  std::optional<double> absorb_below;                 // queries in a call, at this context
  std::optional<ServedDevice> device;
  std::vector<std::string> assumed;

  Prediction prediction() const { return predict(total, device ? device->speeds() : Speeds{}); }
};

// How many times as many FLOPs or bytes.
inline double ratio_of(int64_t more, int64_t than) { return static_cast<double>(more) / static_cast<double>(than); }

// Throws UsageError, std::runtime_error, std::invalid_argument and std::overflow_error.
CostFacts cost_facts(const CostSettings& settings);

std::string cost_text(const CostFacts& facts);
std::string cost_json(const CostFacts& facts);
std::string cost_csv(const CostFacts& facts);

}  // namespace kv::cli

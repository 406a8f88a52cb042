// The families of Hugging Face's config.json, by model_type, and what each takes for granted when a config is silent:
// the defaults of transformers' configuration classes.
#pragma once

#include <cstdint>

#include "model/config.h"
#include "model/files/hf_fields.h"
#include "model/files/json.h"

namespace kv {

struct HfFamily {
  Family family;
  // Sizes, which a file has to state unless it keeps the language model in an object of its own: their writers leave
  // out what equals the default.
  int64_t vocab, model_dim, layers, heads;
  int64_t hidden_dim;  // 0: 4 x model_dim, in every file that is silent
  int64_t kv_heads;    // 0: as many as heads
  int64_t head_dim;    // 0: model_dim / heads
  int64_t max_context;
  double norm_eps;
  double rope_theta;  // 0: positions are not turned into rotations
  bool tied;
};

// The defaults of a family.
const HfFamily& hf_family(Family family);
// The family that a model_type names; throws FormatError that lists the known ones.
const HfFamily& hf_family(const JsonValue& model_type);

// What a family calls its sizes.
struct HfKeys {
  HfKey layers, model_dim, hidden_dim, heads, max_context;
  HfKey norm_eps;
};
HfKeys hf_keys(Family family);

// Whether kvlab computes with the family; the others are described, sized and priced.
bool runs(Family family);

}  // namespace kv

#include "model/call_cost.h"

#include <fmt/format.h>

#include <stdexcept>

#include "model/checked.h"

namespace kv {

namespace {

// One layer's attention: from the projections to the output, with what is stored in the cache.
class AttentionParts {
 public:
  AttentionParts(const ModelConfig& config, const Call& call, const Storage& storage, CostByPart& parts)
      : config_(config), call_(call), storage_(storage), rows_(call.rows()), parts_(parts) {}

  // Layers that share a cache have no K and V of their own.
  void add_per_head(int64_t layer) {
    const LayerCache& own = config_.layer_cache[static_cast<size_t>(layer)];
    const bool shares = own.kind == LayerCache::Kind::shared;
    const LayerCache& cache = shares ? config_.layer_cache[static_cast<size_t>(own.source)] : own;
    const int64_t heads = config_.sizes_of(layer).heads;
    add_head_rows(heads, cache.key_head_dim, true);
    if (!shares) {
      add_head_rows(cache.kv_heads, cache.key_head_dim, true);
      add_head_rows(cache.kv_heads, cache.value_head_dim, false);
    }
    AttentionWork work{heads, cache.key_head_dim, cache.value_head_dim, own.window};
    work.row_bytes = cache.kv_heads *
                     (storage_.cache.row_bytes(cache.key_head_dim) + storage_.cache.row_bytes(cache.value_head_dim));
    work.sinks = config_.attention_sinks;
    parts_[Part::attention] += attention_cost(call_, work, storage_);
    if (!shares) append(work.row_bytes);
    add_output(heads * cache.value_head_dim);
  }

  void add_latent() {
    const LatentConfig& latent = config_.latent;
    const int64_t query_rows = config_.heads * config_.key_head_dim;
    if (latent.query_latent_dim == 0) {
      parts_[Part::up_projections] += projection(rows_, config_.model_dim, query_rows, false);
    } else {
      parts_[Part::down_projections] += projection(rows_, config_.model_dim, latent.query_latent_dim, config_.qkv_bias);
      parts_[Part::norms] += norm(1, latent.query_latent_dim);
      parts_[Part::up_projections] += projection(rows_, latent.query_latent_dim, query_rows, false);
    }
    parts_[Part::down_projections] +=
        projection(rows_, config_.model_dim, latent.latent_dim + latent.rope_dim, config_.qkv_bias);
    parts_[Part::norms] += norm(1, latent.latent_dim);
    parts_[Part::rotation] += rope_cost(rows_, config_.heads, latent.rope_dim, storage_);
    parts_[Part::rotation] += rope_cost(rows_, 1, latent.rope_dim, storage_);
    add_latent_core();
    add_output(config_.heads * config_.value_head_dim);
  }

 private:
  Cost projection(int64_t rows, int64_t in, int64_t out, bool bias) const {
    return projection_cost(rows, in, out, bias, storage_);
  }
  Cost norm(int64_t each, int64_t dim) const { return norm_cost(rows_, each, dim, false, storage_); }

  // Queries, keys or values: projected, and unless they are values normed and rotated.
  void add_head_rows(int64_t heads, int64_t dim, bool turned) {
    parts_[Part::projections] += projection(rows_, config_.model_dim, heads * dim, config_.qkv_bias);
    if (!turned) return;
    if (config_.query_key_norm) parts_[Part::norms] += norm(heads, dim);
    if (config_.norm_of_all_heads) parts_[Part::norms] += norm(1, heads * dim);
    if (config_.rope.dim > 0) parts_[Part::rotation] += rope_cost(rows_, heads, config_.rope.dim, storage_);
  }

  void add_latent_core() {
    const int64_t latent = config_.latent.latent_dim, rope = config_.latent.rope_dim;
    const int64_t latent_row = storage_.cache.row_bytes(latent) + storage_.cache.row_bytes(rope);
    AttentionWork work{config_.heads, config_.key_head_dim, config_.value_head_dim};
    int64_t stored_row = latent_row, rebuilt_rows = rows_;
    if (call_.form == LatentWork::absorbed) {
      work.key_dim = latent + rope;
      work.value_dim = latent;
      work.row_bytes = latent_row;
    } else if (call_.form == LatentWork::expanded) {
      stored_row = config_.heads *
                   (storage_.cache.row_bytes(config_.key_head_dim) + storage_.cache.row_bytes(config_.value_head_dim));
      work.row_bytes = stored_row;
    } else {
      work.row_bytes = latent_row;  // read by the rebuilding
      rebuilt_rows = checked_product({call_.batch, checked_sum({call_.past, call_.tokens})});
    }
    parts_[Part::up_projections] +=
        projection(rebuilt_rows, latent, config_.heads * (config_.latent.nope_dim + config_.value_head_dim), false);
    parts_[Part::attention] += attention_cost(call_, work, storage_);
    append(stored_row);
  }

  void append(int64_t row_bytes) {
    Cost cost;
    cost.kv_projections = rows_;
    if (call_.cache == CacheWork::on) cost.cache_bytes_written = checked_product({rows_, row_bytes});
    parts_[Part::attention] += cost;
  }

  void add_output(int64_t in) {
    parts_[Part::output_projection] += projection(rows_, in, config_.model_dim, config_.output_bias);
  }

  const ModelConfig& config_;
  const Call& call_;
  const Storage& storage_;
  int64_t rows_;
  CostByPart& parts_;
};

}  // namespace

CostByPart layer_cost_by_part(const ModelConfig& config, int64_t layer, const Call& call, const Storage& storage) {
  CostByPart parts;
  AttentionParts attention(config, call, storage, parts);
  switch (config.layer_cache[static_cast<size_t>(layer)].kind) {
    case LayerCache::Kind::latent: attention.add_latent(); break;
    case LayerCache::Kind::per_head:
    case LayerCache::Kind::shared: attention.add_per_head(layer); break;
    case LayerCache::Kind::none:
      throw std::invalid_argument(
          fmt::format("layer {} is no attention layer: kvlab sizes its state, but does not know its work", layer));
  }
  const int64_t rows = call.rows();
  parts[config.sizes_of(layer).experts ? Part::experts : Part::feed_forward] +=
      feed_forward_cost(config, layer, rows, storage);
  for (int64_t norm = 0; norm < config.norms_per_layer; ++norm)
    parts[Part::norms] += norm_cost(rows, 1, config.model_dim, config.norm_bias, storage);
  for (int addition = 0; addition < 2; ++addition) parts[Part::norms] += residual_cost(rows, config.model_dim, storage);
  return parts;
}

std::string_view name_of(Part part) {
  switch (part) {
    case Part::embedding: return "embedding";
    case Part::projections: return "query, key, value projections";
    case Part::down_projections: return "down projections";
    case Part::up_projections: return "up projections";
    case Part::rotation: return "rotation";
    case Part::attention: return "scores, softmax, weighted sum";
    case Part::output_projection: return "output projection";
    case Part::feed_forward: return "feed-forward";
    case Part::experts: return "experts";
    case Part::norms: return "norms and residuals";
    case Part::head: return "head";
  }
  return "?";
}

CostByPart& CostByPart::operator+=(const CostByPart& other) {
  for (size_t i = 0; i < kParts; ++i) parts[i] += other.parts[i];
  return *this;
}

Cost CostByPart::total() const {
  Cost total;
  for (const Cost& part : parts) total += part;
  return total;
}

std::vector<Part> CostByPart::occurring() const {
  std::vector<Part> list;
  for (size_t i = 0; i < kParts; ++i)
    if (parts[i] != Cost{}) list.push_back(static_cast<Part>(i));
  return list;
}

CostByPart ends_cost_by_part(const ModelConfig& config, const Call& call, const Storage& storage) {
  CostByPart parts;
  parts[Part::embedding] += embedding_cost(config, call.rows(), storage);
  const int64_t asked = checked_product({call.batch, call.logit_rows});
  if (asked > 0) {
    parts[Part::norms] += norm_cost(asked, 1, config.model_dim, config.norm_bias, storage);
    parts[Part::head] += head_cost(config, asked, storage);
  }
  return parts;
}

CostByPart call_cost_by_part(const ModelConfig& config, const Call& call, const Storage& storage) {
  CostByPart parts = ends_cost_by_part(config, call, storage);
  for (int64_t layer = 0; layer < config.layers; ++layer) parts += layer_cost_by_part(config, layer, call, storage);
  return parts;
}

Cost layer_cost(const ModelConfig& config, int64_t layer, const Call& call, const Storage& storage) {
  return layer_cost_by_part(config, layer, call, storage).total();
}

Cost ends_cost(const ModelConfig& config, const Call& call, const Storage& storage) {
  return ends_cost_by_part(config, call, storage).total();
}

Cost call_cost(const ModelConfig& config, const Call& call, const Storage& storage) {
  return call_cost_by_part(config, call, storage).total();
}

}  // namespace kv

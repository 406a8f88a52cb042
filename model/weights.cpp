#include "model/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "model/blocks.h"
#include "model/random.h"

namespace kv {

WeightMatrix WeightMatrix::row_block(int64_t begin, int64_t count) const {
  WeightMatrix block = *this;
  block.data = row(begin);
  block.rows = count;
  return block;
}

std::vector<ExpectedTensor> expected_tensors(const ModelConfig& config, Weights& weights) {
  std::vector<ExpectedTensor> list;
  const auto matrix = [&](std::string name, int64_t rows, int64_t cols, WeightMatrix& place) {
    list.push_back({std::move(name), rows, cols, false, &place});
  };
  const auto vector = [&](std::string name, int64_t size, WeightMatrix& place) {
    list.push_back({std::move(name), 1, size, true, &place});
  };
  // A projection, with its bias when the model has one.
  const auto projection = [&](const std::string& name, int64_t rows, int64_t cols, WeightMatrix& place,
                              WeightMatrix& bias, bool has_bias) {
    matrix(name + ".weight", rows, cols, place);
    if (has_bias) vector(name + ".bias", rows, bias);
  };
  const LatentConfig& latent = config.latent;

  weights.layers.resize(static_cast<size_t>(config.layers));
  matrix("model.embed_tokens.weight", config.vocab, config.model_dim, weights.embedding);
  for (int64_t index = 0; index < config.layers; ++index) {
    LayerWeights& layer = weights.layers[static_cast<size_t>(index)];
    const LayerSizes sizes = config.sizes_of(index);
    const int64_t query_rows = sizes.heads * config.key_head_dim;
    const std::string block = fmt::format("model.layers.{}.", index);
    const std::string attention = block + "self_attn.";
    vector(block + "input_layernorm.weight", config.model_dim, layer.attention_norm);
    if (!config.has_latent_attention()) {
      projection(attention + "q_proj", query_rows, config.model_dim, layer.query, layer.query_bias, config.qkv_bias);
      projection(attention + "k_proj", sizes.kv_heads * config.key_head_dim, config.model_dim, layer.key,
                 layer.key_bias, config.qkv_bias);
      projection(attention + "v_proj", sizes.kv_heads * config.value_head_dim, config.model_dim, layer.value,
                 layer.value_bias, config.qkv_bias);
      if (config.query_key_norm) {
        vector(attention + "q_norm.weight", config.key_head_dim, layer.query_norm);
        vector(attention + "k_norm.weight", config.key_head_dim, layer.key_norm);
      }
    } else {
      if (latent.query_latent_dim == 0) {
        matrix(attention + "q_proj.weight", query_rows, config.model_dim, layer.query);
      } else {
        projection(attention + "q_a_proj", latent.query_latent_dim, config.model_dim, layer.query_down,
                   layer.query_down_bias, config.qkv_bias);
        vector(attention + "q_a_layernorm.weight", latent.query_latent_dim, layer.query_down_norm);
        matrix(attention + "q_b_proj.weight", query_rows, latent.query_latent_dim, layer.query_up);
      }
      projection(attention + "kv_a_proj_with_mqa", latent.latent_dim + latent.rope_dim, config.model_dim,
                 layer.latent_down, layer.latent_down_bias, config.qkv_bias);
      vector(attention + "kv_a_layernorm.weight", latent.latent_dim, layer.latent_norm);
      matrix(attention + "kv_b_proj.weight", sizes.heads * (latent.nope_dim + config.value_head_dim), latent.latent_dim,
             layer.latent_up);
    }
    projection(attention + "o_proj", config.model_dim, sizes.heads * config.value_head_dim, layer.output,
               layer.output_bias, config.output_bias);
    vector(block + "post_attention_layernorm.weight", config.model_dim, layer.feed_forward_norm);
    projection(block + "mlp.gate_proj", sizes.hidden_dim, config.model_dim, layer.gate, layer.gate_bias,
               config.feed_forward_bias);
    projection(block + "mlp.up_proj", sizes.hidden_dim, config.model_dim, layer.up, layer.up_bias,
               config.feed_forward_bias);
    projection(block + "mlp.down_proj", config.model_dim, sizes.hidden_dim, layer.down, layer.down_bias,
               config.feed_forward_bias);
  }
  vector("model.norm.weight", config.model_dim, weights.final_norm);
  if (!config.tied_embeddings) matrix("lm_head.weight", config.vocab, config.model_dim, weights.head);
  return list;
}

namespace {

// New weights in one arena, row after row: fill_row(t, r, row) gives row r of tensor t.
template <class FillRow>
Weights filled(const ModelConfig& config, Dtype dtype, const FillRow& fill_row) {
  Weights weights;
  const std::vector<ExpectedTensor> list = expected_tensors(config, weights);
  int64_t bytes = 0, longest_row = 0;
  for (const ExpectedTensor& tensor : list) {
    bytes += tensor.rows * bytes_of_row(dtype, tensor.cols);
    longest_row = std::max(longest_row, tensor.cols);
  }
  // Not cleared first: every byte is written below, and touching the pages twice would take twice as long.
  const std::shared_ptr<std::byte[]> arena(new std::byte[static_cast<size_t>(bytes)]);
  std::byte* at = arena.get();
  std::vector<float> row(static_cast<size_t>(longest_row));
  for (size_t t = 0; t < list.size(); ++t) {
    const ExpectedTensor& tensor = list[t];
    *tensor.place = {at, dtype, tensor.rows, tensor.cols, tensor.name};
    for (int64_t r = 0; r < tensor.rows; ++r, at += bytes_of_row(dtype, tensor.cols)) {
      fill_row(t, r, std::span<float>(row.data(), static_cast<size_t>(tensor.cols)));
      narrow_row(dtype, row.data(), tensor.cols, at);
    }
  }
  if (config.tied_embeddings) weights.head = weights.embedding;
  weights.owners.push_back(arena);
  return weights;
}

}  // namespace

void validate(const Weights& weights, const ModelConfig& config) {
  if (std::ssize(weights.layers) != config.layers)
    throw std::invalid_argument(
        fmt::format("weights of {} layers for a config of {}", weights.layers.size(), config.layers));
  Weights views = weights;
  for (const ExpectedTensor& tensor : expected_tensors(config, views)) {
    const WeightMatrix& found = *tensor.place;
    if (!found.present()) throw std::invalid_argument(tensor.name + " is missing");
    if (found.rows != tensor.rows || found.cols != tensor.cols)
      throw std::invalid_argument(fmt::format("{}: expected [{}, {}], found [{}, {}]", tensor.name, tensor.rows,
                                              tensor.cols, found.rows, found.cols));
  }
}

Weights random_weights(const ModelConfig& config, uint64_t seed, Dtype dtype) {
  Weights names;
  const std::vector<ExpectedTensor> list = expected_tensors(config, names);
  std::vector<Random> streams;
  for (const ExpectedTensor& tensor : list) streams.emplace_back(seed, tensor.name);
  return filled(config, dtype, [&](size_t t, int64_t, std::span<float> row) {
    const ExpectedTensor& tensor = list[t];
    const double middle = tensor.vector && tensor.name.find("norm") != std::string::npos ? 1.0 : 0.0;
    const double spread = tensor.vector ? 0.3 : 1.0 / std::sqrt(static_cast<double>(tensor.cols));
    for (float& value : row) value = static_cast<float>(middle + spread * streams[t].normal());
  });
}

Weights converted(const Weights& weights, const ModelConfig& config, Dtype dtype,
                  const std::function<void(const WeightMatrix&)>& done_with) {
  Weights views = weights;
  const std::vector<ExpectedTensor> sources = expected_tensors(config, views);
  return filled(config, dtype, [&](size_t t, int64_t r, std::span<float> row) {
    const WeightMatrix& source = *sources[t].place;
    widen_row(source.dtype, source.row(r), source.cols, row.data());
    if (r + 1 == source.rows && done_with) done_with(source);
  });
}

}  // namespace kv

#include "model/weights.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

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
  const int64_t query_rows = config.heads * config.key_head_dim;
  const LatentConfig& latent = config.latent;

  weights.layers.resize(static_cast<size_t>(config.layers));
  matrix("model.embed_tokens.weight", config.vocab, config.model_dim, weights.embedding);
  for (int64_t index = 0; index < config.layers; ++index) {
    LayerWeights& layer = weights.layers[static_cast<size_t>(index)];
    const std::string block = fmt::format("model.layers.{}.", index);
    const std::string attention = block + "self_attn.";
    vector(block + "input_layernorm.weight", config.model_dim, layer.attention_norm);
    if (!config.has_latent_attention()) {
      projection(attention + "q_proj", query_rows, config.model_dim, layer.query, layer.query_bias, config.qkv_bias);
      projection(attention + "k_proj", config.kv_heads * config.key_head_dim, config.model_dim, layer.key,
                 layer.key_bias, config.qkv_bias);
      projection(attention + "v_proj", config.kv_heads * config.value_head_dim, config.model_dim, layer.value,
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
      matrix(attention + "kv_b_proj.weight", config.heads * (latent.nope_dim + config.value_head_dim),
             latent.latent_dim, layer.latent_up);
    }
    projection(attention + "o_proj", config.model_dim, config.heads * config.value_head_dim, layer.output,
               layer.output_bias, config.output_bias);
    vector(block + "post_attention_layernorm.weight", config.model_dim, layer.feed_forward_norm);
    projection(block + "mlp.gate_proj", config.hidden_dim, config.model_dim, layer.gate, layer.gate_bias,
               config.feed_forward_bias);
    projection(block + "mlp.up_proj", config.hidden_dim, config.model_dim, layer.up, layer.up_bias,
               config.feed_forward_bias);
    projection(block + "mlp.down_proj", config.model_dim, config.hidden_dim, layer.down, layer.down_bias,
               config.feed_forward_bias);
  }
  vector("model.norm.weight", config.model_dim, weights.final_norm);
  if (!config.tied_embeddings) matrix("lm_head.weight", config.vocab, config.model_dim, weights.head);
  return list;
}

namespace {

// Reads element i of stored values as f32 (f64 does not occur in weights).
float stored_value(const WeightMatrix& matrix, int64_t i) {
  const std::byte* at = matrix.data + i * bytes_of(matrix.dtype);
  if (matrix.dtype == Dtype::f32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return matrix.dtype == Dtype::bf16 ? from_bf16(bits) : from_f16(bits);
}

void store_value(std::byte* at, Dtype dtype, float value) {
  if (dtype == Dtype::f32) {
    std::memcpy(at, &value, sizeof value);
    return;
  }
  const uint16_t bits = dtype == Dtype::bf16 ? to_bf16(value) : to_f16(value);
  std::memcpy(at, &bits, sizeof bits);
}

// New weights whose value i of tensor t is value(t, i), in one arena.
template <class Value>
Weights filled(const ModelConfig& config, Dtype dtype, const Value& value) {
  if (dtype == Dtype::f64) throw std::invalid_argument("weights are stored as f32, f16 or bf16");
  Weights weights;
  const std::vector<ExpectedTensor> list = expected_tensors(config, weights);
  int64_t bytes = 0;
  for (const ExpectedTensor& tensor : list) bytes += tensor.rows * tensor.cols * bytes_of(dtype);
  const auto arena = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(bytes));
  std::byte* at = arena->data();
  for (size_t t = 0; t < list.size(); ++t) {
    *list[t].place = {at, dtype, list[t].rows, list[t].cols, list[t].name};
    for (int64_t i = 0; i < list[t].rows * list[t].cols; ++i, at += bytes_of(dtype))
      store_value(at, dtype, value(t, i));
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
  return filled(config, dtype, [&](size_t t, int64_t) {
    const ExpectedTensor& tensor = list[t];
    const double draw = streams[t].normal();
    if (!tensor.vector) return static_cast<float>(draw / std::sqrt(static_cast<double>(tensor.cols)));
    const bool is_norm = tensor.name.find("norm") != std::string::npos;
    return static_cast<float>(is_norm ? 1.0 + 0.3 * draw : 0.3 * draw);
  });
}

Weights converted(const Weights& weights, const ModelConfig& config, Dtype dtype) {
  Weights views = weights;
  const std::vector<ExpectedTensor> sources = expected_tensors(config, views);
  return filled(config, dtype, [&](size_t t, int64_t i) { return stored_value(*sources[t].place, i); });
}

int64_t parameter_count(const ModelConfig& config) {
  Weights weights;
  int64_t count = 0;
  for (const ExpectedTensor& tensor : expected_tensors(config, weights)) count += tensor.rows * tensor.cols;
  return count;
}

}  // namespace kv

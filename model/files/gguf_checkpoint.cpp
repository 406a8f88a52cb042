#include "model/files/gguf_checkpoint.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <set>

#include "model/blocks.h"
#include "model/error.h"
#include "model/files/gguf.h"
#include "model/files/gguf_config.h"
#include "model/files/gguf_tokenizer.h"
#include "model/files/printable.h"
#include "model/files/stored_weights.h"

namespace kv {

namespace {

// --- Names. The forward pass asks for tensors as Hugging Face calls them. ---

struct NamePair {
  std::string_view theirs, ours;
};
constexpr std::array<NamePair, 3> kEnds = {{
    {"token_embd.", "model.embed_tokens."},
    {"output_norm.", "model.norm."},
    {"output.", "lm_head."},
}};
constexpr std::array<NamePair, 16> kParts = {{
    {"attn_norm.", "input_layernorm."},
    {"attn_q.", "self_attn.q_proj."},
    {"attn_k.", "self_attn.k_proj."},
    {"attn_v.", "self_attn.v_proj."},
    {"attn_output.", "self_attn.o_proj."},
    {"attn_q_norm.", "self_attn.q_norm."},
    {"attn_k_norm.", "self_attn.k_norm."},
    {"attn_q_a.", "self_attn.q_a_proj."},
    {"attn_q_a_norm.", "self_attn.q_a_layernorm."},
    {"attn_q_b.", "self_attn.q_b_proj."},
    {"attn_kv_a_mqa.", "self_attn.kv_a_proj_with_mqa."},
    {"attn_kv_a_norm.", "self_attn.kv_a_layernorm."},
    {"ffn_norm.", "post_attention_layernorm."},
    {"ffn_gate.", "mlp.gate_proj."},
    {"ffn_up.", "mlp.up_proj."},
    {"ffn_down.", "mlp.down_proj."},
}};

// "model.layers.3.self_attn.q_proj.weight" -> "blk.3.attn_q.weight"; nothing for what GGUF has no name of.
std::string gguf_name(std::string_view ours) {
  constexpr std::string_view kLayers = "model.layers.";
  std::string prefix;
  std::span<const NamePair> names = kEnds;
  if (ours.starts_with(kLayers)) {
    const size_t dot = ours.find('.', kLayers.size());
    prefix = fmt::format("blk.{}", ours.substr(kLayers.size(), dot + 1 - kLayers.size()));
    ours.remove_prefix(dot + 1);
    names = kParts;
  }
  for (const NamePair& name : names)
    if (ours.starts_with(name.ours)) return fmt::format("{}{}{}", prefix, name.theirs, ours.substr(name.ours.size()));
  return {};
}

// Loads the tensors of one file. `used` are those that found a place.
class Loader {
 public:
  Loader(const Gguf& file, LoadedModel& model) : file_(file), model_(model) {}

  void load() {
    refuse_parts();
    if (!model_.config.cannot_run.empty()) throw FormatError(file_.path, model_.config.cannot_run);
    model_.files = {file_.file};
    model_.weights.owners = {file_.file};
    const std::vector<ExpectedTensor> list = expected_tensors(model_.config, model_.weights);
    for (const ExpectedTensor& expected : list)
      if (!expected.name.ends_with(".kv_b_proj.weight")) place(expected);
    for (int64_t index = 0; index < model_.config.layers; ++index) {
      LayerWeights& layer = model_.weights.layers[static_cast<size_t>(index)];
      if (model_.config.has_latent_attention())
        place_latent_up(index, layer);
      else if (file_.at("general.architecture").text() == "llama")
        put_rows_back(layer, model_.config.sizes_of(index));
    }
    if (model_.config.tied_embeddings) use_embedding_as_head();
    account_for_the_rest();
    model_.config.weights_dtype = dtype_of_most_matrices(list);
  }

 private:
  void refuse_parts() const {
    const GgufValue* parts = file_.find("split.count");
    if (parts != nullptr && parts->integer(0, 65535) > 1)
      parts->fail(
          fmt::format("is {}: this is one part of a model in several files; join them into one first", parts->shown()));
  }

  const GgufTensor& tensor(const std::string& name) {
    const GgufTensor* found = file_.find_tensor(name);
    if (found == nullptr) throw FormatError(file_.path, name + " is missing");
    used_.insert(name);
    return *found;
  }

  void place(const ExpectedTensor& expected) {
    const GgufTensor& found = tensor(gguf_name(expected.name));
    place_tensor(file_.path, found.name, found.stored, expected, model_.weights);
  }

  void use_embedding_as_head() {
    model_.weights.head = model_.weights.embedding;
    model_.notes.push_back("There is no output.weight: the head is the embedding, token_embd.weight.");
  }

  // --- llama: rows 2i and 2i + 1 of a head are rows i and i + head_dim / 2 of Hugging Face's order ---

  void put_rows_back(LayerWeights& layer, const LayerSizes& sizes) {
    put_rows_back(layer.query, sizes.heads);
    put_rows_back(layer.key, sizes.kv_heads);
    put_rows_back(layer.query_bias, sizes.heads);
    put_rows_back(layer.key_bias, sizes.kv_heads);
  }

  // A bias, [1, heads * head_dim], has a value where a matrix has a row.
  void put_rows_back(WeightMatrix& matrix, int64_t heads) {
    if (!matrix.present()) return;
    const bool is_bias = matrix.rows == 1;
    const int64_t rows = is_bias ? matrix.cols : matrix.rows;
    const int64_t bytes = matrix.bytes() / rows, half = rows / heads / 2;
    std::byte* const to = new_bytes(matrix.bytes(), model_.weights);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t head = row / (2 * half), pair = row % (2 * half) / 2, second = row % 2;
      const int64_t place = head * 2 * half + second * half + pair;
      std::memcpy(to + place * bytes, matrix.data + row * bytes, static_cast<size_t>(bytes));
    }
    matrix.data = to;
  }

  // --- Latent attention: kv_b is one matrix in older files, and two in newer ones, the key's half transposed ---

  void place_latent_up(int64_t index, LayerWeights& layer) {
    const ModelConfig& config = model_.config;
    const std::string block = fmt::format("blk.{}.", index);
    const int64_t heads = config.heads, nope = config.latent.nope_dim, value = config.value_head_dim;
    const int64_t dim = config.latent.latent_dim, rows = heads * (nope + value);
    if (file_.find_tensor(block + "attn_kv_b.weight") != nullptr) {
      const GgufTensor& found = tensor(block + "attn_kv_b.weight");
      return place_tensor(file_.path, found.name, found.stored, {found.name, rows, dim, false, &layer.latent_up},
                          model_.weights);
    }
    const GgufTensor& keys = tensor(block + "attn_k_b.weight");    // [heads, dim, nope]
    const GgufTensor& values = tensor(block + "attn_v_b.weight");  // [heads, value, dim]
    require_shape(keys, {heads, dim, nope});
    require_shape(values, {heads, value, dim});
    // Blocks run along rows, so a transposed matrix cannot keep them: it is stored as f32, which holds the same
    // numbers.
    const Dtype key_dtype = dtype_of(file_.path, keys.name, keys.stored);
    const Dtype value_dtype = dtype_of(file_.path, values.name, values.stored);
    const Dtype dtype = key_dtype == value_dtype && !is_block_type(key_dtype) ? key_dtype : Dtype::f32;
    std::byte* to = new_bytes(rows * bytes_of_row(dtype, dim), model_.weights);
    layer.latent_up = {to, dtype, rows, dim, block + "attn_k_b and attn_v_b"};

    std::vector<float> key(static_cast<size_t>(dim * nope)), turned(key.size()), mix(static_cast<size_t>(value * dim));
    for (int64_t head = 0; head < heads; ++head) {
      read_rows(keys, key_dtype, head * dim, dim, nope, key.data());
      for (int64_t i = 0; i < dim; ++i)
        for (int64_t n = 0; n < nope; ++n)
          turned[static_cast<size_t>(n * dim + i)] = key[static_cast<size_t>(i * nope + n)];
      read_rows(values, value_dtype, head * value, value, dim, mix.data());
      narrow_row(dtype, turned.data(), nope * dim, to);
      to += nope * bytes_of_row(dtype, dim);
      narrow_row(dtype, mix.data(), value * dim, to);
      to += value * bytes_of_row(dtype, dim);
    }
  }

  void require_shape(const GgufTensor& found, const std::vector<int64_t>& shape) const {
    if (found.stored.shape != shape)
      throw FormatError(file_.path,
                        fmt::format("{} (at byte {}) has shape {}, but the config asks for {}", found.name,
                                    found.stored.file_offset, shape_text(found.stored.shape), shape_text(shape)));
  }

  static void read_rows(const GgufTensor& from, Dtype dtype, int64_t begin, int64_t rows, int64_t cols, float* to) {
    const std::byte* at = from.stored.bytes.data() + begin * bytes_of_row(dtype, cols);
    for (int64_t row = 0; row < rows; ++row, at += bytes_of_row(dtype, cols))
      widen_row(dtype, at, cols, to + row * cols);
  }

  // Tensors that the model does not ask for are an error: they would change what it computes.
  void account_for_the_rest() const {
    for (const GgufTensor& found : file_.tensors)
      if (!used_.contains(found.name) && found.name != "rope_freqs.weight")  // which is part of the config
        throw FormatError(file_.path,
                          fmt::format("{} (at byte {}) is not part of the model that the metadata describes",
                                      printable(found.name), found.stored.file_offset));
  }

  const Gguf& file_;
  LoadedModel& model_;
  std::set<std::string> used_;
};

// A file without a tokenizer still runs on token ids, so that a missing or unknown one is told, not thrown.
void load_tokenizer(const Gguf& file, LoadedModel& model) {
  try {
    model.tokenizer = read_gguf_tokenizer(file);
  } catch (const FormatError& error) {
    model.no_tokenizer = error.what();
    model.notes.push_back("Without a tokenizer: " + model.no_tokenizer + ".");
  }
}

}  // namespace

LoadedModel load_gguf_checkpoint(const std::filesystem::path& path) {
  const Gguf file = read_gguf(path);
  LoadedModel model;
  model.folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  model.config = read_gguf_config(file);
  Loader(file, model).load();
  load_tokenizer(file, model);
  return model;
}

}  // namespace kv

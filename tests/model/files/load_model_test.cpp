#include "model/files/load_model.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/files/safetensors.h"
#include "model/random.h"
#include "tests/support/error_of.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;
using kv::test::read_whole_file;
using kv::test::safetensors_bytes;
using kv::test::TemporaryFolder;
using nlohmann::json;

namespace {

// A checkpoint of 1 layer whose sizes are all different: 6 model_dim, 3 heads of 4, 1 of them for K and V, 10 hidden, 7
// rows.
json small_config(const json& fields = json::object()) {
  json config = {{"model_type", "llama"},   {"num_hidden_layers", 1},   {"hidden_size", 6},
                 {"intermediate_size", 10}, {"num_attention_heads", 3}, {"num_key_value_heads", 1},
                 {"head_dim", 4},           {"vocab_size", 7},          {"tie_word_embeddings", false}};
  config.update(fields);
  return config;
}

struct Tensor {
  std::string dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};
using Tensors = std::map<std::string, Tensor>;

// Value i of a tensor is i + 1/2, in f32.
Tensor counting(std::vector<int64_t> shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(i) + 0.5f;
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return {"F32", std::move(shape), std::move(bytes)};
}

Tensors small_tensors() {
  const std::string layer = "model.layers.0.";
  return {{"model.embed_tokens.weight", counting({7, 6})},
          {layer + "input_layernorm.weight", counting({6})},
          {layer + "self_attn.q_proj.weight", counting({12, 6})},
          {layer + "self_attn.k_proj.weight", counting({4, 6})},
          {layer + "self_attn.v_proj.weight", counting({4, 6})},
          {layer + "self_attn.o_proj.weight", counting({6, 12})},
          {layer + "post_attention_layernorm.weight", counting({6})},
          {layer + "mlp.gate_proj.weight", counting({10, 6})},
          {layer + "mlp.up_proj.weight", counting({10, 6})},
          {layer + "mlp.down_proj.weight", counting({6, 10})},
          {"model.norm.weight", counting({6})},
          {"lm_head.weight", counting({7, 6})}};
}

// `padding` bytes of space end the header: the data begins at an address of the test's choice.
std::string file_of(const Tensors& tensors, size_t alignment = 8, size_t beyond = 0) {
  json header = json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", tensor.dtype},
                    {"shape", tensor.shape},
                    {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  std::string text = header.dump();
  while (text.size() % alignment != beyond) text += ' ';
  return safetensors_bytes(text, data);
}

void write_checkpoint(const TemporaryFolder& folder, const json& config, const Tensors& tensors) {
  folder.write("config.json", config.dump());
  folder.write("model.safetensors", file_of(tensors));
}

// Splits the tensors over two shards with an index.
void write_shards(const TemporaryFolder& folder, const json& config, const Tensors& tensors) {
  folder.write("config.json", config.dump());
  Tensors shards[2];
  json weight_map = json::object();
  for (const auto& [name, tensor] : tensors) {
    const size_t shard = weight_map.size() % 2;
    shards[shard][name] = tensor;
    weight_map[name] = fmt::format("model-0000{}-of-00002.safetensors", shard + 1);
  }
  for (size_t shard = 0; shard < 2; ++shard)
    folder.write(fmt::format("model-0000{}-of-00002.safetensors", shard + 1), file_of(shards[shard]));
  folder.write("model.safetensors.index.json",
               json{{"metadata", {{"total_size", 1}}}, {"weight_map", weight_map}}.dump());
}

std::string refusal(const TemporaryFolder& folder) {
  return error_of<FormatError>([&] { load_model(folder.path()); });
}

std::string refusal(const json& config, const Tensors& tensors) {
  const TemporaryFolder folder;
  write_checkpoint(folder, config, tensors);
  return refusal(folder);
}

LoadedModel loaded(const json& config, const Tensors& tensors) {
  const TemporaryFolder folder;
  write_checkpoint(folder, config, tensors);
  return load_model(folder.path());
}

float f32_at(const WeightMatrix& matrix, int64_t row, int64_t col) {
  float value;
  std::memcpy(&value, matrix.row(row) + col * 4, sizeof value);
  return value;
}

bool noted(const LoadedModel& model, std::string_view words) {
  return std::any_of(model.notes.begin(), model.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

Tensors with(Tensors tensors, const std::string& name, Tensor tensor) {
  tensors[name] = std::move(tensor);
  return tensors;
}

Tensors without(Tensors tensors, const std::string& name) {
  tensors.erase(name);
  return tensors;
}

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("every tensor is in its place, row-major, and the mapping outlives the folder") {
    const LoadedModel model = loaded(small_config(), small_tensors());
    CHECK(model.config.layers == 1);
    CHECK(model.config.weights_dtype == Dtype::f32);
    CHECK(model.weights.embedding.rows == 7);
    CHECK(f32_at(model.weights.embedding, 1, 0) == 6.5f);  // column-major reading would give 1.5
    CHECK(f32_at(model.weights.layers[0].down, 5, 9) == 59.5f);
    CHECK(f32_at(model.weights.layers[0].output, 2, 11) == 35.5f);
    CHECK(model.weights.layers[0].attention_norm.rows == 1);
    CHECK(model.weights.head.data != model.weights.embedding.data);
    CHECK(model.weights.layers[0].gate.name == "model.layers.0.mlp.gate_proj.weight");
    validate(model.weights, model.config);
  }

  TEST_CASE("a checkpoint loads from its folder and from its config.json") {
    const TemporaryFolder folder;
    write_checkpoint(folder, small_config(), small_tensors());
    CHECK(load_model(folder.path()).folder == folder.path());
    CHECK(load_model(folder / "config.json").folder == folder.path());
    CHECK(load_model(folder.path() / "").config.name == folder.path().filename());
    CHECK(names(error_of<FormatError>([&] { load_model(folder / "absent"); }), "absent", "no such"));
    CHECK(names(error_of<FormatError>([&] { load_model(folder / "model.safetensors"); }), "neither"));
    std::filesystem::remove(folder / "model.safetensors");
    CHECK(names(refusal(folder), "model.safetensors", "no weights"));
    std::filesystem::remove(folder / "config.json");
    CHECK(names(refusal(folder), "config.json", "no such file"));
  }

  TEST_CASE("a missing tensor is named, and so is one of another shape, with both shapes") {
    const Tensors tensors = small_tensors();
    for (const auto& [name, tensor] : tensors)
      CHECK(names(refusal(small_config(), without(tensors, name)), name, "missing"));
    CHECK(names(refusal(small_config(), with(tensors, "model.layers.0.mlp.down_proj.weight", counting({10, 6}))),
                "model.layers.0.mlp.down_proj.weight", "[10, 6]", "[6, 10]"));
    CHECK(names(refusal(small_config(), with(tensors, "model.norm.weight", counting({1, 6}))), "model.norm.weight",
                "[1, 6]", "[6]"));
    CHECK(names(refusal(small_config({{"vocab_size", 8}}), tensors), "model.embed_tokens.weight", "[7, 6]", "[8, 6]"));
  }

  TEST_CASE("a tensor of the model's that config.json does not describe is an error that names it") {
    CHECK(names(refusal(small_config(), with(small_tensors(), "model.layers.0.self_attn.q_proj.bias", counting({12}))),
                "model.layers.0.self_attn.q_proj.bias", "not part"));
    CHECK(names(refusal(small_config(), with(small_tensors(), "model.layers.1.input_layernorm.weight", counting({6}))),
                "model.layers.1.input_layernorm.weight"));
  }

  TEST_CASE("tensors that change nothing are left aside with a note") {
    const LoadedModel model =
        loaded(small_config(), with(small_tensors(), "model.layers.0.self_attn.rotary_emb.inv_freq", counting({2})));
    CHECK(noted(model, "1 tensors of rotary frequencies"));
  }

  TEST_CASE("deepseek_v3's layers behind the last one predict further tokens, and are not used") {
    json config = small_config({{"model_type", "deepseek_v3"},
                                {"num_key_value_heads", 3},
                                {"kv_lora_rank", 5},
                                {"q_lora_rank", nullptr},
                                {"qk_nope_head_dim", 3},
                                {"qk_rope_head_dim", 2},
                                {"v_head_dim", 4},
                                {"first_k_dense_replace", 1}});
    Tensors tensors = small_tensors();
    const std::string attention = "model.layers.0.self_attn.";
    tensors.erase(attention + "k_proj.weight");
    tensors.erase(attention + "v_proj.weight");
    tensors[attention + "q_proj.weight"] = counting({15, 6});
    tensors[attention + "kv_a_proj_with_mqa.weight"] = counting({7, 6});
    tensors[attention + "kv_a_layernorm.weight"] = counting({5});
    tensors[attention + "kv_b_proj.weight"] = counting({21, 5});
    CHECK(loaded(config, tensors).config.has_latent_attention());
    tensors["model.layers.1.eh_proj.weight"] = counting({2, 2});
    CHECK(noted(loaded(config, tensors), "1 tensors behind layer 0"));
  }

  TEST_CASE("with tied embeddings the head is the embedding, and a head in the file is not used") {
    const json tied = small_config({{"tie_word_embeddings", true}});
    const LoadedModel model = loaded(tied, without(small_tensors(), "lm_head.weight"));
    CHECK(model.weights.head.data == model.weights.embedding.data);
    CHECK(noted(loaded(tied, small_tensors()), "copy of the embedding"));
    Tensor other = counting({7, 6});
    other.bytes[0] ^= 1;
    const LoadedModel differing = loaded(tied, with(small_tensors(), "lm_head.weight", other));
    CHECK(differing.weights.head.data == differing.weights.embedding.data);
    CHECK(noted(differing, "differs from the embedding"));
    CHECK(names(refusal(small_config(), without(small_tensors(), "lm_head.weight")), "lm_head.weight is missing",
                "tie_word_embeddings"));
  }

  TEST_CASE("weights are f32, f16 or bf16, each tensor as it is stored; other types are refused by name") {
    Tensors tensors = small_tensors();
    for (auto& [name, tensor] : tensors)
      if (tensor.shape.size() == 2) tensor = {"BF16", tensor.shape, std::string(tensor.bytes.size() / 2, '\x3f')};
    const LoadedModel model = loaded(small_config({{"torch_dtype", "float32"}}), tensors);
    CHECK(model.config.weights_dtype == Dtype::bf16);
    CHECK(model.weights.layers[0].gate.dtype == Dtype::bf16);
    CHECK(model.weights.final_norm.dtype == Dtype::f32);
    CHECK(names(refusal(small_config(), with(tensors, "lm_head.weight", {"F8_E4M3", {7, 6}, std::string(42, '\0')})),
                "lm_head.weight", "F8_E4M3"));
    CHECK(names(refusal(small_config(), with(tensors, "lm_head.weight", {"I32", {7, 6}, std::string(168, '\0')})),
                "I32"));
  }

  TEST_CASE("tensors that lie askew in the file are still read at whole addresses") {
    for (const size_t beyond : {1u, 2u, 3u, 4u, 7u}) {
      const TemporaryFolder folder;
      folder.write("config.json", small_config().dump());
      folder.write("model.safetensors", file_of(small_tensors(), 8, beyond));
      const LoadedModel model = load_model(folder.path());
      CHECK(reinterpret_cast<uintptr_t>(model.weights.layers[0].down.data) % 4 == 0);
      CHECK(f32_at(model.weights.layers[0].down, 5, 9) == 59.5f);
    }
  }

  // --- Shards ---

  TEST_CASE("shards load like a single file") {
    const TemporaryFolder folder;
    write_shards(folder, small_config(), small_tensors());
    const LoadedModel model = load_model(folder.path());
    CHECK(f32_at(model.weights.layers[0].down, 5, 9) == 59.5f);
    CHECK(f32_at(model.weights.head, 6, 5) == 41.5f);
    CHECK(model.weights.owners.size() == 2);
  }

  TEST_CASE("a missing shard is named") {
    for (const char* shard : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}) {
      const TemporaryFolder folder;
      write_shards(folder, small_config(), small_tensors());
      std::filesystem::remove(folder / shard);
      CHECK(names(refusal(folder), "index.json", shard, "missing"));
    }
  }

  TEST_CASE("a tensor that the index places in a shard without it is named") {
    const TemporaryFolder folder;
    write_shards(folder, small_config(), small_tensors());
    json index = json::parse(read_whole_file(folder / "model.safetensors.index.json"));
    index["weight_map"]["model.norm.weight"] =
        index["weight_map"]["model.norm.weight"] == "model-00001-of-00002.safetensors"
            ? "model-00002-of-00002.safetensors"
            : "model-00001-of-00002.safetensors";
    folder.write("model.safetensors.index.json", index.dump());
    CHECK(names(refusal(folder), "model.norm.weight", "no such tensor"));
    index["weight_map"].erase("model.norm.weight");
    folder.write("model.safetensors.index.json", index.dump());
    CHECK(names(refusal(folder), "index.json", "model.norm.weight is missing"));
  }

  TEST_CASE("only what the index names is loaded: stray files in the folder are not") {
    const TemporaryFolder folder;
    write_shards(folder, small_config(), small_tensors());
    folder.write("stray.safetensors", "not even a safetensors file");
    folder.write("model.safetensors", file_of(with({}, "other", counting({2, 3}))));
    const LoadedModel model = load_model(folder.path());
    CHECK(model.weights.owners.size() == 2);
    CHECK(noted(model, "model.safetensors is not read"));
  }

  TEST_CASE("the index may name plain files only") {
    const TemporaryFolder folder;
    for (const char* name : {"../model.safetensors", "/etc/passwd", "..", ".", "", "sub/model.safetensors", "a\\b"}) {
      CAPTURE(name);
      write_shards(folder, small_config(), small_tensors());
      json index = json::parse(read_whole_file(folder / "model.safetensors.index.json"));
      index["weight_map"]["lm_head.weight"] = name;
      folder.write("model.safetensors.index.json", index.dump());
      CHECK(names(refusal(folder), "weight_map.lm_head.weight", "plain file name"));
    }
    json index = json::parse(read_whole_file(folder / "model.safetensors.index.json"));
    index["weight_map"]["lm_head.weight"] = std::string(5000, 'x');  // longer than any file's name
    folder.write("model.safetensors.index.json", index.dump());
    CHECK(names(refusal(folder), "weight_map.lm_head.weight", "missing"));
    folder.write("model.safetensors.index.json", "{}");
    CHECK(names(refusal(folder), "weight_map is missing"));
    folder.write("model.safetensors.index.json", R"({"weight_map": {"a": 1}})");
    CHECK(names(refusal(folder), "weight_map.a is 1"));
  }

  // --- Tokenizer ---

  TEST_CASE("a checkpoint without a tokenizer loads, and says so") {
    const LoadedModel model = loaded(small_config(), small_tensors());
    CHECK(!model.tokenizer);
    CHECK(names(model.no_tokenizer, "no tokenizer.json"));
    CHECK(noted(model, "no tokenizer.json"));
  }

  TEST_CASE("a tokenizer that we cannot read does not stop the model, but the reason is kept") {
    const TemporaryFolder folder;
    write_checkpoint(folder, small_config(), small_tensors());
    folder.write("tokenizer.json", R"({"model": {"type": "Unigram"}})");
    const LoadedModel model = load_model(folder.path());
    CHECK(!model.tokenizer);
    CHECK(names(model.no_tokenizer, "tokenizer.json", "Unigram"));
  }

  TEST_CASE("a tokenizer may have fewer or more tokens than the embedding has rows") {
    for (const int spare : {1, 20}) {
      const TemporaryFolder folder;
      write_checkpoint(folder, small_config(), small_tensors());
      json vocabulary = json::object();
      for (int id = 0; id < spare; ++id) vocabulary[std::string(1, static_cast<char>('a' + id))] = id;
      folder.write("tokenizer.json",
                   json{{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}},
                        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
                        {"decoder", {{"type", "ByteLevel"}}}}
                       .dump());
      const LoadedModel model = load_model(folder.path());
      REQUIRE(model.tokenizer);
      CHECK(model.tokenizer->size() == spare);
      CHECK(model.no_tokenizer.empty());
    }
  }

  // --- Damage ---

  TEST_CASE("a checkpoint cut or damaged anywhere loads or is refused, and nothing else happens") {
    const TemporaryFolder folder;
    write_checkpoint(folder, small_config(), small_tensors());
    const std::string whole = read_whole_file(folder / "model.safetensors");
    for (size_t bytes = 1; bytes < whole.size(); bytes += 7) {
      folder.write("model.safetensors", whole.substr(0, bytes));
      REQUIRE(refusal(folder) != "(no error)");
    }
    Random random(53);
    for (int round = 0; round < 1500; ++round) {
      std::string damaged = whole;
      damaged[static_cast<size_t>(random.below(std::ssize(whole)))] = static_cast<char>(random.below(256));
      folder.write("model.safetensors", damaged);
      refusal(folder);
    }
  }

  TEST_CASE("a damaged index loads or is refused, and nothing else happens") {
    const TemporaryFolder folder;
    write_shards(folder, small_config(), small_tensors());
    const std::string whole = read_whole_file(folder / "model.safetensors.index.json");
    Random random(59);
    for (int round = 0; round < 1500; ++round) {
      std::string damaged = whole;
      damaged[static_cast<size_t>(random.below(std::ssize(whole)))] = static_cast<char>(random.below(256));
      folder.write("model.safetensors.index.json", damaged);
      refusal(folder);
    }
  }

  // --- Checkpoints as transformers writes them ---

  TEST_CASE("every golden checkpoint loads with all its tensors, and only known defaults are assumed") {
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(KVLAB_SOURCE_DIR) / "tests/goldens")) {
      if (!std::filesystem::exists(entry.path() / "config.json")) continue;
      ++count;
      const std::string name = entry.path().filename().string();
      CAPTURE(name);
      const LoadedModel model = load_model(entry.path());
      validate(model.weights, model.config);
      CHECK(model.config.name == name);
      CHECK(name.starts_with(std::string(name_of(model.config.family)).substr(0, 5)));
      // qwen2 files have no head_dim; every other fact is written down.
      CHECK(model.config.assumed.size() == (model.config.family == Family::qwen2 ? 1 : 0));
      for (const auto& [tensor, stored] : read_safetensors(entry.path() / "expected.safetensors").tensors)
        CHECK(stored.file_offset % 4 == 0);
    }
    CHECK(count >= 15);
  }
}

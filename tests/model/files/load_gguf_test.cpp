// GGUF files whose bytes are right and whose model is not, or is unusual: their tensors and tokens.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/files/gguf.h"
#include "model/files/load_model.h"
#include "model/random.h"
#include "tests/support/small_gguf.h"

using namespace kv;
using namespace kv::test;

TEST_SUITE("model/files/gguf") {
  TEST_CASE("every tensor of a GGUF file is in its place; rows of q and k are put back in order, others stay") {
    const LoadedModel model = loaded(small_llama());
    const LayerWeights& layer = model.weights.layers[0];
    CHECK(model.config.family == Family::llama);
    CHECK(model.config.vocab == 7);
    CHECK(model.config.norm_eps == 1e-5);
    CHECK(value_at(model.weights.embedding, 1, 0) == 6.5f);
    CHECK(value_at(layer.down, 5, 9) == 59.5f);
    CHECK(value_at(layer.output, 2, 11) == 35.5f);
    CHECK(value_at(layer.value, 1, 0) == 6.5f);
    CHECK(value_at(model.weights.head, 6, 5) == 41.5f);
    // Rows 0 1 2 3 of each head are 0 2 1 3 in the checkpoint's order.
    const float first_of_query[] = {0.5f, 12.5f, 6.5f, 18.5f, 24.5f, 36.5f, 30.5f, 42.5f, 48.5f, 60.5f, 54.5f, 66.5f};
    for (int64_t row = 0; row < 12; ++row) CHECK(value_at(layer.query, row, 0) == first_of_query[row]);
    for (int64_t row = 0; row < 4; ++row) CHECK(value_at(layer.key, row, 0) == first_of_query[row]);
    CHECK(layer.query.name == "blk.0.attn_q.weight");
    validate(model.weights, model.config);
  }

  TEST_CASE("biases of q and k are put back in order as well") {
    const LoadedModel model = loaded(small_llama()
                                         .with(counting("blk.0.attn_q.bias", {12}))
                                         .with(counting("blk.0.attn_k.bias", {4}))
                                         .with(counting("blk.0.attn_v.bias", {4})));
    const LayerWeights& layer = model.weights.layers[0];
    const float expected[] = {0.5f, 2.5f, 1.5f, 3.5f, 4.5f, 6.5f, 5.5f, 7.5f, 8.5f, 10.5f, 9.5f, 11.5f};
    for (int64_t i = 0; i < 12; ++i) CHECK(value_at(layer.query_bias, 0, i) == expected[i]);
    for (int64_t i = 0; i < 4; ++i) CHECK(value_at(layer.key_bias, 0, i) == expected[i]);
    for (int64_t i = 0; i < 4; ++i) CHECK(value_at(layer.value_bias, 0, i) == static_cast<float>(i) + 0.5f);
  }

  TEST_CASE("the two parts of a latent's up-projection become one matrix, the key's part turned over") {
    const LoadedModel model = loaded(small_deepseek());
    const WeightMatrix& up = model.weights.layers[0].latent_up;  // per head 3 rows for the key, 4 for the value
    REQUIRE(up.rows == 21);
    REQUIRE(up.cols == 5);
    for (int64_t head = 0; head < 3; ++head)
      for (int64_t i = 0; i < 5; ++i) {
        for (int64_t n = 0; n < 3; ++n)
          CHECK(value_at(up, head * 7 + n, i) == static_cast<float>(head * 15 + i * 3 + n) + 0.5f);
        for (int64_t n = 0; n < 4; ++n)
          CHECK(value_at(up, head * 7 + 3 + n, i) == static_cast<float>(head * 20 + n * 5 + i) + 0.5f);
      }
    validate(model.weights, model.config);
    const LoadedModel whole = loaded(small_deepseek()
                                         .without("blk.0.attn_k_b.weight")
                                         .without("blk.0.attn_v_b.weight")
                                         .without("deepseek2.attention.key_length_mla")
                                         .without("deepseek2.attention.value_length_mla")
                                         .with(count_key("deepseek2.attention.head_count_kv", 3))
                                         .with(count_key("deepseek2.attention.key_length", 5))
                                         .with(count_key("deepseek2.attention.value_length", 4))
                                         .with(counting("blk.0.attn_kv_b.weight", {5, 21})));
    CHECK(value_at(whole.weights.layers[0].latent_up, 8, 3) == 43.5f);
    CHECK(whole.config.key_head_dim == 5);
    CHECK(whole.config.layer_cache[0].values_per_token() == 7);
  }

  TEST_CASE("a part of the up-projection whose rows are blocks is turned over as the numbers that they mean") {
    // Rows of 32 values, each d (q - 8) with d = row + 1 and q = column / 2, so that every value tells its place.
    std::string blocks;
    for (int row = 0; row < 15; ++row) {
      blocks += number_bytes(to_f16(static_cast<float>(row + 1)));
      for (int i = 0; i < 16; ++i) blocks += static_cast<char>(i / 2 | (16 + i) / 2 << 4);
    }
    const GgufModel file = small_deepseek()
                               .with(count_key("deepseek2.attention.key_length_mla", 34))
                               .with(counting("blk.0.attn_q.weight", {6, 102}))
                               .with(Tensor{"blk.0.attn_k_b.weight", {32, 5, 3}, kQ4_0, blocks});
    const LoadedModel model = loaded(file);
    const WeightMatrix& matrix = model.weights.layers[0].latent_up;
    CHECK(matrix.dtype == Dtype::f32);
    REQUIRE(matrix.rows == 3 * 36);
    for (int64_t head = 0; head < 3; ++head)
      for (int64_t i = 0; i < 5; ++i) {
        for (int64_t n = 0; n < 32; ++n)
          CHECK(value_at(matrix, head * 36 + n, i) == static_cast<float>((head * 5 + i + 1) * (n / 2 - 8)));
        for (int64_t n = 0; n < 4; ++n)
          CHECK(value_at(matrix, head * 36 + 32 + n, i) == static_cast<float>(head * 20 + n * 5 + i) + 0.5f);
      }
  }

  TEST_CASE("version 2 and every alignment load the same, also where tensors lie askew in memory") {
    const GgufModel file = small_llama();
    CHECK(sum_of(loaded(file.bytes(32, 2))) == sum_of(loaded(file)));
    for (const uint64_t alignment : {1u, 2u, 4u, 8u, 64u}) {
      CAPTURE(alignment);
      for (size_t padding = 0; padding < 4; ++padding) {
        const LoadedModel model =
            loaded(file.with(text_key("general.name", std::string(padding, 'x'))).bytes(alignment));
        CHECK(sum_of(model) == sum_of(loaded(file)));
        CHECK(reinterpret_cast<uintptr_t>(model.weights.layers[0].down.data) % 4 == 0);
      }
    }
  }

  TEST_CASE("counts of any width are counts") {
    const GgufModel file = small_llama()
                               .with(Key{"llama.block_count", u8, number_bytes<uint8_t>(1)})
                               .with(Key{"llama.attention.head_count", i32, number_bytes<int32_t>(3)})
                               .with(Key{"llama.attention.head_count_kv", u64, number_bytes<uint64_t>(1)})
                               .with(Key{"llama.embedding_length", i16, number_bytes<int16_t>(6)})
                               .with(Key{"llama.rope.freq_base", f64, number_bytes(1000.0)})
                               .with(Key{"llama.feed_forward_length", i64, number_bytes<int64_t>(10)});
    CHECK(sum_of(loaded(file)) == sum_of(loaded(small_llama())));
    CHECK(loaded(file).config.rope.theta == 1000.0);
  }

  // --- Tensors ---

  TEST_CASE("a missing tensor is named, and so is one that the model does not have") {
    for (const GgufModel& file : {small_llama(), small_deepseek()})
      for (const Tensor& tensor : file.tensors())
        if (tensor.name != "output.weight" && tensor.name != "token_embd.weight")
          CHECK(refusal(file.without(tensor.name)) == tensor.name + " is missing");
    CHECK(refusal(small_llama().without("token_embd.weight").with(count_key("llama.vocab_size", 7))) ==
          "token_embd.weight is missing");
    for (const char* name : {"blk.1.attn_norm.weight", "blk.0.attn_q_norm.weight", "blk.0.attn_qkv.weight", "more"})
      expect_refusal_of(small_llama(), counting(name, {6}), "is not part of the model that the metadata describes");
    // Both layouts of a latent's up-projection at once: one of them would be ignored.
    CHECK(
        names(refusal(small_deepseek().with(counting("blk.0.attn_kv_b.weight", {5, 21}))), "blk.0.attn_k", "not part"));
    CHECK(names(refusal(small_llama().with(counting("a\nb\x1b[2J", {6}))), R"(a\x0ab\x1b[2J (at byte )", "not part"));
  }

  TEST_CASE("biases of some projections only are refused, whichever is missing") {
    CHECK(refusal(small_llama().with(counting("blk.0.attn_q.bias", {12}))) == "blk.0.attn_k.bias is missing");
    expect_refusal_of(small_llama(), counting("blk.0.attn_v.bias", {4}),
                      "is not part of the model that the metadata describes");
    CHECK(refusal(small_llama().with(counting("blk.0.ffn_gate.bias", {10}))) == "blk.0.ffn_up.bias is missing");
  }

  TEST_CASE("a tensor of another shape is named with both shapes") {
    expect_refusal_of(small_llama(), counting("blk.0.ffn_down.weight", {6, 10}),
                      "has shape [10, 6], but the config asks for [6, 10]");
    expect_refusal_of(small_llama(), counting("blk.0.attn_k.weight", {6, 12}),
                      "has shape [12, 6], but the config asks for [4, 6]");
    expect_refusal_of(small_llama(), counting("output_norm.weight", {6, 1}),
                      "has shape [1, 6], but the config asks for [6]");
    expect_refusal_of(small_llama(), counting("output.weight", {6, 8}),
                      "has shape [8, 6], but the config asks for [7, 6]");
    expect_refusal_of(small_deepseek(), counting("blk.0.attn_k_b.weight", {5, 3, 3}),
                      "has shape [3, 3, 5], but the config asks for [3, 5, 3]");
    expect_refusal_of(small_deepseek(), counting("blk.0.attn_v_b.weight", {4, 5, 3}),
                      "has shape [3, 5, 4], but the config asks for [3, 4, 5]");
    expect_refusal_of(small_deepseek(), counting("blk.0.attn_v_b.weight", {5, 12}),
                      "has shape [12, 5], but the config asks for [3, 4, 5]");
  }

  TEST_CASE("types of tensors that kvlab does not compute with are named") {
    const std::string known = "; kvlab computes with F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K";
    expect_refusal_of(small_llama(), Tensor{"blk.0.attn_v.weight", {6, 4}, kI8, std::string(24, '\1')},
                      "is stored as I8" + known);
    expect_refusal_of(small_llama(), Tensor{"blk.0.attn_v.weight", {6, 4}, kF64, std::string(192, '\1')},
                      "is stored as F64" + known);
    const GgufModel wide = small_llama().with(count_key("llama.feed_forward_length", 256));
    expect_refusal_of(
        wide.with(counting("blk.0.ffn_gate.weight", {6, 256})).with(counting("blk.0.ffn_up.weight", {6, 256})),
        Tensor{"blk.0.ffn_down.weight", {256, 6}, kQ2_K, std::string(6 * 84, '\1')}, "is stored as Q2_K" + known);
    expect_refusal_of(
        wide.with(counting("blk.0.ffn_gate.weight", {6, 256})).with(counting("blk.0.ffn_up.weight", {6, 256})),
        Tensor{"blk.0.ffn_down.weight", {256, 6}, kQ8_1, std::string(6 * 8 * 36, '\1')}, "is stored as Q8_1" + known);
  }

  TEST_CASE("norms are plain numbers: 16-bit ones load, blocks are refused by name") {
    const GgufModel file = small_llama().with(Tensor{"output_norm.weight", {6}, kBf16, std::string(12, '\x3f')});
    CHECK(value_at(loaded(file).weights.final_norm, 0, 5) == from_bf16(0x3f3f));
    const GgufModel wide = small_llama()
                               .with(count_key("llama.embedding_length", 32))
                               .with(Tensor{"blk.0.attn_norm.weight", {32}, kQ4_0, std::string(18, '\1')});
    GgufModel wider = wide;
    for (const auto& [name, rows] : std::vector<std::pair<std::string, int64_t>>{{"token_embd", 7},
                                                                                 {"blk.0.attn_q", 12},
                                                                                 {"blk.0.attn_k", 4},
                                                                                 {"blk.0.attn_v", 4},
                                                                                 {"blk.0.ffn_gate", 10},
                                                                                 {"blk.0.ffn_up", 10},
                                                                                 {"output", 7}})
      wider = wider.with(counting(name + ".weight", {32, rows}));
    wider = wider.with(counting("blk.0.attn_output.weight", {12, 32}))
                .with(counting("blk.0.ffn_down.weight", {10, 32}))
                .with(counting("blk.0.ffn_norm.weight", {32}))
                .with(counting("output_norm.weight", {32}));
    CHECK(refusal(wider) ==
          fmt::format("blk.0.attn_norm.weight (at byte {}) is stored as Q4_0; kvlab reads norms and biases as F32, F16 "
                      "or BF16",
                      data_of(wider, "blk.0.attn_norm.weight")));
    CHECK(refusal(wider.with(counting("blk.0.attn_norm.weight", {32}))) == "(no error)");
  }

  TEST_CASE("without output.weight the head is the embedding, and a note says so") {
    const LoadedModel tied = loaded(small_llama().without("output.weight"));
    CHECK(tied.config.tied_embeddings);
    CHECK(tied.weights.head.data == tied.weights.embedding.data);
    CHECK(any_says(tied.notes, "There is no output.weight: the head is the embedding, token_embd.weight."));
    const LoadedModel untied = loaded(small_llama());
    CHECK(!untied.config.tied_embeddings);
    CHECK(untied.weights.head.data != untied.weights.embedding.data);
    CHECK(!any_says(untied.notes, "output.weight"));
  }

  // --- Tokens ---

  TEST_CASE("how many ids there are is what the embedding has rows, whatever the keys say") {
    CHECK(loaded(small_llama()).config.vocab == 7);
    CHECK(loaded(small_llama().with(count_key("llama.vocab_size", 7))).config.assumed.empty());
    const LoadedModel other = loaded(small_llama().with(count_key("llama.vocab_size", 9)));
    CHECK(other.config.vocab == 7);
    CHECK(any_says(other.config.assumed,
                   "llama.vocab_size is 9, but token_embd.weight has 7 rows: those are the ids that there are."));
    CHECK(names(refusal(small_llama().without("token_embd.weight")), "token_embd.weight", "vocab_size"));
    CHECK(names(refusal(small_llama().with(count_key("llama.vocab_size", 0))), "llama.vocab_size (at byte ", "is 0"));
  }

  TEST_CASE("a file without a tokenizer, or with a damaged one, runs on ids and says why") {
    const LoadedModel none = loaded(small_llama());
    CHECK(!none.tokenizer);
    CHECK(names(none.no_tokenizer, "t.gguf", "tokenizer.ggml"));
    CHECK(any_says(none.notes, "Without a tokenizer: "));
    const LoadedModel unknown = loaded(small_llama()
                                           .with(text_key("tokenizer.ggml.model", "rwkv"))
                                           .with(Key{"tokenizer.ggml.tokens", array, texts_bytes({"a"})}));
    CHECK(!unknown.tokenizer);
    CHECK(names(unknown.no_tokenizer, "tokenizer.ggml.model (at byte ", "rwkv"));
  }

  TEST_CASE("a tokenizer may have fewer or more tokens than the embedding has rows") {
    for (const size_t count : {3u, 20u}) {
      std::vector<std::string> tokens;
      for (size_t i = 0; i < count; ++i) tokens.emplace_back(1, static_cast<char>('a' + i));
      const LoadedModel model = loaded(small_llama()
                                           .with(text_key("tokenizer.ggml.model", "gpt2"))
                                           .with(text_key("tokenizer.ggml.pre", "gpt-2"))
                                           .with(Key{"tokenizer.ggml.tokens", array, texts_bytes(tokens)})
                                           .with(Key{"tokenizer.ggml.token_type", array,
                                                     numbers_bytes<int32_t>(i32, std::vector<int32_t>(count, 1))})
                                           .with(Key{"tokenizer.ggml.merges", array, texts_bytes({})}));
      CHECK(model.config.vocab == 7);
      CHECK(model.no_tokenizer == "");
      REQUIRE(model.tokenizer);
      CHECK(model.tokenizer->size() == static_cast<int64_t>(count));
    }
  }

  // --- Damage ---

  TEST_CASE("a GGUF model cut anywhere is refused, but for the padding behind its last tensor") {
    for (const GgufModel& file : {small_llama(), small_deepseek()}) {
      const std::string whole = file.bytes();
      const size_t end = data_of(file, "output.weight") + 7 * 6 * 4;
      for (size_t bytes = 0; bytes < whole.size(); bytes += bytes % 5 == 0 ? 1 : 3)
        REQUIRE((refusal(whole.substr(0, bytes)) == "(no error)") == (bytes >= end));
      CHECK(refusal(whole.substr(0, end - 1)) != "(no error)");
    }
  }

  TEST_CASE("one part of a model in several files is refused as such") {
    CHECK(names(refusal(small_llama().with(count_key("split.count", 2))), "split.count (at byte ", "is 2", "join"));
    CHECK(refusal(small_llama().with(count_key("split.count", 1))) == "(no error)");
  }

  TEST_CASE("a GGUF file is known by its first bytes, whatever it is called") {
    const TemporaryFolder folder;
    const std::string bytes = small_llama().bytes();
    for (const char* name : {"sha256-0123", "MODEL.GGUF", "model.bin", "m.gguf"}) {
      CHECK(is_gguf(folder.write(name, bytes)));
      CHECK(load_model(folder.path() / name).config.layers == 1);
    }
    CHECK(!is_gguf(folder.write("other", "GGU")));
    CHECK(!is_gguf(folder.path()));
    CHECK(!is_gguf(folder.path() / "absent"));
  }

  TEST_CASE("a GGUF model damaged anywhere loads or is refused, and nothing else happens") {
    Random random(71);
    int64_t refused = 0, ran = 0;
    for (const GgufModel& file : {small_llama(), small_deepseek()}) {
      const std::string whole = file.bytes();
      const int64_t told = static_cast<int64_t>(data_of(file, "token_embd.weight"));
      for (int round = 0; round < 1500; ++round) {
        std::string damaged = whole;
        for (int64_t flips = 1 + random.below(2); flips > 0; --flips)
          damaged[static_cast<size_t>(random.below(told))] = static_cast<char>(random.below(256));
        if (refusal(damaged) != "(no error)") {
          ++refused;
        } else {
          ++ran;
          sum_of(loaded(damaged));
        }
      }
    }
    CHECK(refused > 1000);
    CHECK(ran > 50);
  }
}

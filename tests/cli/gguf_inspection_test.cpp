#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/commands.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/gguf_tokenizers.h"
#include "tests/support/smollm2.h"
#include "tests/support/temporary_folder.h"

using kv::test::Finished;
using kv::test::GgufBytes;
using kv::test::json_of;
using kv::test::names;
using kv::test::number_bytes;
using kv::test::output_of;
using kv::test::run_kvlab;
using kv::test::TemporaryFolder;
using nlohmann::json;

namespace {

std::string golden(const std::string& name) { return KVLAB_SOURCE_DIR "/tests/goldens/" + name + "/model.gguf"; }

std::string page_of(const std::string& path) { return output_of({"inspect", path}); }

json document(const std::string& path) { return json_of({"inspect", path}); }

// Every note and reason, to search in.
std::string notes(const json& found) { return found["notes"].dump(); }

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("a GGUF file shows the config of the checkpoint that it was made from") {
    for (const std::string name : {"llama-gqa3", "qwen2", "qwen3", "deepseek-v2", "deepseek-v2-qlora"}) {
      CAPTURE(name);
      const json file = document(golden(name));
      const json folder = document(KVLAB_SOURCE_DIR "/tests/goldens/" + name);
      for (const char* key :
           {"attention", "parameters", "layers", "model_dim", "hidden_dim", "vocab", "max_context", "heads",
            "key_head_dim", "value_head_dim", "norm_eps", "qkv_bias", "kv_bytes_per_token", "formula", "layer_cache"})
        CHECK_MESSAGE(file[key] == folder[key], key);
      CHECK(file["architecture"] == (name.starts_with("deepseek") ? "deepseek2" : name.substr(0, name.find('-'))));
      CHECK(names(file["format"].get<std::string>(), "GGUF version 3", "tensors at multiples of 32 bytes"));
      CHECK(notes(file).find("cannot run") == std::string::npos);
    }
  }

  TEST_CASE("tensors of a GGUF file have its own names and types, and are grouped by layer") {
    const std::string page = page_of(golden("llama-blocks"));
    CHECK(names(page, "token_embd.weight", "q6_k", "[40, 512]", "16.4 KiB"));
    CHECK(names(page_of(golden("llama-gqa3")), "blk.{0-2}.attn_q.weight", "x 3"));
    const json file = document(golden("llama-blocks"));
    CHECK(file["tensors"].size() == 21);
    CHECK(file["tensors"][0]["dtype"] == "q6_k");
    CHECK(file["tensors"][0]["bytes"] == 40 * 512 / 256 * 210);
  }

  TEST_CASE("layers of different sizes are told one by one") {
    const std::string page = page_of(golden("llama-uneven"));
    CHECK(names(page, "layer 0: 4 query heads share 2 KV heads; layer 1: 6 query heads share 1 KV head; layer 2: 6"));
    CHECK(names(page, "layer 0: 40; layer 1: 58; layer 2: 46 (feed-forward)", "mixed"));
    const json file = document(golden("llama-uneven"));
    CHECK(file["layer_sizes"][1] == json{{"heads", 6}, {"kv_heads", 1}, {"hidden_dim", 58}});
    CHECK(file["kv_bytes_per_token"] == (2 + 1 + 3) * (10 + 10) * 2);
    CHECK(file["metadata"]["llama.attention.head_count_kv"] == json{2, 1, 3});
  }

  TEST_CASE("a mixture of experts is shown and sized, with a sentence that it cannot run") {
    const json file = document(golden("llama-experts"));
    CHECK(file["experts"] == json{{"count", 2}, {"used", 1}});
    CHECK(file["kv_bytes_per_token"] == 48);
    int64_t values = 0;
    for (const json& tensor : file["tensors"]) {
      int64_t count = 1;
      for (const json& size : tensor["shape"]) count *= size.get<int64_t>();
      values += count;
    }
    CHECK(file["parameters"] == values);  // of all experts
    CHECK(names(notes(file), "cannot run this: it is a mixture of 2 experts"));
    CHECK(names(page_of(golden("llama-experts")), "2 in a layer, 1 of them for a token", "cannot run this"));
    CHECK(run_kvlab({"generate", "--model", golden("llama-experts"), "--raw-ids", "--prompt", "1"}).status == 1);
  }

  TEST_CASE("an architecture that kvlab does not know is shown as tensors and metadata") {
    const TemporaryFolder folder;
    GgufBytes bytes;
    bytes.text_key("general.architecture", "mamba9").u32_key("mamba9.block_count", 2);
    bytes.tensor("rope_freqs.weight", {1}, 0, number_bytes(1.0f));
    bytes.tensor("blk.0.state", {2, 3}, 0, std::string(24, '\1'));
    const std::string path = folder.write("model.gguf", bytes.bytes());
    const json file = document(path);
    CHECK(file["architecture"] == "mamba9");
    CHECK(file["parameters"] == 6);  // rope_freqs is no weight
    CHECK_FALSE(file.contains("formula"));
    CHECK(file["tensors"][1]["shape"] == json{3, 2});
    CHECK(file["metadata"]["mamba9.block_count"] == 2);
    CHECK(file["notes"].size() == 1);
    CHECK(names(notes(file), "cannot run this: general.architecture", "mamba9"));
    CHECK(names(page_of(path), "blk.0.state", "mamba9.block_count: 2", "cannot run this"));
  }

  TEST_CASE("a type of tensors that kvlab does not compute with is named, and the model is sized") {
    const TemporaryFolder folder;
    std::string bytes = kv::test::read_whole_file(golden("llama-blocks"));
    // Behind the name stand the number of dimensions, two of them, and the type: Q4_0 here. IQ4_NL is as large.
    const std::string name = "blk.0.attn_output.weight";
    const size_t type = bytes.find(name) + name.size() + 4 + 2 * 8;
    REQUIRE(bytes.at(type) == 2);
    bytes[type] = 20;
    const json file = document(folder.write("model.gguf", bytes));
    CHECK(file["kv_bytes_per_token"] == 128);
    CHECK(names(notes(file), "cannot run this: blk.0.attn_output.weight", "IQ4_NL"));
  }

  TEST_CASE("metadata of every type is shown; long arrays by their length, broken text as JSON can hold it") {
    using namespace kv::test;
    const TemporaryFolder folder;
    GgufBytes bytes;
    bytes.key("a.u8", u8, number_bytes<uint8_t>(200)).key("a.i64", i64, number_bytes<int64_t>(-5));
    bytes.key("a.u64", u64, number_bytes<uint64_t>(UINT64_MAX)).key("a.f32", f32, number_bytes(0.1f));
    bytes.key("a.nan", f64, number_bytes(std::numeric_limits<double>::quiet_NaN())).key("a.yes", boolean, "\1");
    bytes.key("a.switches", array, array_bytes(boolean, 2, std::string("\1\0", 2)));
    bytes.key("a.few", array, texts_bytes({"x", "y"})).key("a.none", array, array_bytes(i32, 0, ""));
    bytes.key("a.many", array, texts_bytes(std::vector<std::string>(1000, "word")));
    bytes.key("a.scores", array, numbers_bytes<float>(f32, std::vector<float>(1000, 1.0f)));
    bytes.text_key("a.broken", "\xFF\x1B[31m");
    const std::string path = folder.write("model.gguf", bytes.bytes());
    const json metadata = document(path)["metadata"];
    CHECK(metadata["a.u8"] == 200);
    CHECK(metadata["a.i64"] == -5);
    CHECK(metadata["a.u64"] == "18446744073709551615");
    CHECK(metadata["a.f32"] == 0.1);
    CHECK(metadata["a.nan"] == "nan");
    CHECK(metadata["a.yes"] == true);
    CHECK(metadata["a.few"] == json{"x", "y"});
    CHECK(metadata["a.none"] == json::array());
    CHECK(metadata["a.many"] == json{{"array_of", "text"}, {"size", 1000}});
    CHECK(metadata["a.switches"] == json{{"array_of", "boolean"}, {"size", 2}});
    const std::string page = page_of(path);
    CHECK(names(page, "a.many: 1,000 texts", "a.scores: 1,000 values (f32)", "a.few: [\"x\",\"y\"]", "a.nan: nan"));
    CHECK(page.find('\033') == std::string::npos);
    CHECK(names(page, "architecture  none is named", "cannot run this: general.architecture is missing"));
  }

  TEST_CASE("a tokenizer and a chat template are shown without a model around them, and told when unknown") {
    const TemporaryFolder folder;
    const json bytes_pairs = document(folder.write("a.gguf", kv::test::byte_level_tokenizer("smollm").bytes()));
    CHECK(bytes_pairs["tokenizer"]["tokens"] == 260);
    CHECK(bytes_pairs["tokenizer"]["pre_tokenizer"] == "smollm");
    CHECK(bytes_pairs["tokenizer"]["bytes_without_token"] == 0);
    CHECK(bytes_pairs["tokenizer"]["special_tokens"][0] == json{{"id", 259}, {"text", "<|end|>"}});

    const std::string scores = page_of(folder.write("b.gguf", kv::test::sentencepiece_tokenizer().bytes()));
    CHECK(names(scores, "SentencePiece", "<s> (1), in front of every text"));

    GgufBytes chat;
    chat.text_key("general.architecture", "llama").text_key("tokenizer.chat_template", "{{ messages }}");
    const std::string chat_path = folder.write("d.gguf", chat.bytes());
    CHECK(names(page_of(chat_path), "chat          a template that kvlab does not know"));
    CHECK(document(chat_path)["chat_template"] == json{{"name", nullptr}, {"jinja", "{{ messages }}"}});
    CHECK(bytes_pairs["chat_template"].is_null());

    const std::string unknown = page_of(folder.write("c.gguf", kv::test::byte_level_tokenizer("no-such-rule").bytes()));
    CHECK(names(unknown, "Tokenizer\n  none          tokenizer.ggml.pre", "no-such-rule"));
  }

  TEST_CASE("a damaged GGUF file is one line with status 1") {
    const TemporaryFolder folder;
    const std::string whole = kv::test::read_whole_file(golden("qwen2"));
    for (const size_t size : {size_t{0}, size_t{4}, size_t{23}, size_t{100}, whole.size() / 2, whole.size() - 40}) {
      const Finished run = run_kvlab({"inspect", folder.write("model.gguf", whole.substr(0, size))});
      CHECK(run.status == 1);
      CHECK(run.out.empty());
      CHECK(names(run.err, "model.gguf: "));
      CHECK(run.err.find('\n') == run.err.size() - 1);
    }
  }

  TEST_CASE("texts out of a file stay on their line and do not reach the terminal as controls") {
    const TemporaryFolder folder;
    GgufBytes file;
    file.text_key("general.architecture", "none\n\nNotes\n  all is well");
    file.text_key("general.name", "a\tb\x1b[31mred\u2028c\u202Ed");
    const std::string page = page_of(folder.write("model.gguf", file.bytes()));
    CHECK(names(page, "none\uFFFD\uFFFDNotes\uFFFD  all is well", "a\uFFFDb\uFFFD[31mred\uFFFDc\uFFFDd"));
    CHECK(page.find("\nNotes\n  all is well") == std::string::npos);
    CHECK(page.find('\x1b') == std::string::npos);
    const Finished wrong = run_kvlab({"inspect", "no\x1b[31msuch\nfile.gguf"});
    CHECK(wrong.status == 1);
    CHECK(wrong.err.find('\x1b') == std::string::npos);
    CHECK(wrong.err.find('\n') == wrong.err.size() - 1);
  }

  TEST_CASE("SmolLM2 is shown with its 134,515,008 parameters and 23,040 bytes a token") {
    const auto file = kv::test::smollm2_or_skip();
    if (!file) return;
    const std::string page = page_of(*file);
    CHECK(names(page, "parameters    134,515,008", "30 layers x 3 KV heads x (64 K + 64 V) x 2 bytes = 23,040 bytes"));
    CHECK(names(page, "272 tensors", "blk.{0-29}.attn_q.weight       q4_1  [576, 576]", "token_embd.weight"));
    CHECK(names(page, "cut as \"smollm\" does", "49,152", "special       17: <|endoftext|> (0), <|im_start|> (1)"));
    CHECK(names(page, "tokenizer.ggml.merges: 48,900 texts", "the head is the embedding"));
    CHECK(names(page, "ends with     <|endoftext|> (0), <|im_end|> (2)"));
    CHECK(
        names(page, "chat          smollm2, which puts in a system message where there is none: You are a helpful AI"));
    CHECK(document(*file)["chat_template"]["name"] == "smollm2");
  }
}

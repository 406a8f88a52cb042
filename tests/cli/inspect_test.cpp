#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/commands.h"
#include "tests/support/temporary_folder.h"

using kv::test::json_of;
using kv::test::names;
using kv::test::output_of;
using kv::test::TemporaryFolder;
using nlohmann::json;

namespace {

std::string golden(const std::string& name) { return KVLAB_SOURCE_DIR "/tests/goldens/" + name; }

std::string text(const std::string& path) { return output_of({"inspect", path}); }

json document(const std::string& path) { return json_of({"inspect", path}); }

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("the kind of attention follows from what the layers store") {
    CHECK(document(golden("llama-mha"))["attention"] == "mha");
    CHECK(document(golden("llama-gqa3"))["attention"] == "gqa");
    CHECK(document(golden("llama-mqa"))["attention"] == "mqa");
    CHECK(document(golden("deepseek-v2"))["attention"] == "mla");
    CHECK(document(golden("qwen2-window-mix"))["attention"] == "gqa");
  }

  TEST_CASE("bytes per token come with the formula, K and V apart, latent with its rope part") {
    const json heads = document(golden("llama-mha"));
    CHECK(heads["kv_bytes_per_token"] == 320);
    CHECK(heads["formula"] == "2 layers x 4 KV heads x (10 K + 10 V) x 2 bytes = 320 bytes");
    const json latent = document(golden("deepseek-v3"));
    CHECK(latent["formula"] == "2 layers x (18 latent + 8 rope) x 2 bytes = 104 bytes");
    CHECK(latent["kv_bytes_per_token"] == 104);
  }

  TEST_CASE("windows are shown by runs of layers, and stop growing") {
    CHECK(names(text(golden("qwen2-window-mix")), "layers 0-1: all positions; layers 2-3: the last 6 positions"));
    CHECK(names(text(golden("mistral-window")), "the last 5 positions in every layer"));
    CHECK(document(golden("qwen2-window-mix"))["kv_bytes_per_token_past_window"] == 96);
    CHECK(document(golden("mistral-window"))["kv_bytes_per_token_past_window"] == 0);
  }

  TEST_CASE("layers that are alike are one line of text and all there in JSON") {
    const std::string page = text(golden("llama-gqa3"));
    CHECK(names(page, "model.layers.{0-2}.self_attn.q_proj.weight", "x 3"));
    CHECK_FALSE(names(page, "model.layers.1.self_attn"));
    const json tensors = document(golden("llama-gqa3"))["tensors"];
    CHECK(tensors.size() == 3 * 9 + 3);
    CHECK(tensors[0]["name"] == "model.embed_tokens.weight");
    CHECK(tensors[0]["dtype"] == "bf16");
  }

  TEST_CASE("what the config does not say is told as assumed") {
    CHECK(names(text(golden("qwen2")), "Assumed", "head_dim is absent"));
    CHECK(document(golden("qwen2"))["assumed"].size() >= 1);
    CHECK_FALSE(names(text(golden("mistral-window")), "Assumed"));
  }

  TEST_CASE("a config.json beside its weights is the whole model, alone it is a config") {
    CHECK(document(golden("llama-mha") + "/config.json")["tensors"].size() == 21);
    const TemporaryFolder folder;
    const std::string config =
        folder.write("config.json", kv::test::read_whole_file(golden("llama-mha") + "/config.json"));
    const json alone = document(config);
    CHECK(alone["tensors"].empty());
    CHECK(alone["kv_bytes_per_token"] == 320);
    CHECK(names(text(config), "no weights beside this config.json"));
  }

  TEST_CASE("a safetensors file shows its tensors and metadata") {
    const json file = document(golden("llama-mha") + "/expected.safetensors");
    CHECK_FALSE(file.contains("model"));
    CHECK(names(file["metadata"]["made_by"].get<std::string>(), "transformers"));
    CHECK(names(text(golden("llama-mha") + "/expected.safetensors"), "keys.{0-1}", "i32", "made_by: transformers"));
  }

  TEST_CASE("a known name is found, with its tokenizer") {
    const json model = document("austen-mla");
    CHECK(model["model"] == "austen-mla");
    CHECK(model["tokenizer"]["tokens"] == 2048);
    CHECK(model["tokenizer"]["special_tokens"][0]["text"] == "<|endoftext|>");
    CHECK(names(text("austen-mla"), "4 layers x (64 latent + 16 rope) x 2 bytes = 640 bytes"));
  }
}

#include <doctest/doctest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/commands.h"
#include "tests/support/temporary_folder.h"

using kv::test::check_fails;
using kv::test::Finished;
using kv::test::json_of;
using kv::test::names;
using kv::test::output_of;
using kv::test::run_kvlab;
using kv::test::TemporaryFolder;
using nlohmann::json;

namespace {

std::string output(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "size");
  return output_of(arguments);
}

json document(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "size");
  return json_of(arguments);
}

// A config.json of model_type llama that states no head_dim and no num_key_value_heads.
json plain_config(int64_t layers, int64_t dim, int64_t heads) {
  return {{"model_type", "llama"},          {"hidden_size", dim},           {"intermediate_size", 4 * dim},
          {"num_hidden_layers", layers},    {"num_attention_heads", heads}, {"vocab_size", 1000},
          {"max_position_embeddings", 4096}};
}

json sized(const TemporaryFolder& folder, const json& config) {
  return document({folder.write("config.json", config.dump())});
}

constexpr int64_t kGib = int64_t{1} << 30;

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("a document has the keys that scripts rely on, with the formula's numbers") {
    const json size = document({"llama-3.1-8b", "--tokens", "131072", "--batch", "2"});
    CHECK(size["model"] == "llama-3.1-8b");
    CHECK(size["attention"] == "gqa");
    CHECK(size["layers"] == 32);
    CHECK(size["tokens"] == 131072);
    CHECK(size["batch"] == 2);
    CHECK(size["dtype"] == "bf16");
    CHECK(size["kv_bytes_per_token"] == 131072);
    CHECK(size["kv_bytes_per_token_past_window"] == 131072);
    CHECK(size["kv_bytes"] == 2 * 17179869184);
    CHECK(size["weights_bytes"] == 16060522496);
    CHECK(size["parameters"] == 8030261248);
    CHECK(size["policy"] == "logical");
    CHECK(size["kind"] == "predicted");
    CHECK(size["formula"] ==
          "2 requests x 32 layers x 8 KV heads x (128 K + 128 V) x 131,072 tokens x 2 bytes = 34,359,738,368 bytes");
    CHECK(size["assumed"].is_array());
    CHECK_FALSE(size.contains("kv_bytes_per_rank"));
    CHECK_FALSE(size.contains("memory_bytes"));
  }

  TEST_CASE("head_dim is the one that the config states, not hidden_size over heads") {
    CHECK(document({"mistral-nemo"})["kv_bytes_per_token"] == 163840);
    CHECK(document({"qwen3-32b"})["kv_bytes_per_token"] == 262144);
    CHECK(document({"phi-3-mini-4k"})["kv_bytes_per_token"] == 393216);
    const TemporaryFolder folder;
    json config = plain_config(32, 1792, 24);  // which is no whole number
    config["num_key_value_heads"] = 8;
    config["head_dim"] = 128;
    CHECK(sized(folder, config)["kv_bytes_per_token"] == 131072);
    config["head_dim"] = nullptr;
    check_fails({"size", folder.write("config.json", config.dump())}, 1, "head_dim");
  }

  TEST_CASE("without num_key_value_heads there are as many as heads, and that is told; 0 is an error") {
    const TemporaryFolder folder;
    json config = plain_config(32, 4096, 32);
    CHECK(sized(folder, config)["kv_bytes_per_token"] == 524288);
    CHECK(names(sized(folder, config)["assumed"].dump(), "num_key_value_heads is absent: 32"));
    config["num_key_value_heads"] = nullptr;
    CHECK(sized(folder, config)["kv_bytes_per_token"] == 524288);
    config["num_key_value_heads"] = 0;
    check_fails({"size", folder.write("config.json", config.dump())}, 1, "num_key_value_heads");
  }

  TEST_CASE("a latent is sized as a latent") {
    const json v3 = document({"deepseek-v3"});
    CHECK(v3["attention"] == "mla");
    CHECK(v3["kv_bytes_per_token"] == 70272);
    CHECK(document({"deepseek-v2-lite"})["kv_bytes_per_token"] == 31104);
  }

  TEST_CASE("window layers stop at their window, and a window that is switched off does not count") {
    const json mistral = document({"mistral-7b-v0.1", "--tokens", "32768"});
    CHECK(mistral["kv_bytes"] == 536870912);
    CHECK(mistral["kv_bytes_per_token_past_window"] == 0);
    const json gemma = document({"gemma-3-27b", "--tokens", "131072"});
    CHECK(gemma["kv_bytes"] == 52 * 1024 * 8192 + int64_t{10} * 131072 * 8192);
    CHECK(gemma["formula"].get<std::string>().find("1,024 tokens (the window)") != std::string::npos);
    CHECK(document({"qwen2.5-7b"})["kv_bytes_per_token_past_window"] == document({"qwen2.5-7b"})["kv_bytes_per_token"]);
  }

  TEST_CASE("GiB are 2^30 bytes and GB 10^9, each with two decimals and its own name") {
    const std::string binary = output({"llama-3.1-8b", "--tokens", "131072"});
    CHECK(names(binary, "16.00 GiB"));
    CHECK_FALSE(names(binary, " GB "));
    const std::string decimal = output({"llama-3.1-8b", "--tokens", "131072", "--unit", "GB"});
    CHECK(names(decimal, "17.18 GB"));
    CHECK_FALSE(names(decimal, "GiB "));
    CHECK(names(output({"qwen3-0.6b", "--tokens", "40960", "--unit", "GB"}), "4.70 GB"));
    CHECK(document({"qwen3-0.6b", "--tokens", "40960"})["kv_bytes"] == 4697620480);
  }

  TEST_CASE("formats change what a value takes: 8.5 bits in q8_0, 4.5 in q4_0, one byte in f8") {
    const auto token = [](const char* dtype) {
      return document({"llama-3.1-8b", "--dtype", dtype})["kv_bytes_per_token"].get<int64_t>();
    };
    CHECK(token("f32") == 262144);
    CHECK(token("f16") == 131072);
    CHECK(token("f8") == 65536);
    CHECK(token("i8") == 65536);
    CHECK(token("i4") == 32768);
    CHECK(token("q8_0") == 65536 * 17 / 16);
    CHECK(token("q4_0") == 32768 * 9 / 8);
    const json mixtral = document({"mixtral-8x7b", "--weights-dtype", "q4_0"});
    CHECK(mixtral["weights_bytes"] == 46702792704 / 32 * 18);  // all experts
    CHECK(mixtral["weights_dtype"] == "q4_0");
    CHECK(mixtral["active_parameters"].get<int64_t>() < 13'000'000'000);
  }

  TEST_CASE("ranks share heads, repeat them where there are too few, and repeat a latent") {
    const auto rank = [](const char* model, const char* ranks) {
      return document({model, "--tokens", "1000", "--batch", "3", "--tensor-parallel", ranks});
    };
    CHECK(rank("llama-3.1-70b", "4")["kv_bytes_per_rank"] == 3 * 1000 * 327680 / 4);
    CHECK(rank("llama-3.1-70b", "8")["kv_bytes_per_token_per_rank"] == 40960);
    CHECK(rank("llama-3.1-70b", "16")["kv_bytes_per_token_per_rank"] == 40960);
    CHECK(rank("llama-3.1-70b", "16")["kv_bytes"] == 3 * 1000 * 327680);
    CHECK(rank("deepseek-v3", "8")["kv_bytes_per_rank"] == 3 * 1000 * 70272);
    check_fails({"size", "llama-3.1-70b", "--tensor-parallel", "3"}, 1,
                "8 KV heads cannot be shared evenly by 3 ranks");
  }

  TEST_CASE("a device holds what its memory leaves, and its number names where it comes from") {
    const json fit = document({"llama-3.1-8b", "--tokens", "8192", "--batch", "4", "--gpu", "rtx-4090"});
    CHECK(fit["device"] == "RTX 4090");
    CHECK(fit["memory_bytes"] == 24 * kGib);
    CHECK(fit["memory_kind"] == "published");
    CHECK(names(fit["memory_source"].get<std::string>(), "NVIDIA"));
    CHECK(fit["room_bytes"] == 24 * kGib - 16060522496);
    CHECK(fit["free_bytes"] == 24 * kGib - 16060522496 - 4 * kGib);
    CHECK(fit["max_concurrent"] == 9);
    CHECK(fit["max_tokens"] == (24 * kGib - 16060522496) / 4 / 131072);
    CHECK(fit["next_request_stops_at"] == (24 * kGib - 16060522496) / 5 / 131072 + 1);
  }

  TEST_CASE("memory and reserve in GiB, GB and bytes are what they say") {
    const auto memory = [](const char* text) {
      return document({"llama-3.1-8b", "--memory", text})["memory_bytes"].get<int64_t>();
    };
    CHECK(memory("24GiB") == 25769803776);
    CHECK(memory("24GB") == 24000000000);
    CHECK(memory("25769803776") == 25769803776);
    CHECK(memory("1.5GiB") == 1610612736);
    const json reserved = document(
        {"llama-3.1-8b", "--tokens", "1000", "--memory", "24GiB", "--reserve", "2GiB", "--tensor-parallel", "2"});
    CHECK(reserved["memory_kind"] == "given");
    CHECK(reserved["reserve_bytes"] == 2 * kGib);
    CHECK(reserved["room_bytes"] == 22 * kGib - 16060522496 / 2);
    CHECK(reserved["free_bytes"] == 22 * kGib - 16060522496 / 2 - 1000 * 65536);
  }

  TEST_CASE("weights that do not fit are a negative rest, told in words to people") {
    const json fit = document({"llama-3.1-70b", "--memory", "80GiB", "--tokens", "1000"});
    CHECK(fit["free_bytes"].get<int64_t>() < 0);
    CHECK(fit["max_concurrent"] == 0);
    CHECK(names(output({"llama-3.1-70b", "--memory", "80GiB", "--tokens", "1000"}), "too little by",
                "The weights alone do not fit"));
  }

  TEST_CASE("this machine is a device too, whose memory is measured") {
    const json fit = document({"smollm2-135m", "--gpu", "this"});
    CHECK(fit["memory_kind"] == "measured");
    CHECK(fit["memory_bytes"].get<int64_t>() > (int64_t{64} << 20));
  }

  TEST_CASE("what kvlab does not run, or cannot count, is a sentence") {
    const json hybrid = document({"qwen3.5-27b", "--gpu", "h200"});
    CHECK(names(hybrid["cannot_run"].get<std::string>(), "kvlab runs llama"));
    CHECK(names(hybrid["unknown_parameters"].get<std::string>(), "linear attention"));
    CHECK(hybrid["weights_bytes"].is_null());
    CHECK(hybrid["free_bytes"].is_null());
    CHECK(hybrid["state_bytes"].get<int64_t>() > 0);
    CHECK(names(output({"qwen3.5-27b"}), "states", "48 of 64 layers have no attention", "Weights are not counted"));
    CHECK(document({"llama-3.1-8b"})["cannot_run"].is_null());
  }

  TEST_CASE("defaults that were used are told") {
    const json size = document({"llama-3.1-8b"});
    CHECK(size["tokens"] == 131072);
    CHECK(names(size["assumed"].dump(), "131,072 tokens (--tokens)", "bf16 (--weights-dtype)", "head_dim is absent"));
    CHECK(names(document({"gpt2", "--tokens", "2000"})["assumed"].dump(), "more than the 1,024"));
    CHECK(names(document({"gpt2", "--dtype", "i4"})["assumed"].dump(), "without scales"));
  }

  TEST_CASE("a checkpoint's folder, its config.json, a GGUF file and a known name are models") {
    const std::string folder = KVLAB_SOURCE_DIR "/checkpoints/austen-mla";
    for (const std::string& model : {folder, folder + "/config.json", std::string("austen-mla")})
      CHECK(document({model})["kv_bytes_per_token"] == 640);
    CHECK(document({"meta-llama/Llama-3.1-8B"})["model"] == "llama-3.1-8b");
    const std::string gguf = KVLAB_SOURCE_DIR "/tests/goldens/llama-gqa3/model.gguf";
    const json file = document({gguf});
    CHECK(file["kv_bytes_per_token"] == document({KVLAB_SOURCE_DIR "/tests/goldens/llama-gqa3"})["kv_bytes_per_token"]);
    CHECK(file["weights_dtype"] == "file");
    CHECK(file["weights_bytes"].get<int64_t>() > 0);
    CHECK(document({gguf, "--weights-dtype", "f32"})["weights_bytes"] == 4 * file["parameters"].get<int64_t>());
  }

  TEST_CASE("CSV is a head and a row with as many cells") {
    std::istringstream lines(output({"llama-3.1-8b", "--tokens", "100", "--csv"}));
    std::string head, row, more;
    std::getline(lines, head);
    std::getline(lines, row);
    CHECK_FALSE(std::getline(lines, more));
    CHECK(head.starts_with("model,origin,attention,layers,tokens,batch,dtype,kv_bytes_per_token,"));
    CHECK(row.starts_with("llama-3.1-8b,preset meta-llama/Llama-3.1-8B,gqa,32,100,1,bf16,131072,"));
    CHECK(names(row, "\"32 layers x 8 KV heads x (128 K + 128 V) x 100 tokens x 2 bytes = 13,107,200 bytes\""));
  }

  TEST_CASE("mistyped models, devices and formats suggest the nearest") {
    check_fails({"size", "lama-3.1-8b"}, 1, "did you mean llama-3.1-8b?");
    check_fails({"size", "llama-3.1"}, 1, "llama-3.1-8b or llama-3.1-70b");
    check_fails({"size", "austen-gqq"}, 1, "austen-gqa");
    check_fails({"size", "something else"}, 1, "kvlab models lists the names");
    check_fails({"size", ""}, 1, "empty");
    check_fails({"size", "gpt2", "--gpu", "rtx4091"}, 1, "did you mean RTX 4090?");
    check_fails({"size", "gpt2", "--gpu", "a100"}, 1, "A100 80 GB SXM");
    check_fails({"size", "gpt2", "--dtype", "bf61"}, 2, "did you mean bf16?");
    check_fails({"size", "gpt2", "--weights-dtype", "q4"}, 2, "q4_0");
  }

  TEST_CASE("wrong command lines, and numbers that do not fit") {
    check_fails({"size"}, 2, "MODEL");
    check_fails({"size", "gpt2", "--memory", "24G"}, 2, "24GiB, 24GB");
    check_fails({"size", "gpt2", "--memory", "-1"}, 2, "--memory");
    check_fails({"size", "gpt2", "--memory", "24 GiB"}, 2, "--memory");
    check_fails({"size", "gpt2", "--memory", "0"}, 2, "--memory");
    check_fails({"size", "gpt2", "--memory", "1e30GiB"}, 2, "--memory");
    check_fails({"size", "gpt2", "--memory", "nan"}, 2, "--memory");
    check_fails({"size", "gpt2", "--reserve", "1GiB"}, 2, "--reserve");
    check_fails({"size", "gpt2", "--gpu", ""}, 2, "--gpu");
    check_fails({"size", "gpt2", "--unit", "Gib"}, 2, "GiB or GB");
    check_fails({"size", "gpt2", "--json", "--csv"}, 2, "--json and --csv");
    check_fails({"size", "llama-3.1-405b", "--batch", "1000000000", "--tokens", "1000000000"}, 1, "64 bits");
    check_fails({"size", KVLAB_SOURCE_DIR "/tests/goldens/llama-mha/model.safetensors"}, 1, "config.json");
  }

  TEST_CASE("kvlab models lists the presets, with sizes and where their shapes were read") {
    const Finished text = run_kvlab({"models"}), machine = run_kvlab({"models", "--json"});
    CHECK(text.status == 0);
    CHECK(names(text.out, "llama-3.1-8b", "deepseek-ai/DeepSeek-V3", "mla", "not known"));
    const json models = json::parse(machine.out)["models"];
    CHECK(models.size() == 48);
    for (const json& model : models) {
      const json size = document({model["name"].get<std::string>()});
      CHECK(size["kv_bytes_per_token"] == model["kv_bytes_per_token"]);
      CHECK(size["kv_bytes"] == model["kv_bytes_at_max_context"]);
      CHECK(size["parameters"] == model["parameters"]);
      CHECK_FALSE(model["source"].get<std::string>().empty());
    }
  }
}

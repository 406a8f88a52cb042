#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/files/safetensors.h"
#include "model/utf8_stream.h"
#include "tests/support/error_of.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

using kv::test::Finished;
using kv::test::names;
using kv::test::run_kvlab;
using kv::test::TemporaryFolder;
using nlohmann::json;

namespace {

const std::string kIds = "5,1,17,4,33,8,21,2,40,11,3,29,7,16";  // 14 tokens, all inside every golden's vocabulary

// `kvlab generate` on a golden's ids.
Finished generate(const std::string& golden, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"generate",  "--model",  KVLAB_SOURCE_DIR "/tests/goldens/" + golden,
                                        "--raw-ids", "--prompt", kIds,
                                        "--tokens",  "12"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_kvlab(arguments);
}

json report(const std::string& golden, std::vector<std::string> more) {
  more.push_back("--json");
  const Finished run = generate(golden, more);
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK(run.err.empty());
  return json::parse(run.out);
}

// The same on a trained model and a text.
json report_on_text(const std::string& text, std::vector<std::string> more, const std::string& input = "") {
  std::vector<std::string> arguments = {"generate", "--model",  "austen-gqa", "--prompt",
                                        text,       "--tokens", "8",          "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished run = run_kvlab(arguments, input);
  REQUIRE_MESSAGE(run.status == 0, run.err);
  return json::parse(run.out);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const kv::Utf8Piece piece = kv::first_utf8_piece(text);
    if (piece.kind != kv::Utf8Piece::Kind::character) return false;
    text.remove_prefix(piece.bytes);
  }
  return true;
}

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("cache, pieces and threads change neither a token nor a bit of the logits") {
    for (const std::string golden : {"llama-gqa3", "qwen2-window-mix", "deepseek-v3-qlora"})
      for (const std::string dtype : {"f32", "f16", "bf16"})
        for (const std::string form : {"absorbed", "materialised"}) {
          CAPTURE(golden);
          CAPTURE(dtype);
          CAPTURE(form);
          const std::vector<std::string> same = {"--cache-dtype", dtype, "--form", form};
          const auto with = [&](std::vector<std::string> more) {
            more.insert(more.end(), same.begin(), same.end());
            return report(golden, more);
          };
          const json expected = with({"--threads", "1"});
          for (const json& other : {with({"--threads", "2"}), with({"--chunk", "3,1,7"}), with({"--chunk", "1"}),
                                    with({"--capacity", "100"}), with({"--cache", "off", "--threads", "2"})}) {
            CHECK(other["logits_hash"] == expected["logits_hash"]);
            CHECK(other["tokens"] == expected["tokens"]);
          }
        }
  }

  TEST_CASE("the two forms of latent attention and the storage types are different runs") {
    const json absorbed = report("deepseek-v3-qlora", {"--form", "absorbed", "--cache-dtype", "f32"});
    CHECK(report("deepseek-v3-qlora", {"--form", "materialised", "--cache-dtype", "f32"})["logits_hash"] !=
          absorbed["logits_hash"]);
    CHECK(report("deepseek-v3-qlora", {"--cache-dtype", "bf16"})["logits_hash"] != absorbed["logits_hash"]);
  }

  TEST_CASE("weights stored as f32 give the logits of the bf16 file that they were widened from") {
    const json file = report("llama-gqa3", {});
    const json wide = report("llama-gqa3", {"--weights", "f32"});
    CHECK(file["weights_dtype"] == "bf16");
    CHECK(wide["weights_dtype"] == "f32");
    CHECK(wide["logits_hash"] == file["logits_hash"]);
    CHECK(wide["counters"]["decode"]["weight_bytes"] == 2 * file["counters"]["decode"]["weight_bytes"].get<int64_t>());
    CHECK(report("llama-mha", {"--weights", "bf16"})["logits_hash"] != report("llama-mha", {})["logits_hash"]);
  }

  TEST_CASE("the JSON document has the contract's keys, and its numbers fit together") {
    const json made = report("llama-mha", {});
    for (const char* key :
         {"model", "prompt_tokens", "prompt_ids", "tokens", "text", "prefill_seconds", "decode_tokens_per_second",
          "bytes_read_per_token", "gigabytes_per_second", "kv_bytes", "logits_hash", "counters"})
      CHECK_MESSAGE(made.contains(key), key);
    CHECK(made["model"] == "llama-mha");
    CHECK(made["prompt_tokens"] == 14);
    CHECK(made["prompt_ids"].size() == 14);
    CHECK(made["tokens"].size() == 12);
    CHECK(made["text"].is_null());
    CHECK(made["kv_bytes"] == (14 + 11) * 2 * 4 * (10 + 10) * 2);  // tokens x layers x KV heads x (K + V) x bf16
    const std::string hash = made["logits_hash"];
    CHECK(hash.size() == 18);
    CHECK(hash.starts_with("0x"));
    const json& decode = made["counters"]["decode"];
    const double bytes = decode["weight_bytes"].get<double>() + decode["cache_bytes_read"].get<double>();
    CHECK(made["bytes_read_per_token"] == doctest::Approx(bytes / 11));
    CHECK(report("llama-mha", {"--cache", "off"})["kv_bytes"] == 0);
  }

  TEST_CASE("one token needs no decode step: what was not measured is null") {
    const json made = report("llama-mha", {"--tokens", "1"});
    CHECK(made["tokens"].size() == 1);
    CHECK(made["decode_tokens_per_second"].is_null());
    CHECK(made["bytes_read_per_token"].is_null());
  }

  TEST_CASE("stdout carries the ids alone, and stderr one line about the run") {
    const Finished run = generate("llama-mha", {"--tokens", "3"});
    CHECK(run.status == 0);
    const json made = report("llama-mha", {"--tokens", "3"});
    CHECK(run.out == std::to_string(made["tokens"][0].get<int>()) + " " + std::to_string(made["tokens"][1].get<int>()) +
                         " " + std::to_string(made["tokens"][2].get<int>()) + "\n");
    CHECK(names(run.err, "3 tokens, ", " tokens/s; ", " read a token, ", " GB/s; KV cache 5.00 KiB (bf16); logits 0x"));
    CHECK(run.err.find('\n') == run.err.size() - 1);
    CHECK(names(generate("llama-mha", {"--cache", "off"}).err, "no KV cache"));
  }

  TEST_CASE("a seed repeats its draws, another makes others") {
    const auto draws = [](const std::string& seed) {
      return report("llama-mha",
                    {"--temperature", "1.5", "--top-k", "50", "--top-p", "0.95", "--seed", seed})["tokens"];
    };
    CHECK(draws("1") == draws("1"));
    CHECK(draws("1") != draws("2"));
  }

  TEST_CASE("a text begins with one begin token, however it is written") {
    const json plain = report_on_text("My dear", {});
    CHECK(plain["prompt_ids"][0] == 0);
    CHECK(plain["prompt_ids"][1] != 0);
    CHECK(report_on_text("<|endoftext|>My dear", {"--specials", "on"})["prompt_ids"] == plain["prompt_ids"]);
    CHECK(report_on_text("<|endoftext|>My dear", {})["prompt_tokens"] > plain["prompt_tokens"]);
    CHECK(report_on_text("", {})["prompt_ids"] == json::array({0}));
    CHECK(report_on_text("-", {}, "My dear\n")["prompt_ids"] == plain["prompt_ids"]);
  }

  TEST_CASE("the text is valid UTF-8, whatever is drawn, and stdout shows the same") {
    for (const std::string seed : {"1", "2", "3"}) {
      const std::vector<std::string> hot = {"--temperature", "50", "--tokens", "200", "--seed", seed};
      const std::string text = report_on_text("The café", hot)["text"];
      CHECK(is_utf8(text));
      std::vector<std::string> arguments = {"generate", "--prompt", "The café"};
      arguments.insert(arguments.end(), hot.begin(), hot.end());
      CHECK(run_kvlab(arguments).out == text + "\n");
    }
  }

  TEST_CASE("a trace has each call's counters, and their sum is what the report says") {
    const TemporaryFolder folder;
    const std::string path = folder / "run.json";
    const json made = report("llama-mha", {"--tokens", "3", "--trace", path});
    const json trace = json::parse(kv::test::read_whole_file(path));
    CHECK(trace["tokens"] == made["tokens"]);
    REQUIRE(trace["calls"].size() == 3);
    CHECK(trace["calls"][0]["tokens"] == 14);
    CHECK(trace["calls"][2]["first_position"] == 15);
    CHECK(trace["calls"][0]["layers"].size() == 2);
    CHECK(trace["calls"][0]["total"] == made["counters"]["prefill"]);
    CHECK(trace["calls"][0]["tensors"][0] == json{{"name", "embedding"}, {"shape", {14, 36}}});
  }

  TEST_CASE("a trace in safetensors has the tensors, and its last row of logits chose the token") {
    const TemporaryFolder folder;
    const std::string path = folder / "run.safetensors";
    const json made = report("deepseek-v2", {"--tokens", "2", "--trace", path});
    const kv::Safetensors file = kv::read_safetensors(path);
    CHECK(file.tensors.contains("call.1.layer.0.latents"));
    CHECK(json::parse(file.metadata.at("trace"))["calls"].size() == 2);
    const kv::StoredTensor& logits = file.tensors.at("call.1.logits");
    REQUIRE(logits.dtype == "F32");
    const auto* values = reinterpret_cast<const float*>(logits.bytes.data());
    const auto best = std::max_element(values, values + logits.bytes.size() / sizeof(float)) - values;
    CHECK(made["tokens"][1] == best);
    size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
    CHECK(files == 1);  // nothing half-written beside it
  }

  TEST_CASE("a reader who goes away ends the program without a word") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    const Finished run =
        run_kvlab({"generate", "--model", KVLAB_SOURCE_DIR "/tests/goldens/llama-mha", "--raw-ids", "--prompt", "1"},
                  "", ends[1]);
    ::close(ends[1]);
    CHECK(run.signal == SIGPIPE);
    CHECK(run.err.empty());
  }

  TEST_CASE("an answer that cannot be written is an error") {
    const int full = ::open("/dev/full", O_WRONLY);
    if (full < 0) return;
    const Finished run = run_kvlab({"--version"}, "", full);
    ::close(full);
    CHECK(run.status == 1);
    CHECK(run.err == "kvlab: standard output: cannot be written\n");
  }
}

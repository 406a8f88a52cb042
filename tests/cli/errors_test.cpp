// What cannot be done is one line on stderr that names what, and status 1; nothing on stdout.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/commands.h"
#include "tests/support/temporary_folder.h"

using kv::test::Finished;
using kv::test::names;
using kv::test::run_kvlab;
using kv::test::TemporaryFolder;

namespace {

// What cannot be done, with the program's command line right.
template <class... Parts>
void check_cannot(const std::vector<std::string>& arguments, const Parts&... parts) {
  kv::test::check_fails(arguments, 1, parts...);
}

const std::string kGolden = KVLAB_SOURCE_DIR "/tests/goldens/llama-mha";

// generate on the golden with these ids.
std::vector<std::string> on_ids(const std::string& ids, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"generate", "--model", kGolden, "--raw-ids", "--prompt", ids};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// A copy of the golden, to be broken.
class BrokenModel {
 public:
  BrokenModel() { std::filesystem::copy(kGolden, path(), std::filesystem::copy_options::recursive); }
  std::filesystem::path path() const { return folder_ / "model"; }
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("what this build cannot do yet says so") {
    check_cannot({"generate", "--device", "cuda", "--prompt", "x"}, "--device cuda", "no CUDA kernels yet");
    check_cannot({"generate", "--device", "emulated", "--prompt", "x"}, "--device emulated", "no CUDA kernels yet");
  }

  TEST_CASE("an unknown model suggests the nearest names") {
    check_cannot({"generate", "--model", "austen-gqq", "--prompt", "x"}, "austen-gqq", "did you mean austen-gqa?");
    check_cannot({"generate", "--model", "something-else", "--prompt", "x"}, "known names are austen-");
    check_cannot({"generate", "--model", "no/such/folder", "--prompt", "x"}, "no/such/folder");
    check_cannot({"generate", "--model", "smolm2", "--prompt", "x"}, "did you mean smollm2?");
    check_cannot({"inspect", "no/such/folder"}, "no/such/folder");
  }

  TEST_CASE("a damaged GGUF file names itself and what is wrong in it") {
    const TemporaryFolder folder;
    const std::string path = folder.write("model.gguf", "GGUF");
    check_cannot({"generate", "--model", path, "--prompt", "x"}, "model.gguf", "4 bytes");
  }

  TEST_CASE("prompts that cannot run") {
    check_cannot(on_ids(""), "the prompt is empty");
    check_cannot(on_ids(" , "), "the prompt is empty");
    check_cannot(on_ids("1,two,3"), "\"two\"", "not a token id");
    check_cannot(on_ids("1,99999999999"), "\"99999999999\"");
    check_cannot(on_ids("1,99"), "99");  // the golden's vocabulary has 99 rows: the last is 98
    check_cannot(on_ids("1,-1"), "-1");
    check_cannot({"generate", "--model", kGolden, "--prompt", "a text"}, "no tokenizer", "--raw-ids");
  }

  TEST_CASE("what does not fit names both numbers") {
    std::string long_prompt = "1";
    for (int i = 1; i < 130; ++i) long_prompt += " 1";
    check_cannot(on_ids(long_prompt, {"--tokens", "1"}), "130", "128");
    check_cannot(on_ids("1,2,3", {"--tokens", "127"}), "129", "128");
    check_cannot(on_ids("1,2,3", {"--tokens", "10", "--capacity", "11"}), "12", "11");
    check_cannot(on_ids("1,2,3", {"--capacity", "129"}), "--capacity 129", "128");
  }

  TEST_CASE("a run of exactly the context and exactly the capacity fits") {
    CHECK(run_kvlab(on_ids("1,2,3", {"--tokens", "126"})).status == 0);
    CHECK(run_kvlab(on_ids("1,2,3", {"--tokens", "10", "--capacity", "12"})).status == 0);
  }

  TEST_CASE("a broken checkpoint names the file and what is wrong in it") {
    const auto on = [](const BrokenModel& model) {
      return std::vector<std::string>{"generate", "--model", model.path(), "--raw-ids", "--prompt", "1"};
    };
    {
      const BrokenModel model;
      std::filesystem::remove(model / "model.safetensors");
      check_cannot(on(model), "model.safetensors");
    }
    {
      const BrokenModel model;
      std::filesystem::resize_file(model / "model.safetensors", 5000);
      check_cannot(on(model), "model.safetensors");
      check_cannot({"inspect", model.path()}, "model.safetensors");
      check_cannot({"inspect", model / "model.safetensors"}, "model.safetensors");
    }
    {
      const BrokenModel model;
      std::filesystem::resize_file(model / "config.json", 40);
      check_cannot(on(model), "config.json");
      check_cannot({"inspect", model / "config.json"}, "config.json");
    }
    {
      const BrokenModel model;
      std::filesystem::remove(model / "config.json");
      check_cannot(on(model), "config.json");
    }
  }

  TEST_CASE("a trace that cannot be written leaves nothing behind") {
    const TemporaryFolder folder;
    check_cannot(on_ids("1", {"--tokens", "2", "--trace", folder / "nowhere/run.json"}), "nowhere");
    std::filesystem::create_directory(folder / "run.json");  // a folder is in the way
    const Finished run = run_kvlab(on_ids("1", {"--tokens", "2", "--trace", folder / "run.json"}));
    CHECK(run.status == 1);
    CHECK(run.out.empty());  // refused before any work
    CHECK(names(run.err, "run.json: is a folder"));
    const Finished late = run_kvlab(on_ids("1", {"--tokens", "2", "--trace", "/proc/run.json"}));
    CHECK(late.status == 1);
    CHECK(names(late.err, "/proc/run.json: cannot be written"));
    size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++entries;
    CHECK(entries == 1);
  }
}

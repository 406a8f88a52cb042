// The program. Libraries throw; here an error becomes one line on stderr and an exit status:
// 0 done, 1 it could not be done, 2 the command line is wrong. stdout carries the answer and nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/tell.h"
#include "cli/terminal.h"
#include "model/nearest.h"

namespace kv::cli {

namespace {

constexpr const char* kAbout = "kvlab: what a transformer's KV cache is, on models that really run.";

constexpr const char* kNotes = R"(Without a command kvlab opens the viewer, or where there is no display runs the tour.
kvlab COMMAND --help says more.

Examples:
  kvlab view
  kvlab tour
  kvlab generate --prompt "It is a truth universally acknowledged"
  kvlab inspect austen-mla
  kvlab size llama-3.1-8b --tokens 131072 --gpu "H100 SXM"
  kvlab cost smollm2-135m --context 2048)";

// CLI11's help without its double blank lines, in our words.
class HelpText : public CLI::Formatter {
 public:
  HelpText() {
    column_width(34);
    label("SUBCOMMAND", "COMMAND");
    label("REQUIRED", "");
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at)) text.erase(at, 1);
    return text;
  }
};

int fail(std::string message, int status) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fflush(stdout);  // so that on a terminal the message stands after what was written
  tell("kvlab: " + on_one_line(message));
  return status;
}

// A first word that is no command, told apart from a wrong option of a command.
void require_command(const std::string& word, const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.options->get_name());
  if (word.empty() || word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::vector<std::string> near = nearest(word, names);
  throw UsageError(
      fmt::format("there is no command \"{}\"{}", word, near.empty() ? "" : "; did you mean " + near.front() + "?"));
}

int run(const std::vector<Command>& commands) {
  for (const Command& command : commands)
    if (command.options->parsed()) return command.run();
  const std::string reason = view_without_words();
  if (reason.empty()) return 0;
  tell(fmt::format("kvlab: {}, so here is the tour; kvlab --help lists the commands", on_one_line(reason)));
  return commands.back().run();
}

int main(int argc, char** argv) {
  CLI::App program(kAbout, "kvlab");
  program.footer(kNotes);
  program.set_version_flag("--version", "kvlab " KVLAB_VERSION, "print the version");
  program.formatter(std::make_shared<HelpText>());
  program.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // an alias can be overruled
  const std::vector<Command> commands = {add_generate(program), add_inspect(program), add_size(program),
                                         add_cost(program),     add_models(program),  add_claims(program),
                                         add_fetch(program),    add_view(program),    add_tour(program)};

  const std::string first_word = argc > 1 ? argv[1] : "";
  std::string help = "kvlab --help";
  const auto wrong_command_line = [&](const std::string& what) {
    return fail(fmt::format("{} (see {})", what, help), 2);
  };
  try {
    if (argc > 1) require_command(first_word, commands);
    if (argc > 1 && !first_word.starts_with('-')) help = fmt::format("kvlab {} --help", first_word);
    program.parse(argc, argv);
    return run(commands);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    return wrong_command_line(error.what());
  } catch (const UsageError& error) {
    return wrong_command_line(error.what());
  } catch (const std::bad_alloc&) {
    return fail("there is not enough memory for this; a shorter --tokens or --capacity needs less", 1);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

}  // namespace

}  // namespace kv::cli

int main(int argc, char** argv) {
  const int status = kv::cli::main(argc, argv);
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout) {
    kv::cli::tell("kvlab: standard output: cannot be written");
    return 1;
  }
  return status;
}

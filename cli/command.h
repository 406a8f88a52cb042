// Command: one word of the command line. It registers its options with the program and, when it was chosen, runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace kv::cli {

struct Command {
  CLI::App* options = nullptr;  // owned by the program
  std::function<int()> run;     // returns the exit status; throws what the libraries throw
};

Command add_generate(CLI::App& program);
Command add_inspect(CLI::App& program);
Command add_size(CLI::App& program);
Command add_cost(CLI::App& program);
Command add_models(CLI::App& program);
Command add_claims(CLI::App& program);
Command add_fetch(CLI::App& program);
Command add_tour(CLI::App& program);
Command add_view(CLI::App& program);

// The viewer as bare `kvlab` opens it. Empty when it was shown, else why there is none.
std::string view_without_words();

}  // namespace kv::cli

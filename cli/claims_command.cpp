// `kvlab claims`: figures that others have printed, computed anew.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/numbers.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "model/claims.h"

namespace kv::cli {

namespace {

constexpr const char* kNotes = R"(Each figure is computed now, from the model's published shape. It agrees when ours
rounds to what was printed, in the unit as it is written (GB: 10^9 bytes); it
agrees under a convention that is named; or it is wrong, and a sentence says why.

Examples:
  kvlab claims
  kvlab claims --json)";

// One more digit than was printed, so that a difference shows.
std::string number_text(double value, const std::string& printed) {
  const size_t point = printed.find('.');
  const auto decimals = point == std::string::npos ? 0 : static_cast<int>(printed.size() - point - 1);
  if (value == std::floor(value) && std::abs(value) >= 1000) return with_commas(static_cast<int64_t>(value));
  return fmt::format("{:.{}f}", value, decimals + (decimals > 0 || value < 100 ? 1 : 0));
}

std::string verdict_text(const Claim& claim) {
  switch (verdict_on(claim)) {
    case Verdict::agrees: return "agrees";
    case Verdict::agrees_if:
      return fmt::format("{} if {}", number_text(claim.by_convention, claim.printed), claim.convention);
    case Verdict::wrong: return "wrong";
  }
  return "?";
}

std::string text_of(const std::vector<Claim>& all, const Terminal& terminal) {
  std::string text;
  std::array<int, 3> counts{};
  for (auto claim = all.begin(); claim != all.end();) {
    const auto end = std::find_if(claim, all.end(), [&](const Claim& c) { return c.source != claim->source; });
    text += (text.empty() ? "" : "\n") + terminal.bold(claim->source) + "\n";
    TextTable table("lrrl");
    table.add({"", "printed", "ours", ""});
    std::string reasons;
    for (; claim != end; ++claim) {
      ++counts[static_cast<size_t>(verdict_on(*claim))];
      table.add({claim->statement, fmt::format("{}{} {}", claim->about ? "~" : "", claim->printed, claim->unit),
                 number_text(claim->ours, claim->printed), verdict_text(*claim)});
      if (!claim->reason.empty()) reasons += fmt::format("    {}: {}.\n", claim->statement, claim->reason);
    }
    const std::vector<std::string> lines = table.lines();
    for (size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? terminal.faint(lines[i]) : lines[i]) + "\n";
    text += reasons;
  }
  return text + fmt::format(
                    "\n{} figures: {} agree, {} agree if a unit or a length means something else, {} are wrong.\n"
                    "Ours are computed now, in the unit that was printed.\n",
                    all.size(), counts[0], counts[1], counts[2]);
}

std::string json_of(const std::vector<Claim>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Claim& claim : all) {
    const bool has_convention = !claim.convention.empty();
    list.push_back({{"source", claim.source},
                    {"claim", claim.statement},
                    {"printed", claim.printed},
                    {"unit", claim.unit},
                    {"about", claim.about},
                    {"ours", claim.ours},
                    {"verdict", name_of(verdict_on(claim))},
                    {"convention", has_convention ? nlohmann::ordered_json(claim.convention) : nullptr},
                    {"ours_by_convention", has_convention ? nlohmann::ordered_json(claim.by_convention) : nullptr},
                    {"reason", claim.reason.empty() ? nullptr : nlohmann::ordered_json(claim.reason)}});
  }
  return document_text({{"claims", list}}) + "\n";
}

}  // namespace

Command add_claims(CLI::App& program) {
  CLI::App* app = program.add_subcommand("claims", "Check published figures about KV caches.");
  app->group("Commands")->footer(kNotes);
  const auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "one JSON document");
  return {app, [json] {
            fmt::print("{}", *json ? json_of(claims()) : text_of(claims(), Terminal(stdout)));
            return 0;
          }};
}

}  // namespace kv::cli

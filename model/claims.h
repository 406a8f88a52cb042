// Claims: figures about KV caches that others have printed, each computed here from the model's published shape.
//
// A figure agrees when ours, in the unit as it is written (GB 10^9 bytes, KB 1,000, 128k 128,000), rounds to what was
// printed. It agrees under a convention when ours does so once a unit or a length means something else. Otherwise it is
// wrong, and a sentence says why.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kv {

struct Claim {
  std::string_view source;      // who printed it, where
  std::string statement;        // about what
  std::string printed;          // the figure as printed, digits alone: "15.62"
  std::string_view unit;        // as printed: "GB"
  bool about = false;           // printed with "about" or "~": within 1 % is near enough
  double ours = 0;              // in that unit
  std::string convention = {};  // "GB means GiB"; empty: none is needed, or none helps
  double by_convention = 0;     // ours under it
  std::string reason = {};      // why it is wrong; empty: it is not
};

enum class Verdict { agrees, agrees_if, wrong };
std::string_view name_of(Verdict verdict);

// Whether `value` is what was printed: it differs by half a unit of the last printed digit at most, or where the claim
// says "about", by 1 %.
bool is_as_printed(const Claim& claim, double value);
Verdict verdict_on(const Claim& claim);

// All of them, grouped by source.
std::vector<Claim> claims();

}  // namespace kv

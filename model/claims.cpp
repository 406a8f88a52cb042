#include "model/claims.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kv {

namespace {

double number_in(const std::string& printed) {
  double value = 0;
  std::from_chars(printed.data(), printed.data() + printed.size(), value);  // the same in every locale
  return value;
}

// Half a unit of the last digit.
double half_a_digit(const std::string& printed) {
  const size_t point = printed.find('.');
  const auto decimals = point == std::string::npos ? 0 : static_cast<int>(printed.size() - point - 1);
  return 0.5 * std::pow(10.0, -decimals);
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::agrees_if: return "agrees if";
    case Verdict::wrong: return "wrong";
  }
  return "?";
}

bool is_as_printed(const Claim& claim, double value) {
  const double printed = number_in(claim.printed);
  const double tolerance = std::max(half_a_digit(claim.printed), claim.about ? 0.01 * printed : 0.0);
  return std::abs(value - printed) <= tolerance * (1 + 1e-9);  // 15.625 may be printed as 15.62
}

Verdict verdict_on(const Claim& claim) {
  if (is_as_printed(claim, claim.ours)) return Verdict::agrees;
  if (!claim.convention.empty() && is_as_printed(claim, claim.by_convention)) return Verdict::agrees_if;
  return Verdict::wrong;
}

}  // namespace kv

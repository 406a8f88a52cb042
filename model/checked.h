// Checked arithmetic on 64-bit counts: a number that does not fit is an error, never another number.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>

namespace kv {

// Throw std::overflow_error.
inline int64_t checked_product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product))
      throw std::overflow_error("the numbers are so large that their product does not fit 64 bits");
  return product;
}

inline int64_t checked_sum(std::initializer_list<int64_t> terms) {
  int64_t sum = 0;
  for (const int64_t term : terms)
    if (__builtin_add_overflow(sum, term, &sum))
      throw std::overflow_error("the numbers are so large that their sum does not fit 64 bits");
  return sum;
}

}  // namespace kv

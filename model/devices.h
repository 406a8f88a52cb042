// Devices that models are served on, with the numbers that their makers publish.
//
// Each number names its source; one that was not found is left out, never guessed. Peaks are of dense matrix products
// that add up in f32: where a maker prints a rate "with sparsity", half of it stands here. Memory is sold in "GB" that
// are 2^30 bytes, as memory chips are made: drivers report all but a few of them, or of those of a card that keeps its
// error correction in the same memory (L4, A10, L40S) some 6 % less.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/number_format.h"
#include "model/roofline.h"

namespace kv {

// A number that somebody published. 0: not known.
struct Published {
  double value = 0;
  std::string_view source;

  bool known() const { return value > 0; }
};

struct Device {
  std::string_view name;       // "RTX 4090"
  int64_t memory_bytes = 0;    // of one
  Published bytes_per_second;  // from its memory
  Published f32, bf16, f8;     // peaks in FLOP/s; bf16 and f16 are equally fast
  std::string_view alias;      // what it is called when nothing is said about its variant
};

std::span<const Device> devices();

// By name or alias, or by the beginning of a name when no other device begins so. Case, blanks, hyphens and what makers
// put before (NVIDIA, GeForce, RTX) do not matter. Null when there is none.
const Device* find_device(std::string_view text);
// Names that may have been meant by a text that find_device does not know.
std::vector<std::string> similar_devices(std::string_view text);

// What bounds products of weights in this format: formats of 16 bits and fewer are widened to bf16 on the way, f8
// unless the device multiplies it.
struct Peak {
  std::string_view dtype;
  Published flops_per_second;
};
Peak peak_for(const Device& device, const NumberFormat& weights);

}  // namespace kv

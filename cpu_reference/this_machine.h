// This machine as a device: how fast it reads memory and multiplies, measured now, so that predictions for it rest on
// what it does and not on what was printed about its processor.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

namespace kv::cpu {

struct MachineSpeeds {
  int threads = 1;
  double read_bytes_per_second = 0;   // of a buffer much larger than the caches, all threads reading
  double fused_flops_per_second = 0;  // f32 multiply-adds on registers, each two FLOPs
  int64_t memory_bytes = 0;           // that this process may use
};

// Built in, or the limit of this group of processes where that is smaller.
int64_t usable_memory();

// Takes about a second. Other work on the machine makes it slower, never faster.
MachineSpeeds measure_this_machine(int threads);
// Nothing, and within milliseconds, when it is asked to stop.
std::optional<MachineSpeeds> measure_this_machine(int threads, const std::stop_token& stop);

}  // namespace kv::cpu

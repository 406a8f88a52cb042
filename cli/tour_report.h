// What the tour found, as tables and sentences: what each cache holds, what it saves, and that it changes nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"
#include "cpu_reference/generate.h"
#include "model/config.h"

namespace kv::cli {

// One model, the same prompt twice.
struct TourRun {
  ModelConfig config;
  cpu::Generation with_cache, without_cache;

  bool same_logits() const { return with_cache.logits_hash == without_cache.logits_hash; }
};

// Each ends with a line feed. `tokens`: how many the caches hold at the end.
std::string memory_report(const std::vector<TourRun>& runs, Dtype cache_dtype, int64_t tokens,
                          const Terminal& terminal);
std::string work_report(const std::vector<TourRun>& runs, int64_t threads, const Terminal& terminal);
std::string identity_report(const std::vector<TourRun>& runs, const Terminal& terminal);

}  // namespace kv::cli

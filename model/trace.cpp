#include "model/trace.h"

#include <algorithm>
#include <stdexcept>

namespace kv {

Counters& Counters::operator+=(const Counters& other) {
  matmul_flops += other.matmul_flops;
  other_flops += other.other_flops;
  weight_bytes += other.weight_bytes;
  cache_bytes_read += other.cache_bytes_read;
  cache_bytes_written += other.cache_bytes_written;
  kv_projections += other.kv_projections;
  score_pairs += other.score_pairs;
  return *this;
}

Counters& Counters::operator-=(const Counters& other) {
  matmul_flops -= other.matmul_flops;
  other_flops -= other.other_flops;
  weight_bytes -= other.weight_bytes;
  cache_bytes_read -= other.cache_bytes_read;
  cache_bytes_written -= other.cache_bytes_written;
  kv_projections -= other.kv_projections;
  score_pairs -= other.score_pairs;
  return *this;
}

Counters TracedCall::total() const {
  Counters sum = ends;
  for (const Counters& layer : layers) sum += layer;
  return sum;
}

bool Trace::keeps(std::string_view name) const {
  if (keep_ == Keep::counters_and_tensors) return name != "attention_weights";
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

void Trace::begin_call(int64_t first_position, int64_t tokens, int64_t layers) {
  TracedCall call;
  call.first_position = first_position;
  call.tokens = tokens;
  call.layers.resize(static_cast<size_t>(layers));
  calls_.push_back(std::move(call));
}

const TracedTensor& Trace::tensor(size_t call, const std::string& name) const {
  for (const TracedTensor& tensor : calls_.at(call).tensors)
    if (tensor.name == name) return tensor;
  throw std::out_of_range("the trace has no tensor " + name);
}

Counters Trace::total() const {
  Counters sum;
  for (const TracedCall& call : calls_) sum += call.total();
  return sum;
}

}  // namespace kv

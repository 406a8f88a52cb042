// Run: who computes (the team) and who watches (the trace). Every operation takes it as its last argument.
//
// Without a trace, count() and record() are one comparison with null.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "cpu_reference/team.h"
#include "cpu_reference/tensor.h"
#include "model/trace.h"

namespace kv::cpu {

struct Run {
  Team& team;
  Trace* trace = nullptr;
  int64_t layer = -1;            // the layer being computed; -1: embedding, final norm and head
  Counters* counters = nullptr;  // of that layer; null without a trace

  Run in_layer(int64_t index) const {
    return {team, trace, index, trace != nullptr ? &trace->current().layers[static_cast<size_t>(index)] : nullptr};
  }
  Run at_ends() const { return {team, trace, -1, trace != nullptr ? &trace->current().ends : nullptr}; }

  // Adds to a counter; members of the team may do so at the same time.
  void count(uint64_t Counters::*counter, int64_t amount) const {
    if (counters != nullptr)
      std::atomic_ref(counters->*counter).fetch_add(static_cast<uint64_t>(amount), std::memory_order_relaxed);
  }

  // Whether somebody wants the tensor of this name: asked before one is made for the trace alone.
  bool keeps(std::string_view name) const { return trace != nullptr && trace->keeps(name); }

  // Keeps a copy under "layer.N.name" (or "name"), with the shape that a reader should see, [tokens, heads, head_dim]
  // say.
  template <class Scalar>
  void record(std::string_view name, const Matrix<Scalar>& tensor, Shape shape = {}) const {
    if (!keeps(name)) return;
    if (shape.empty()) shape = {tensor.rows(), tensor.cols()};
    std::string full;
    if (layer >= 0) full.append("layer.").append(std::to_string(layer)).append(".");
    full += name;
    trace->current().tensors.push_back(
        {std::move(full), std::move(shape), {tensor.data(), tensor.data() + tensor.size()}});
  }
};

}  // namespace kv::cpu

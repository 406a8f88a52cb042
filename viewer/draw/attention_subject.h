// AttentionSubject: which head of which layer of which lane is looked at, at which step: the reader's choice brought
// within what is recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "viewer/draw/view_state.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct AttentionSubject {
  enum class State {
    no_lane,       // there is nothing to choose from
    nothing_yet,   // no step of the lane is recorded
    no_attention,  // the layer keeps nothing
    shown,
  };
  State state = State::no_lane;

  int lane = 0;
  int64_t step = 0;     // at most the lane's last
  int64_t context = 0;  // tokens that its newest one may look at
  int64_t layer = 0, layers = 0;
  int64_t head = 0, heads = 0;  // query heads
  int64_t kv_heads = 0;         // 1 for a latent
  bool latent = false;
  int64_t window = 0;              // 0: none
  int64_t first_kept = 0;          // positions before it are no longer stored
  std::vector<int64_t> positions;  // by slot: the position in each, -1 for none; empty: columns are positions

  int64_t heads_per_kv_head() const { return heads / kv_heads; }
  int64_t kv_head_of(int64_t query_head) const { return query_head / heads_per_kv_head(); }
  int64_t kv_head() const { return kv_head_of(head); }

  bool by_slot() const { return !positions.empty(); }
  int64_t columns() const { return by_slot() ? static_cast<int64_t>(positions.size()) : context; }
  // The position that stands in a column, -1 for none.
  int64_t position_in(int64_t column) const { return by_slot() ? positions[static_cast<size_t>(column)] : column; }
  // Where a position stands; -1: it is in no slot.
  int64_t column_of(int64_t position) const;
};

AttentionSubject attention_subject(const RunView& run, const ViewState& view);

}  // namespace kv::viewer

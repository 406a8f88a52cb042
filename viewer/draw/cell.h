// Cell: one stored vector, or one of its numbers: what the mouse may point at.
#pragma once

#include <cstdint>
#include <optional>

#include "viewer/session/role.h"

namespace kv::viewer {

struct Cell {
  int lane = 0;
  int64_t layer = 0;
  Role role = Role::key;
  int64_t head = 0;  // KV head; 0 for a latent and its rope key
  int64_t position = 0;
  std::optional<int64_t> dim;  // one number of the vector
  bool operator==(const Cell&) const = default;
};

}  // namespace kv::viewer

#include "viewer/session/kv_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace kv::viewer {

namespace {

// The same layers, each of which keeps every position.
ModelConfig without_windows(ModelConfig config) {
  for (LayerCache& cache : config.layer_cache) cache.window = 0;
  return config;
}

}  // namespace

std::string_view name_of(Role role) {
  switch (role) {
    case Role::key: return "K";
    case Role::value: return "V";
    case Role::latent: return "latent";
    case Role::rope_key: return "rope key";
  }
  return "";
}

KvStore::KvStore(const ModelConfig& config, int64_t capacity, Dtype dtype)
    : config_(config),
      cache_(without_windows(config), capacity, dtype),
      sizes_(static_cast<size_t>(config.layers)),
      query_begin_(1, 0),
      call_ended_(static_cast<size_t>(capacity), 0) {
  const auto positions = static_cast<size_t>(capacity);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const LayerCache& cache = config.layer_cache[static_cast<size_t>(layer)];
    const auto add = [&](Role role, int64_t heads, int64_t dim) {
      sizes_[static_cast<size_t>(layer)].push_back({role, heads, dim,
                                                    std::vector<float>(static_cast<size_t>(heads) * positions),
                                                    std::vector<float>(positions)});
    };
    if (cache.kind == LayerCache::Kind::per_head) {
      add(Role::key, cache.kv_heads, cache.key_head_dim);
      add(Role::value, cache.kv_heads, cache.value_head_dim);
    } else if (cache.kind == LayerCache::Kind::latent) {
      add(Role::latent, 1, cache.latent_dim);
      add(Role::rope_key, 1, cache.rope_dim);
    }
    const bool attends = cache.kind != LayerCache::Kind::none;
    query_begin_.push_back(query_begin_.back() + (attends ? config.sizes_of(layer).heads * config.key_head_dim : 0));
  }
  queries_ = std::make_unique_for_overwrite<float[]>(positions * static_cast<size_t>(query_begin_.back()));
}

std::vector<Role> KvStore::roles(int64_t layer) const {
  std::vector<Role> roles;
  for (const RoleSizes& of : sizes_.at(static_cast<size_t>(layer))) roles.push_back(of.role);
  return roles;
}

const KvStore::RoleSizes& KvStore::sizes(int64_t layer, Role role) const {
  for (const RoleSizes& of : sizes_.at(static_cast<size_t>(layer)))
    if (of.role == role) return of;
  throw std::out_of_range(fmt::format("layer {} stores no {}", layer, name_of(role)));
}

int64_t KvStore::heads(int64_t layer, Role role) const { return sizes(layer, role).heads; }
int64_t KvStore::dim(int64_t layer, Role role) const { return sizes(layer, role).dim; }

// The rows of one role alone: of a latent row its first part, or what lies behind that.
cpu::StoredRows KvStore::rows(int64_t layer, Role role) const {
  if (role == Role::key) return keys(layer);
  if (role == Role::value) return values(layer);
  cpu::StoredRows part = latents(layer);
  const int64_t latent_dim = sizes(layer, Role::latent).dim;
  if (role == Role::rope_key) part.data += latent_dim * bytes_of(part.dtype);
  part.dim = role == Role::latent ? latent_dim : part.dim - latent_dim;
  return part;
}

cpu::Matrix<float> KvStore::vectors(int64_t layer, Role role, int64_t head, int64_t first, int64_t last) const {
  const RoleSizes& of = sizes(layer, role);
  if (head < 0 || head >= of.heads || first < 0 || last < first || last > capacity())
    throw std::out_of_range(
        fmt::format("there are no {}s of head {} at positions {} to {}", name_of(role), head, first, last));
  return cpu::read_rows<float>(rows(layer, role), head, first, last);
}

std::vector<float> KvStore::vector(int64_t layer, Role role, int64_t head, int64_t position) const {
  const cpu::Matrix<float> row = vectors(layer, role, head, position, position + 1);
  return {row.data(), row.data() + row.size()};
}

std::span<const float> KvStore::rms(int64_t layer, Role role, int64_t head) const {
  const RoleSizes& of = sizes(layer, role);
  if (head < 0 || head >= of.heads)
    throw std::out_of_range(fmt::format("layer {} has no {} of head {}", layer, name_of(role), head));
  return std::span(of.rms).subspan(static_cast<size_t>(head * capacity()), static_cast<size_t>(capacity()));
}

float KvStore::rms(int64_t layer, Role role, int64_t head, int64_t position) const {
  return sizes(layer, role).rms.at(static_cast<size_t>(head * capacity() + position));
}

float KvStore::largest_rms(int64_t layer, Role role, int64_t length) const {
  return length == 0 ? 0 : sizes(layer, role).largest.at(static_cast<size_t>(length - 1));
}

std::span<const float> KvStore::queries(int64_t layer, int64_t position) const {
  const auto index = static_cast<size_t>(layer);
  if (!call_ended_.at(static_cast<size_t>(position))) return {};
  const float* row = queries_.get() + position * query_begin_.back();
  return {row + query_begin_.at(index), row + query_begin_.at(index + 1)};
}

void KvStore::note_rms(int64_t layer, RoleSizes& of, int64_t first_position, int64_t tokens) {
  const cpu::StoredRows stored = rows(layer, of.role);
  std::vector<float> largest(static_cast<size_t>(tokens), 0);
  for (int64_t head = 0; head < of.heads; ++head) {
    const cpu::Matrix<float> values = cpu::read_rows<float>(stored, head, first_position, first_position + tokens);
    for (int64_t t = 0; t < tokens; ++t) {
      double squares = 0;
      for (int64_t d = 0; d < of.dim; ++d) squares += static_cast<double>(values(t, d)) * values(t, d);
      const auto rms = static_cast<float>(std::sqrt(squares / static_cast<double>(of.dim)));
      of.rms[static_cast<size_t>(head * capacity() + first_position + t)] = rms;
      largest[static_cast<size_t>(t)] = std::max(largest[static_cast<size_t>(t)], rms);
    }
  }
  float so_far = first_position > 0 ? of.largest[static_cast<size_t>(first_position - 1)] : 0;
  for (int64_t t = 0; t < tokens; ++t) {
    so_far = std::max(so_far, largest[static_cast<size_t>(t)]);
    of.largest[static_cast<size_t>(first_position + t)] = so_far;
  }
}

void KvStore::note_call(int64_t first_position, int64_t tokens, const std::vector<std::vector<float>>& queries) {
  for (int64_t layer = 0; layer < config_.layers; ++layer)
    for (RoleSizes& of : sizes_[static_cast<size_t>(layer)]) note_rms(layer, of, first_position, tokens);

  if (queries.empty()) return;
  const int64_t last = first_position + tokens - 1;
  float* row = queries_.get() + last * query_begin_.back();
  for (size_t layer = 0; layer + 1 < query_begin_.size(); ++layer) {
    const int64_t expected = query_begin_[layer + 1] - query_begin_[layer];
    expect_shape("queries of a call", {std::ssize(queries.at(layer))}, {expected});
    std::copy(queries[layer].begin(), queries[layer].end(), row + query_begin_[layer]);
  }
  call_ended_[static_cast<size_t>(last)] = 1;
}

void KvStore::truncate(int64_t length) {
  cache_.truncate(length);
  std::fill(call_ended_.begin() + length, call_ended_.end(), uint8_t{0});
}

}  // namespace kv::viewer

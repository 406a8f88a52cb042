// A run in a file, in the safetensors format, so that other programs can open it too:
//
//   lane.N.prompt           I32 [prompt tokens]
//   lane.N.tokens           I32 [positions]            the token at each stored position
//   lane.N.steps            I32 [steps, words]         see packed_fields.h
//   lane.N.prompt_so_far    I32 [1, words]             the pieces of the prompt that are read
//   lane.N.without_cache    I32 [runs, words]
//   lane.N.queries          F32 [steps, queries of all layers]
//   lane.N.layer.L.keys     F32 [positions, kv_heads, key_head_dim]     what the cache stores, widened, which is exact
//   lane.N.layer.L.values   F32 [positions, kv_heads, value_head_dim]
//   lane.N.layer.L.latents  F32 [positions, latent_dim + rope_dim]
//
// The metadata hold "kvlab_run" (the version), "run" (settings, models, and their fingerprints, as JSON) and "hash",
// over all of the above: a damaged file is found out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "viewer/session/recorder.h"
#include "viewer/session/session.h"

namespace kv::viewer {

// The file appears whole or not at all. Throws std::runtime_error when it cannot be written. Nothing may record
// meanwhile.
void write_run(const std::filesystem::path& file, const SessionSettings& settings,
               std::span<const std::unique_ptr<Recorder>> recorders);

struct RunFromFile {
  SessionSettings settings;
  std::vector<std::unique_ptr<Recorder>> recorders;
};
// Loads the models and checks them and everything the file says. Throws FormatError.
RunFromFile read_run(const std::filesystem::path& file);

// "hash": over the names and bytes of all tensors, in the order of their names, and then the text of "run".
std::string hash_of_run(const std::map<std::string, std::span<const std::byte>>& tensors, const std::string& run);

inline constexpr const char* kRunVersion = "1";

}  // namespace kv::viewer

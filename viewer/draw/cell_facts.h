// What can be said about a stored vector, or one of its numbers: the inspector, the tip at the mouse and the words take
// it from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/draw/cell.h"
#include "viewer/session/recording.h"

namespace kv::viewer {

struct CellFacts {
  std::string lane;   // "MHA"
  std::string token;  // "\"want\"", or "id 17" without a tokenizer
  int64_t layer = 0, position = 0;
  bool of_prompt = false;
  Role role = Role::key;
  int64_t head = 0, heads = 1;                    // of the role
  int64_t first_query_head = 0, query_heads = 0;  // that read it

  // In the model's own cache, rings included.
  int64_t slot = 0, slots = 0;
  int64_t window = 0;      // 0: none
  bool still_held = true;  // false: a later position has taken its slot, or no token looks at it any more
  int64_t offset = 0;      // of the vector, or of its number `dim`, in bytes from the start of the cache
  std::string formula;     // how that comes about, with the numbers

  std::vector<float> values;  // of the whole vector, as stored
  std::optional<int64_t> dim;
  double least = 0, largest = 0, rms = 0;
  int64_t bytes = 0;  // of the vector, or of the one number
  Dtype dtype = Dtype::bf16;

  std::string written_by;  // see writer_of
};
// Nothing for a cell that is not there: another run, or not recorded yet. `step`: the one that is shown.
std::optional<CellFacts> facts_of(const RunView& run, const Cell& cell, int64_t step);

// The function that stores keys and values, or latents: a symbol of viewer/code.
std::string_view writer_of(bool latent);

// "want", in quotation marks and without the blanks in front of it; "id 17" without a tokenizer. Characters that are no
// text are written out.
std::string spoken_token(const LaneView& lane, int32_t token);

// One line each: what it is, where it lies, what it holds.
std::vector<std::string> sentences_of(const CellFacts& facts);
// "K of token 12" and so on, in one short line.
std::string title_of(const CellFacts& facts);
std::string number_in_words(double value);  // "-0.0123", "1.25", three digits

}  // namespace kv::viewer

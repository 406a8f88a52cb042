// Scaled dot-product attention over stored keys and values (arXiv 1706.03762, section 3.2.1), for any sharing of KV
// heads: MHA, GQA and MQA differ in kv_heads alone, and absorbed latent attention is the case of one KV head whose
// values are the first part of its keys.
//
// Causality is a loop bound, not a mask. A row's additions come in one order that depends on absolute positions alone,
// so the same row has the same bits whether its keys were computed just now or stored long ago, beside other rows or
// alone:
//   - positions are cut into splits at multiples of kSplit, and blocks of kLanes keys at multiples of kLanes;
//   - in a block, lane j is key j; lanes out of range count as minus infinity, or zero;
//   - a split takes its maximum, then exp and sum by lanes, then adds values in ascending order of position;
//   - every split starts from zero, and splits merge in ascending order, always, also when there is only one.
// Query heads of a group share the loads of K and V, never the sums.
#pragma once

#include "cpu_reference/run.h"
#include "cpu_reference/stored_rows.h"
#include "cpu_reference/tensor.h"

namespace kv::cpu {

struct AttentionShape {
  int64_t heads = 0;           // query heads; a multiple of the stored rows' kv_heads
  double scale = 1.0;          // on query . key
  int64_t window = 0;          // positions a row sees, itself included; 0: all
  int64_t first_position = 0;  // of row 0; row t sits at first_position + t and sees nothing later
};

// queries [tokens, heads * key dim], keys [kv_heads, positions, key dim], values [kv_heads, positions, value dim]
// -> [tokens, heads * value dim]
// Keys and values must hold every position from the first row's window to the last row.
template <class Scalar>
Matrix<Scalar> attend(Rows<Scalar> queries, const StoredRows& keys, const StoredRows& values,
                      const AttentionShape& shape, const Run& run);

// What attend multiplies the values with, bit for bit: softmax(scale q k) as [tokens, heads * positions], with
// first_position + tokens positions, and zeros where a row does not see. For those who want to look: attend itself
// never holds them all, and neither these scores nor their bytes are counted as work.
template <class Scalar>
Matrix<Scalar> attention_weights(Rows<Scalar> queries, const StoredRows& keys, const AttentionShape& shape,
                                 const Run& run);

}  // namespace kv::cpu

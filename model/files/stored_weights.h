// From a file's tensors to the weights of the forward pass: the shape is checked, the type recognised, and the matrix
// lies where the file has it. Both formats go through here.
#pragma once

#include <string>
#include <vector>

#include "model/files/stored_tensor.h"
#include "model/weights.h"

namespace kv {

// Puts a tensor of `file`, which calls it `name`, into its place. Throws FormatError that names file, tensor, and the
// shapes or the type.
void place_tensor(const std::string& file, const std::string& name, const StoredTensor& tensor,
                  const ExpectedTensor& expected, Weights& weights);

// The type of a tensor that kvlab computes with. Throws FormatError that names it and those that it could be.
Dtype dtype_of(const std::string& file, const std::string& name, const StoredTensor& tensor);

// Memory of the weights' own for what cannot stay as it lies in the file.
std::byte* new_bytes(int64_t count, Weights& weights);

Dtype dtype_of_most_matrices(const std::vector<ExpectedTensor>& list);

std::string shape_text(const std::vector<int64_t>& shape);  // "[6, 4]"

}  // namespace kv

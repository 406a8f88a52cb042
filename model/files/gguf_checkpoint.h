// A GGUF file as a model that can run.
//
// Its tensors are put in the order of Hugging Face's checkpoints, which the forward pass is written for: the rows of
// queries and keys of architecture llama are put back (converters permute them), and the two halves of a latent
// attention's up-projection become one matrix again. Everything else stays where it lies in the file.
#pragma once

#include <filesystem>

#include "model/files/load_model.h"

namespace kv {

// Throws FormatError that names the file, and the key or tensor with its place.
LoadedModel load_gguf_checkpoint(const std::filesystem::path& path);

}  // namespace kv

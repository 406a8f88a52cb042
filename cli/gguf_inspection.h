// What is in a GGUF file. Metadata and tensors can always be shown; a config, a tokenizer and whether the model can run
// are looked for one by one, and each that fails is told.
#pragma once

#include "cli/inspection.h"

namespace kv::cli {

// Throws FormatError when the file itself is damaged.
void inspect_gguf(const std::filesystem::path& path, Inspection& found);

}  // namespace kv::cli

// The chat template of a Hugging Face checkpoint: chat_template.jinja beside the weights or, as older ones have it, the
// field chat_template of tokenizer_config.json, a text or a list of named ones.
#pragma once

#include <filesystem>
#include <optional>

#include "model/chat_template.h"

namespace kv {

// The template of a checkpoint folder (of several the one named "default"), with the texts of its begin and end tokens;
// nothing when the folder has none. Throws FormatError that names the file and the field.
std::optional<ChatTemplateText> read_hf_chat_template(const std::filesystem::path& folder);

}  // namespace kv

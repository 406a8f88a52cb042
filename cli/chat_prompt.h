// A chat: the user's words in the form that the model was trained on, as its file's template writes it.
//
// The template's own words hold special tokens by their text (<|im_start|>). The same characters in the user's words
// are characters and nothing else, unless the user asks for tokens: nobody ends a turn by typing its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/chat_template.h"
#include "model/files/load_model.h"

namespace kv::cli {

// The template of the model at `path`, a .gguf file or a checkpoint folder or its config.json; nothing when it has
// none. Throws FormatError.
std::optional<ChatTemplateText> chat_template_at(const std::filesystem::path& path);

// The tokens of a conversation of one message, up to where the answer begins; behind a begin token where the tokenizer
// wants one. Throws std::runtime_error without a tokenizer, and without a template that kvlab knows.
std::vector<int32_t> tokens_of_chat(const LoadedModel& model, const std::optional<ChatTemplateText>& chat,
                                    std::string_view words, Specials specials);

// What a template makes of one message of the user: its own words around those of the user, as it changed them.
struct ChatPieces {
  std::string before, words, after;
};
ChatPieces pieces_of_chat(const ChatTemplate& chat, std::string_view words);

// The tokens of the three pieces as one text, in which only the template's own words hold special tokens. What lies
// between two of them is one stretch, whoever wrote it: tokens form across the border as in the whole text.
std::vector<int32_t> tokens_of_pieces(const Tokenizer& tokenizer, const ChatPieces& pieces);

}  // namespace kv::cli

// The tokenizer in the metadata of a GGUF file (keys tokenizer.ggml.*): byte-level BPE ("gpt2") with the pre-tokenizers
// smollm, gpt-2, llama-bpe and qwen2, or SentencePiece's merging by scores ("llama"). And what else the file says about
// texts: where they end, and how a conversation is written.
//
// Control, unknown and user-defined tokens are cut out of texts by their text, the first two only with Specials::parse;
// unused ones are read like normal ones. Of several tokens with one text the first is meant, and all can be decoded.
// Whether a text gets a begin token is said by add_bos_token; where that is silent, "llama" and llama-bpe want one.
// add_eos_token is not applied: a generation goes on where its prompt ends.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/chat_template.h"
#include "model/files/gguf.h"
#include "model/tokenizer.h"

namespace kv {

// Throws FormatError that names the key; also when the file has no tokenizer or one of a kind that kvlab does not know.
Tokenizer read_gguf_tokenizer(const Gguf& file);

// Tokens after which a generation may stop: the ids that the file names as ends (of text, of turn, of message), and
// control tokens whose text says so, ascending. Empty without a tokenizer. Throws FormatError.
std::vector<int64_t> gguf_end_tokens(const Gguf& file);

// The file's chat template, with the texts of its begin and end tokens; nothing when there is none. Throws FormatError.
std::optional<ChatTemplateText> gguf_chat_template(const Gguf& file);

}  // namespace kv

#include "cli/chat_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "model/files/gguf.h"
#include "model/files/gguf_tokenizer.h"
#include "model/files/hf_chat_template.h"
#include "model/prompt.h"

namespace kv::cli {

namespace {

// Collects a text piece by piece, and encodes it stretch by stretch between special tokens.
class StretchEncoder {
 public:
  explicit StretchEncoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
    for (const int32_t id : tokenizer.special_tokens()) specials_.emplace_back(tokenizer.token_bytes(id), id);
    std::stable_sort(specials_.begin(), specials_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  }

  void add_characters(std::string_view text) { stretch_ += text; }

  // The longest special token comes first where several begin at one place.
  void add_with_specials(std::string_view text) {
    while (!text.empty()) {
      const auto special = std::find_if(specials_.begin(), specials_.end(), [&](const auto& each) {
        return !each.first.empty() && text.starts_with(each.first);
      });
      if (special == specials_.end()) {
        stretch_ += text.front();
        text.remove_prefix(1);
        continue;
      }
      end_stretch();
      ids_.push_back(special->second);
      text.remove_prefix(special->first.size());
    }
  }

  std::vector<int32_t> finish() {
    end_stretch();
    return std::move(ids_);
  }

 private:
  void end_stretch() {
    const std::vector<int32_t> ids = tokenizer_.encode(std::exchange(stretch_, {}), Specials::ignore);
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }

  const Tokenizer& tokenizer_;
  std::vector<std::pair<std::string, int32_t>> specials_;  // longest first
  std::string stretch_;
  std::vector<int32_t> ids_;
};

ChatTemplate recognised(const std::string& model, const std::optional<ChatTemplateText>& chat) {
  if (!chat)
    throw std::runtime_error(
        fmt::format("{}: has no chat template; leave --chat out, and give a plain --prompt", model));
  std::optional<ChatTemplate> known = ChatTemplate::recognise(*chat);
  if (!known)
    throw std::runtime_error(fmt::format(
        "{}: its chat template is none that kvlab knows; leave --chat out, and give a plain --prompt in its form",
        model));
  return *std::move(known);
}

std::string applied(const ChatTemplate& chat, std::string_view words) {
  return chat.apply(std::vector<ChatMessage>{{"user", std::string(words)}});
}

}  // namespace

std::optional<ChatTemplateText> chat_template_at(const std::filesystem::path& path) {
  if (is_gguf(path)) return gguf_chat_template(read_gguf(path));
  if (path.extension() == ".json") return read_hf_chat_template(path.has_parent_path() ? path.parent_path() : ".");
  return read_hf_chat_template(path);
}

// A stand-in for the words shows where they come to stand; what the template then makes of them lies between the same
// ends.
ChatPieces pieces_of_chat(const ChatTemplate& chat, std::string_view words) {
  constexpr std::string_view kStandIn = "\uFDD0";  // a noncharacter, which no template writes
  const std::string outline = applied(chat, kStandIn), whole = applied(chat, words);
  const size_t at = outline.find(kStandIn);
  ChatPieces pieces;
  pieces.before = outline.substr(0, at);
  pieces.after = at == std::string::npos ? "" : outline.substr(at + kStandIn.size());
  if (at == std::string::npos || whole.size() < pieces.before.size() + pieces.after.size() ||
      !whole.starts_with(pieces.before) || !whole.ends_with(pieces.after))
    throw std::logic_error(fmt::format("the chat template {} does not put the user's words in one place", chat.name()));
  pieces.words = whole.substr(at, whole.size() - pieces.before.size() - pieces.after.size());
  return pieces;
}

std::vector<int32_t> tokens_of_pieces(const Tokenizer& tokenizer, const ChatPieces& pieces) {
  StretchEncoder encoder(tokenizer);
  encoder.add_with_specials(pieces.before);
  encoder.add_characters(pieces.words);
  encoder.add_with_specials(pieces.after);
  return encoder.finish();
}

std::vector<int32_t> tokens_of_chat(const LoadedModel& model, const std::optional<ChatTemplateText>& chat,
                                    std::string_view words, Specials specials) {
  const Tokenizer& tokenizer = tokenizer_of(model);
  if (words.empty()) throw std::runtime_error("the prompt is empty: give a --prompt for --chat to answer");
  tokenizer.encode(words, Specials::ignore);  // what is wrong with the words is told with its place in them
  const ChatTemplate known = recognised(model.config.name, chat);
  if (specials == Specials::parse) return tokenizer.with_begin(tokenizer.encode(applied(known, words), specials));
  return tokenizer.with_begin(tokens_of_pieces(tokenizer, pieces_of_chat(known, words)));
}

}  // namespace kv::cli

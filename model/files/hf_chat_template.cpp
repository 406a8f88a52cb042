#include "model/files/hf_chat_template.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/files/is_there.h"
#include "model/files/json.h"
#include "model/files/mapped_file.h"

namespace kv {

namespace {

// "<s>", or {"content": "<s>", ...}; "" where the file names none.
std::string token_text(const JsonValue& config, const char* key) {
  const auto token = config.find(key);
  if (!token) return "";
  return token->is_object() ? token->at("content").text() : token->text();
}

std::optional<std::string> template_in(const JsonValue& config) {
  const auto field = config.find("chat_template");
  if (!field) return std::nullopt;
  if (field->is_text()) return field->text();
  if (!field->is_array()) field->fail(fmt::format("is {}, expected a text or a list of named ones", field->shown()));
  for (const JsonValue& each : field->elements())
    if (each.at("name").text() == "default") return each.at("template").text();
  field->fail("has no template that is named default");
}

}  // namespace

std::optional<ChatTemplateText> read_hf_chat_template(const std::filesystem::path& folder) {
  const std::filesystem::path jinja = folder / "chat_template.jinja", config = folder / "tokenizer_config.json";
  ChatTemplateText found;
  std::optional<std::string> in_config;
  if (is_there(config)) {
    const JsonValue document = JsonValue::read(config);
    found.begin = token_text(document, "bos_token");
    found.end = token_text(document, "eos_token");
    if (!is_there(jinja)) in_config = template_in(document);
  }
  if (is_there(jinja))
    found.jinja = MappedFile::open(jinja)->text();
  else if (in_config)
    found.jinja = *in_config;
  if (found.jinja.empty()) return std::nullopt;
  return found;
}

}  // namespace kv

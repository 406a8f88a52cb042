#include "model/jinja_outline.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "model/hash.h"

namespace kv {

namespace {

constexpr size_t kMostBytes = 64 << 10;
constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";

struct Token {
  enum class Kind : unsigned char { text, literal, sign };  // printed as it stands; a quoted string; all else
  Kind kind;
  std::string text;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return kWhiteSpace.find(c) != std::string_view::npos; }

// Takes a template apart from front to end. Gives up by `failed`.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  std::optional<std::vector<Token>> tokens() {
    while (!rest_.empty() && !failed_) {
      read_text();
      if (!rest_.empty() && !failed_) read_tag();
    }
    if (failed_) return std::nullopt;
    return std::move(tokens_);
  }

 private:
  void add(Token::Kind kind, std::string_view text) { tokens_.push_back({kind, std::string(text)}); }
  void skip(size_t bytes) { rest_.remove_prefix(bytes); }

  // Up to the next tag; what the tag takes off the end of the text is left out.
  void read_text() {
    size_t open = 0;
    while ((open = rest_.find('{', open)) != std::string_view::npos &&
           (open + 1 == rest_.size() || std::string_view("{%#").find(rest_[open + 1]) == std::string_view::npos))
      ++open;
    std::string_view text = rest_.substr(0, open);
    skip(text.size());
    if (!rest_.empty()) {
      if (rest_.size() > 2 && rest_[2] == '-') {
        text = text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
      } else if (rest_[1] != '{') {                // lstrip_blocks
        const size_t line = text.rfind('\n') + 1;  // 0: the line began before this text
        if ((line > 0 || at_line_start_) && text.find_first_not_of(" \t", line) == std::string_view::npos)
          text = text.substr(0, line);
      }
    }
    if (!text.empty()) add(Token::Kind::text, text);
  }

  void read_tag() {
    const char kind = rest_[1];
    skip(2);
    if (!rest_.empty() && rest_[0] == '+') return void(failed_ = true);  // switches the rules of white space off
    if (!rest_.empty() && rest_[0] == '-') skip(1);
    if (kind == '#') {
      const size_t end = rest_.find("#}");
      if (end == std::string_view::npos) return void(failed_ = true);
      const bool minus = end > 0 && rest_[end - 1] == '-';
      skip(end + 2);
      return after_tag(minus, true);
    }
    const std::string_view close = kind == '{' ? "}}" : "%}";
    add(Token::Kind::sign, kind == '{' ? "{{" : "{%");
    for (int64_t open_brackets = 0; !failed_;) {
      while (!rest_.empty() && is_space(rest_[0])) skip(1);
      const bool minus = rest_.starts_with('-') && rest_.substr(1).starts_with(close);
      if (open_brackets == 0 && (minus || rest_.starts_with(close))) {
        add(Token::Kind::sign, close);
        skip(close.size() + (minus ? 1 : 0));
        return after_tag(minus, kind == '%');
      }
      if (rest_.empty()) return void(failed_ = true);
      if (std::string_view("([{").find(rest_[0]) != std::string_view::npos) ++open_brackets;
      if (std::string_view(")]}").find(rest_[0]) != std::string_view::npos) --open_brackets;
      read_token();
    }
  }

  // What a tag takes off the text behind it.
  void after_tag(bool minus, bool is_block) {
    at_line_start_ = false;
    while (!rest_.empty() && (minus ? is_space(rest_[0]) : is_block && !at_line_start_ && rest_[0] == '\n')) {
      at_line_start_ = rest_[0] == '\n';
      skip(1);
    }
  }

  void read_token() {
    const char first = rest_[0];
    if (first == '\'' || first == '"') return read_literal();
    if (first == '.') return read_dot();
    size_t length = 1;
    if (is_letter(first) || is_digit(first))
      while (length < rest_.size() && (is_letter(rest_[length]) || is_digit(rest_[length]))) ++length;
    else if (std::string_view("+-*/%~|,:()[]{}<>=!").find(first) == std::string_view::npos)
      return void(failed_ = true);
    add(Token::Kind::sign, rest_.substr(0, length));
    skip(length);
  }

  void read_literal() {
    const char quote = rest_[0];
    skip(1);
    std::string text;
    while (!rest_.empty() && rest_[0] != quote) {
      if (rest_[0] == '\\') {
        skip(1);
        const size_t known = rest_.empty() ? std::string_view::npos : std::string_view("nrt\\'\"").find(rest_[0]);
        if (known == std::string_view::npos) return void(failed_ = true);
        text += "\n\r\t\\'\""[known];
      } else {
        text += rest_[0];
      }
      skip(1);
    }
    if (rest_.empty()) return void(failed_ = true);
    skip(1);
    add(Token::Kind::literal, text);
  }

  // message.role is message['role'], unless a method is called.
  void read_dot() {
    size_t length = 1;
    while (length < rest_.size() && (is_letter(rest_[length]) || is_digit(rest_[length]))) ++length;
    const std::string_view name = rest_.substr(1, length - 1);
    skip(length);
    if (name.empty() || rest_.starts_with('(')) {
      add(Token::Kind::sign, ".");
      if (!name.empty()) add(Token::Kind::sign, name);
    } else {
      add(Token::Kind::sign, "[");
      add(Token::Kind::literal, name);
      add(Token::Kind::sign, "]");
    }
  }

  std::string_view rest_;
  std::vector<Token> tokens_;
  bool at_line_start_ = true;
  bool failed_ = false;
};

// The sentence in the first literal "<|im_start|>system\n...<|im_end|>\n".
std::string default_system_in(const std::vector<Token>& tokens) {
  constexpr std::string_view kBefore = "<|im_start|>system\n", kBehind = "<|im_end|>\n";
  for (const Token& token : tokens)
    if (token.kind == Token::Kind::literal && token.text.size() > kBefore.size() + kBehind.size() &&
        token.text.starts_with(kBefore) && token.text.ends_with(kBehind))
      return token.text.substr(kBefore.size(), token.text.size() - kBefore.size() - kBehind.size());
  return "";
}

}  // namespace

std::optional<JinjaOutline> outline_of_jinja(std::string_view jinja) {
  if (jinja.size() > kMostBytes || jinja.find('\r') != std::string_view::npos) return std::nullopt;
  if (jinja.ends_with('\n')) jinja.remove_suffix(1);  // Jinja leaves one out
  std::optional<std::vector<Token>> tokens = Reader(jinja).tokens();
  if (!tokens) return std::nullopt;

  JinjaOutline outline;
  outline.default_system = default_system_in(*tokens);
  Fnv1a hash;
  for (Token& token : *tokens) {
    if (token.kind == Token::Kind::literal && !outline.default_system.empty())
      if (const size_t at = token.text.find(outline.default_system); at != std::string::npos)
        token.text.replace(at, outline.default_system.size(), "\x01");
    token.text += '\0';
    hash.add(std::as_bytes(std::span(&token.kind, 1)));
    hash.add(std::as_bytes(std::span(token.text)));
  }
  outline.fingerprint = hash.value();
  return outline;
}

}  // namespace kv

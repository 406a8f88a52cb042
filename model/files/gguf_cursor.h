// GgufCursor: walks through the bytes of a GGUF file. Whatever it is asked for is compared with the bytes that are
// left, and what is wrong is told with its name and place.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "model/error.h"

namespace kv {

class GgufCursor {
 public:
  static constexpr const char* kCutShort = "the file is cut short or damaged";

  GgufCursor(std::string file, std::string_view bytes) : file_(std::move(file)), bytes_(bytes) {}

  // What is being read, for error messages.
  void expect(std::string subject) { subject_ = std::move(subject); }

  int64_t position() const { return static_cast<int64_t>(position_); }
  uint64_t left() const { return bytes_.size() - position_; }

  template <class Number>
  Number number() {
    Number number;
    std::memcpy(&number, bytes(sizeof number).data(), sizeof number);
    return number;
  }
  std::string_view text() {
    const auto length = number<uint64_t>();
    if (length > left())
      fail_at(position() - 8, fmt::format("is a text of {} bytes, but only {} are left", length, left()));
    return bytes(length);
  }
  std::string_view bytes(uint64_t count) {
    if (count > left()) fail_at(position(), fmt::format("takes {} bytes, but only {} are left", count, left()));
    position_ += static_cast<size_t>(count);
    return bytes_.substr(position_ - static_cast<size_t>(count), static_cast<size_t>(count));
  }

  // Throws "FILE: SUBJECT (at byte N) WHAT".
  [[noreturn]] void fail(int64_t at, const std::string& what) const {
    throw FormatError(file_, fmt::format("{} (at byte {}) {}", subject_, at, what));
  }

 private:
  [[noreturn]] void fail_at(int64_t at, const std::string& what) const { fail(at, what + ": " + kCutShort); }

  std::string file_;
  std::string_view bytes_;
  size_t position_ = 0;
  std::string subject_;
};

}  // namespace kv

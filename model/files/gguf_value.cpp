#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "model/counts.h"
#include "model/error.h"
#include "model/files/gguf.h"
#include "model/files/printable.h"

namespace kv {

namespace {

using Type = GgufValue::Type;

constexpr int64_t kTextHead = 8;    // the length
constexpr int64_t kArrayHead = 12;  // the type of the elements and their number

template <class Number>
Number load(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

// Calls `use` with the number of this type that lies at `at`.
template <class Use>
auto with_number(Type type, const std::byte* at, const Use& use) {
  switch (type) {
    case Type::u8: return use(load<uint8_t>(at));
    case Type::i8: return use(load<int8_t>(at));
    case Type::u16: return use(load<uint16_t>(at));
    case Type::i16: return use(load<int16_t>(at));
    case Type::u32: return use(load<uint32_t>(at));
    case Type::i32: return use(load<int32_t>(at));
    case Type::u64: return use(load<uint64_t>(at));
    case Type::i64: return use(load<int64_t>(at));
    case Type::f32: return use(load<float>(at));
    case Type::f64: return use(load<double>(at));
    case Type::boolean:
    case Type::text:
    case Type::array: break;
  }
  throw std::logic_error("this type is no number");
}

bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }
bool is_integer(Type type) {
  return !is_float(type) && type != Type::boolean && type != Type::text && type != Type::array;
}

int64_t size_of_number(Type type, const std::byte* at) {
  return with_number(type, at, [](auto number) { return static_cast<int64_t>(sizeof number); });
}

std::string shown_number(Type type, const std::byte* at) {
  return with_number(type, at, [](auto number) { return fmt::format("{}", number); });
}

std::string counted(int64_t count, Type type) {
  const std::string noun = type == Type::boolean ? "boolean"
                           : type == Type::text  ? "text"
                           : is_float(type)      ? "number"
                                                 : "integer";
  return count_of(count, noun);
}

// An f32 in a file is somebody's rounded decimal. Widened as it is, 1e-5 would read 9.99999974737875e-06 and differ
// from the same number in a config.json.
double decimal_of(float value) {
  char digits[64];
  const std::to_chars_result written = std::to_chars(std::begin(digits), std::end(digits), value);
  double result = 0;
  std::from_chars(std::begin(digits), written.ptr, result);
  return result;
}

double as_double(float number) { return decimal_of(number); }
template <class Number>
double as_double(Number number) {
  return static_cast<double>(number);
}

}  // namespace

const std::byte* GgufValue::payload() const { return at_ + (is_text() ? kTextHead : is_array() ? kArrayHead : 0); }

int64_t GgufValue::integer(int64_t least, int64_t most) const {
  if (!is_integer(type_)) fail(fmt::format("is {}, expected an integer", shown()));
  return with_number(type_, at_, [&](auto number) -> int64_t {
    if constexpr (std::is_integral_v<decltype(number)>)
      if (std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most))
        return static_cast<int64_t>(number);
    fail(fmt::format("is {}, expected {} to {}", number, least, most));
  });
}

double GgufValue::number() const {
  if (!is_integer(type_) && !is_float(type_)) fail(fmt::format("is {}, expected a number", shown()));
  const double value = with_number(type_, at_, [](auto number) { return as_double(number); });
  if (!std::isfinite(value)) fail(fmt::format("is {}, expected a finite number", shown()));
  return value;
}

bool GgufValue::boolean() const {
  if (type_ != Type::boolean) fail(fmt::format("is {}, expected true or false", shown()));
  return *at_ != std::byte{0};
}

std::string_view GgufValue::text() const {
  if (!is_text()) fail(fmt::format("is {}, expected a text", shown()));
  return {reinterpret_cast<const char*>(payload()), static_cast<size_t>(size_)};
}

std::vector<int64_t> GgufValue::integers(int64_t least, int64_t most) const {
  if (!is_array() || !is_integer(element_type_)) fail(fmt::format("is {}, expected an array of integers", shown()));
  std::vector<int64_t> list;
  list.reserve(static_cast<size_t>(size_));
  const std::byte* at = payload();
  for (int64_t i = 0; i < size_; ++i)
    list.push_back(with_number(element_type_, at, [&](auto number) -> int64_t {
      at += sizeof number;
      if constexpr (std::is_integral_v<decltype(number)>)
        if (std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most))
          return static_cast<int64_t>(number);
      fail_at(i, fmt::format("is {}, expected {} to {}", number, least, most));
    }));
  return list;
}

std::vector<float> GgufValue::numbers() const {
  if (!is_array() || !is_float(element_type_)) fail(fmt::format("is {}, expected an array of f32 or f64", shown()));
  std::vector<float> list;
  list.reserve(static_cast<size_t>(size_));
  const std::byte* at = payload();
  for (int64_t i = 0; i < size_; ++i)
    list.push_back(with_number(element_type_, at, [&](auto number) {
      at += sizeof number;
      const bool fits = std::abs(static_cast<double>(number)) <= std::numeric_limits<float>::max();  // false for a NaN
      if (!fits) fail_at(i, fmt::format("is {}, expected a finite number of 32 bits", number));
      return static_cast<float>(number);
    }));
  return list;
}

std::vector<std::string_view> GgufValue::texts() const {
  if (!is_array_of(Type::text)) fail(fmt::format("is {}, expected an array of texts", shown()));
  std::vector<std::string_view> list;
  list.reserve(static_cast<size_t>(size_));
  const std::byte* at = payload();
  for (int64_t i = 0; i < size_; ++i) {
    const auto length = load<uint64_t>(at);
    list.emplace_back(reinterpret_cast<const char*>(at + kTextHead), static_cast<size_t>(length));
    at += kTextHead + static_cast<int64_t>(length);
  }
  return list;
}

std::string GgufValue::shown() const {
  switch (type_) {
    case Type::boolean: return boolean() ? "true" : "false";
    case Type::text: return fmt::format("the text \"{}\"", printable(text()));
    case Type::array: return "an array of " + counted(size_, element_type_);
    default: return shown_number(type_, at_);
  }
}

void GgufValue::fail(const std::string& what) const {
  throw FormatError(*path_, fmt::format("{} (at byte {}) {}", printable(key_), file_offset_, what));
}

void GgufValue::fail_at(int64_t index, const std::string& what) const {
  if (!is_array() || index < 0 || index >= size_) throw std::invalid_argument("this value has no such element");
  const std::byte* at = payload();
  if (element_type_ == Type::text) {
    for (int64_t i = 0; i < index; ++i) at += kTextHead + static_cast<int64_t>(load<uint64_t>(at));
  } else {
    at += index * (element_type_ == Type::boolean ? 1 : size_of_number(element_type_, at));
  }
  throw FormatError(*path_,
                    fmt::format("{}[{}] (at byte {}) {}", printable(key_), index, file_offset_ + (at - at_), what));
}

}  // namespace kv

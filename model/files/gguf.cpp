#include "model/files/gguf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <optional>
#include <utility>

#include "model/error.h"
#include "model/files/ggml_types.h"
#include "model/files/gguf_cursor.h"
#include "model/files/printable.h"

namespace kv {

static_assert(std::endian::native == std::endian::little, "numbers and tensors are used as they lie in the file");

namespace {

using Type = GgufValue::Type;

// What the format demands at least: a length, one character of a key, a type, a value of one byte; a length, a count of
// dimensions, a type, an offset.
constexpr uint64_t kLeastMetadataBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kLeastTensorBytes = 8 + 4 + 4 + 8;
constexpr uint64_t kLeastTextBytes = 8;
// The reference reader's limits.
constexpr size_t kMostNameBytes = 63;
constexpr uint32_t kMostDimensions = 4;

constexpr std::string_view kAlignment = "general.alignment";

int64_t size_of_element(Type type) {
  switch (type) {
    case Type::u8:
    case Type::i8:
    case Type::boolean: return 1;
    case Type::u16:
    case Type::i16: return 2;
    case Type::u32:
    case Type::i32:
    case Type::f32: return 4;
    case Type::u64:
    case Type::i64:
    case Type::f64: return 8;
    case Type::text:
    case Type::array: break;  // of no fixed size
  }
  return 0;
}

// The next multiple of `alignment`, a power of two; nothing when 64 bits cannot hold it.
std::optional<int64_t> aligned(int64_t bytes, int64_t alignment) {
  int64_t sum = 0;
  if (__builtin_add_overflow(bytes, alignment - 1, &sum)) return std::nullopt;
  return sum & ~(alignment - 1);
}

// Bytes of a tensor; nothing when its values are more than 64 bits can count. A dimension of 0 does not excuse the
// others: every product of dimensions is safe for whoever reads the tensor. The row is known to fill its blocks.
std::optional<int64_t> bytes_of_shape(const std::vector<int64_t>& shape, const GgmlType& type) {
  int64_t product = 1;
  for (const int64_t size : shape)
    if (size != 0 && __builtin_mul_overflow(product, size, &product)) return std::nullopt;
  int64_t bytes = 0;
  if (__builtin_mul_overflow(product / type.block_values, type.block_bytes, &bytes)) return std::nullopt;
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? bytes : 0;
}

}  // namespace

class GgufReader {
 public:
  explicit GgufReader(const std::filesystem::path& path)
      : path_(std::make_shared<const std::string>(path.string())),
        file_(MappedFile::open(path)),
        cursor_(*path_, file_->text()) {
    result_.file = file_;
    result_.path = *path_;
  }

  Gguf read() {
    read_header();
    for (uint64_t i = 0; i < keys_; ++i) read_key(i);
    for (uint64_t i = 0; i < tensors_; ++i) read_tensor(i);
    find_tensors();
    return std::move(result_);
  }

 private:
  void read_header() {
    const std::string_view text = file_->text();
    if (!text.starts_with("GGUF"))
      throw FormatError(*path_, fmt::format("is not a GGUF file: it begins with \"{}\", expected \"GGUF\" (at byte 0)",
                                            printable(text.substr(0, 4))));
    cursor_.bytes(4);

    cursor_.expect("the version");
    const int64_t at = cursor_.position();
    const auto version = cursor_.number<uint32_t>();
    if (version != 0 && (version & 0xffffu) == 0)
      cursor_.fail(at, fmt::format("is {}: the byte order looks reversed; expected a little-endian file", version));
    if (version != 2 && version != 3) cursor_.fail(at, fmt::format("is {}, expected 2 or 3", version));
    result_.version = version;

    tensors_ = read_count("the number of tensors", kLeastTensorBytes);
    keys_ = read_count("the number of metadata keys", kLeastMetadataBytes);
  }

  uint64_t read_count(const char* subject, uint64_t least_bytes) {
    cursor_.expect(subject);
    const int64_t at = cursor_.position();
    const auto count = cursor_.number<uint64_t>();
    demand_room(at, count, least_bytes);
    return count;
  }

  void demand_room(int64_t at, uint64_t count, uint64_t least_bytes) const {
    if (count > cursor_.left() / least_bytes)
      cursor_.fail(at, fmt::format("is {}, but only {} bytes are left, room for at most {}: {}", count, cursor_.left(),
                                   cursor_.left() / least_bytes, GgufCursor::kCutShort));
  }

  void read_key(uint64_t index) {
    cursor_.expect(fmt::format("metadata key {} of {}", index + 1, keys_));
    const int64_t key_at = cursor_.position();
    GgufValue value;
    value.path_ = path_;
    value.key_ = cursor_.text();
    if (value.key_.empty()) cursor_.fail(key_at, "is empty");
    cursor_.expect(printable(value.key_));
    if (!result_.key_places.emplace(value.key_, result_.metadata.size()).second)
      cursor_.fail(key_at, "occurs twice as a metadata key");

    value.type_ = read_type("has the type");
    value.file_offset_ = cursor_.position();
    value.at_ = file_->bytes().data() + cursor_.position();
    if (value.is_text())
      value.size_ = std::ssize(cursor_.text());
    else if (value.is_array())
      skip_array(value);
    else
      cursor_.bytes(static_cast<uint64_t>(size_of_element(value.type_)));
    if (value.key_ == kAlignment) set_alignment(value);
    result_.metadata.push_back(std::move(value));
  }

  Type read_type(const char* what) {
    const int64_t at = cursor_.position();
    const auto type = cursor_.number<uint32_t>();
    if (type > static_cast<uint32_t>(Type::f64))
      cursor_.fail(at, fmt::format("{} {}, expected 0 to {}", what, type, static_cast<uint32_t>(Type::f64)));
    return static_cast<Type>(type);
  }

  void skip_array(GgufValue& value) {
    value.element_type_ = read_type("is an array of the type");
    if (value.element_type_ == Type::array)
      cursor_.fail(value.file_offset_, "is an array of arrays, which kvlab does not read, nor the reference reader");
    cursor_.expect("the length of " + printable(value.key_));
    const int64_t at = cursor_.position();
    const auto count = cursor_.number<uint64_t>();
    const bool texts = value.element_type_ == Type::text;
    const uint64_t element_bytes =
        texts ? kLeastTextBytes : static_cast<uint64_t>(size_of_element(value.element_type_));
    demand_room(at, count, element_bytes);
    value.size_ = static_cast<int64_t>(count);
    cursor_.expect("a text of " + printable(value.key_));
    if (texts)
      for (uint64_t i = 0; i < count; ++i) cursor_.text();  // bytes, UTF-8 or not: some tokens are half a character
    else
      cursor_.bytes(count * element_bytes);
  }

  // The reference reader's rule; the format's description asks for a multiple of 8.
  void set_alignment(const GgufValue& value) {
    if (value.type() != Type::u32) value.fail("has the wrong type, expected an integer of 32 bits without sign");
    result_.alignment = value.integer(0, int64_t{1} << 32);
    if (!std::has_single_bit(static_cast<uint64_t>(result_.alignment)))
      value.fail(fmt::format("is {}, expected a power of two", value.shown()));
  }

  // Everything that can be said before the place of the data is known, which comes behind the last of these.
  void read_tensor(uint64_t index) {
    cursor_.expect(fmt::format("the name of tensor {} of {}", index + 1, tensors_));
    const int64_t name_at = cursor_.position();
    const std::string_view name = cursor_.text();
    if (name.size() > kMostNameBytes)
      cursor_.fail(name_at, fmt::format("has {} bytes, expected at most {}", name.size(), kMostNameBytes));
    cursor_.expect(title(name));
    if (!result_.tensor_places.emplace(name, result_.tensors.size()).second) cursor_.fail(name_at, "occurs twice");
    GgufTensor tensor{std::string(name), {}};

    int64_t at = cursor_.position();
    const auto dimensions = cursor_.number<uint32_t>();
    if (dimensions > kMostDimensions)
      cursor_.fail(at, fmt::format("has {} dimensions, expected at most {}", dimensions, kMostDimensions));
    std::vector<int64_t>& shape = tensor.stored.shape;
    at = cursor_.position();
    for (uint32_t i = 0; i < dimensions; ++i) {
      const int64_t size_at = cursor_.position();
      shape.push_back(cursor_.number<int64_t>());
      if (shape.back() < 0)
        cursor_.fail(size_at, fmt::format("has the dimension {}, expected 0 or more", shape.back()));
    }
    std::reverse(shape.begin(), shape.end());

    const GgmlType& type = read_tensor_type();
    tensor.stored.dtype = type.name;
    const int64_t row = shape.empty() ? 1 : shape.back();
    if (row % type.block_values != 0)
      cursor_.fail(at, fmt::format("has rows of {} values, expected a multiple of {}, the values of a block of {}", row,
                                   type.block_values, type.name));
    const std::optional<int64_t> bytes = bytes_of_shape(shape, type);
    if (!bytes)
      cursor_.fail(at, fmt::format("has {} values of {}, more bytes than 64 bits can count", fmt::join(shape, " x "),
                                   type.name));
    read_offset(*bytes);
    bytes_.push_back(*bytes);
    result_.tensors.push_back(std::move(tensor));
  }

  const GgmlType& read_tensor_type() {
    const int64_t at = cursor_.position();
    const auto id = cursor_.number<uint32_t>();
    if (id >= kGgmlTypes.size())
      cursor_.fail(
          at, fmt::format("has the type {}, which kvlab does not know, expected 0 to {}", id, kGgmlTypes.size() - 1));
    const GgmlType& type = kGgmlTypes[id];
    if (type.block_bytes == 0)
      cursor_.fail(at, fmt::format("has the type {} ({}), which was taken out of the format; convert the model anew",
                                   id, type.name));
    return type;
  }

  // Tensors lie one behind the other in this order, each padded to the alignment.
  void read_offset(int64_t bytes) {
    const int64_t at = cursor_.position();
    const auto offset = cursor_.number<uint64_t>();
    if (offset != static_cast<uint64_t>(data_bytes_))
      cursor_.fail(at, fmt::format("begins at byte {} of the data, expected {}, where the tensors before it end with "
                                   "their padding to {} bytes",
                                   offset, data_bytes_, result_.alignment));
    const std::optional<int64_t> padded = aligned(bytes, result_.alignment);
    if (!padded || __builtin_add_overflow(data_bytes_, *padded, &data_bytes_))
      cursor_.fail(at, "ends behind more bytes than 64 bits can count");
  }

  // A tensor's own bytes must lie in the file. The padding behind the last one may be missing, which costs nobody
  // anything, and anything may follow. Without tensors there is no data, and no padding before it either.
  void find_tensors() {
    const std::span<const std::byte> file = file_->bytes();
    const auto data_at = *aligned(cursor_.position(), result_.alignment);
    int64_t offset = 0;
    for (size_t i = 0; i < bytes_.size(); ++i) {
      GgufTensor& tensor = result_.tensors[i];
      // The sum below is safe: the tensors before this one lie in the file.
      int64_t end = 0;
      const bool counted = !__builtin_add_overflow(data_at + offset, bytes_[i], &end);
      if (!counted || end > std::ssize(file)) {
        cursor_.expect(title(tensor.name));
        cursor_.fail(data_at + offset, fmt::format("takes {} bytes, but the file ends at byte {}: {}", bytes_[i],
                                                   file.size(), GgufCursor::kCutShort));
      }
      tensor.stored.file_offset = data_at + offset;
      tensor.stored.bytes = file.subspan(static_cast<size_t>(data_at + offset), static_cast<size_t>(bytes_[i]));
      offset += *aligned(bytes_[i], result_.alignment);
    }
  }

  static std::string title(std::string_view name) {
    return name.empty() ? "the tensor without a name" : "tensor " + printable(name);
  }

  std::shared_ptr<const std::string> path_;
  std::shared_ptr<const MappedFile> file_;
  GgufCursor cursor_;
  uint64_t tensors_ = 0, keys_ = 0;
  std::vector<int64_t> bytes_;  // of each tensor
  int64_t data_bytes_ = 0;      // of the tensors so far, with their padding
  Gguf result_;
};

const GgufValue* Gguf::find(std::string_view key) const {
  const auto found = key_places.find(key);
  return found == key_places.end() ? nullptr : &metadata[found->second];
}

const GgufValue& Gguf::at(std::string_view key) const {
  if (const GgufValue* value = find(key)) return *value;
  throw FormatError(path, printable(key) + " is missing");
}

const GgufTensor* Gguf::find_tensor(std::string_view name) const {
  const auto found = tensor_places.find(name);
  return found == tensor_places.end() ? nullptr : &tensors[found->second];
}

bool is_gguf(const std::filesystem::path& path) {
  if (path.extension() == ".gguf") return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // reading a pipe would wait
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "GGUF";
}

Gguf read_gguf(const std::filesystem::path& path) { return GgufReader(path).read(); }

}  // namespace kv

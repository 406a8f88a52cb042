#include "model/files/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "model/error.h"
#include "model/files/json.h"
#include "model/files/printable.h"

namespace kv {

static_assert(std::endian::native == std::endian::little, "tensors are used as they lie in the file");

namespace {

constexpr int64_t kLengthBytes = 8;
constexpr int64_t kMaxHeaderBytes = 100'000'000;  // the reference reader's limit
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr const char* kMetadata = "__metadata__";

std::optional<int64_t> bits_of(const std::string& dtype) {
  static const std::map<std::string, int64_t> bits = {
      {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"BOOL", 8},        {"U8", 8},   {"I8", 8},
      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},     {"I16", 16},        {"U16", 16}, {"F16", 16},
      {"BF16", 16},   {"I32", 32},    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"U32", 32}, {"F32", 32},
      {"I64", 64},    {"U64", 64},    {"F64", 64},        {"C64", 64},
  };
  const auto found = bits.find(dtype);
  return found == bits.end() ? std::nullopt : std::optional(found->second);
}

// Bytes of a tensor of this shape; nothing when they are no whole number, or more than 64 bits can count.
std::optional<int64_t> bytes_of_shape(const std::vector<int64_t>& shape, int64_t bits) {
  int64_t total = bits;
  for (const int64_t size : shape)
    if (__builtin_mul_overflow(total, size, &total)) return std::nullopt;
  if (total % 8 != 0) return std::nullopt;
  return total / 8;
}

// Where an entry of the header says its bytes are, counted from the end of the header.
struct Range {
  std::string name;
  int64_t begin = 0;
  int64_t end = 0;
};

Range check_entry(const std::string& name, const JsonValue& entry, int64_t data_bytes, StoredTensor& tensor) {
  tensor.dtype = entry.at("dtype").text();
  const std::optional<int64_t> bits = bits_of(tensor.dtype);
  if (!bits) entry.at("dtype").fail(fmt::format("is {}, which is not a type of this format", printable(tensor.dtype)));
  for (const JsonValue& size : entry.at("shape").elements()) tensor.shape.push_back(size.integer(0, kMost));

  const JsonValue offsets = entry.at("data_offsets");
  const std::vector<JsonValue> ends = offsets.elements();
  if (ends.size() != 2) offsets.fail(fmt::format("has {} numbers, expected 2", ends.size()));
  const Range range{name, ends[0].integer(0, kMost), ends[1].integer(0, kMost)};
  if (range.end < range.begin) offsets.fail(fmt::format("ends ({}) before it begins ({})", range.end, range.begin));
  if (range.end > data_bytes)
    offsets.fail(fmt::format("ends at byte {}, but only {} bytes follow the header: the file is cut short", range.end,
                             data_bytes));

  const std::optional<int64_t> expected = bytes_of_shape(tensor.shape, *bits);
  if (!expected)
    entry.fail(
        fmt::format("has {} values of {}, which is no number of bytes", fmt::join(tensor.shape, " x "), tensor.dtype));
  if (range.end - range.begin != *expected)
    offsets.fail(fmt::format("spans {} bytes, but {} [{}] takes {}", range.end - range.begin, tensor.dtype,
                             fmt::join(tensor.shape, ", "), *expected));
  return range;
}

// Demands that the ranges fill the data exactly: no hole, no overlap, nothing behind the last.
void check_ranges(const std::string& file, std::vector<Range> ranges, int64_t data_bytes) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  int64_t filled = 0;
  for (const Range& range : ranges) {
    if (range.begin != filled)
      throw FormatError(file, fmt::format("{} begins at byte {} of the data, but the tensors before it end at byte {}",
                                          printable(range.name), range.begin, filled));
    filled = range.end;
  }
  if (filled != data_bytes)
    throw FormatError(file, fmt::format("{} bytes follow the last tensor", data_bytes - filled));
}

}  // namespace

Safetensors read_safetensors(const std::filesystem::path& path) {
  Safetensors result;
  result.file = MappedFile::open(path);
  const std::span<const std::byte> bytes = result.file->bytes();
  const auto file_bytes = static_cast<int64_t>(bytes.size());

  // Measure the header.
  if (file_bytes < kLengthBytes)
    throw FormatError(path.string(), fmt::format("has {} bytes, too few for a safetensors header", file_bytes));
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), sizeof header_bytes);
  if (header_bytes > static_cast<uint64_t>(kMaxHeaderBytes))
    throw FormatError(path.string(), fmt::format("says its header has {} bytes, more than the limit of {}; is it a "
                                                 "safetensors file?",
                                                 header_bytes, kMaxHeaderBytes));
  const int64_t data_begin = kLengthBytes + static_cast<int64_t>(header_bytes);
  if (data_begin > file_bytes)
    throw FormatError(path.string(),
                      fmt::format("says its header has {} bytes, but only {} follow: the file is cut short",
                                  header_bytes, file_bytes - kLengthBytes));
  const int64_t data_bytes = file_bytes - data_begin;

  // Check every entry on its own, then all of them together.
  const JsonValue header =
      JsonValue::parse(path.string() + ": header", result.file->text().substr(kLengthBytes, header_bytes));
  std::vector<Range> ranges;
  for (const auto& [name, entry] : header.fields()) {
    if (name == kMetadata) {
      for (const auto& [key, value] : entry.fields()) result.metadata[key] = value.text();
      continue;
    }
    StoredTensor& tensor = result.tensors[name];
    ranges.push_back(check_entry(name, entry, data_bytes, tensor));
    tensor.file_offset = data_begin + ranges.back().begin;
    tensor.bytes = bytes.subspan(static_cast<size_t>(tensor.file_offset),
                                 static_cast<size_t>(ranges.back().end - ranges.back().begin));
  }
  check_ranges(path.string(), std::move(ranges), data_bytes);
  return result;
}

namespace {

std::span<const std::byte> bytes_of(const TensorToWrite& tensor) {
  return std::visit([](const auto& values) { return std::as_bytes(values); }, tensor.values);
}

std::string header_of(std::span<const TensorToWrite> tensors, const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  size_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    const size_t size = bytes_of(tensor).size();
    if (tensor.name == kMetadata || header.contains(tensor.name))
      throw std::invalid_argument(fmt::format("a tensor cannot be named \"{}\" (again)", tensor.name));
    const bool negative = std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t n) { return n < 0; });
    if (negative || bytes_of_shape(tensor.shape, 32) != static_cast<int64_t>(size))
      throw std::invalid_argument(
          fmt::format("{}: shape [{}] does not hold {} values", tensor.name, fmt::join(tensor.shape, ", "), size / 4));
    header[tensor.name] = {{"dtype", tensor.values.index() == 0 ? "F32" : "I32"},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  try {
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data is aligned
    return text;
  } catch (const nlohmann::json::type_error&) {
    throw std::invalid_argument("the name of a tensor is not valid UTF-8");
  }
}

// A file under a temporary name in the same folder: renamed once complete, removed otherwise.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& path)
      : path_(path),
        temporary_(path.string() + fmt::format(".unfinished-{}", ::getpid())),
        stream_(temporary_, std::ios::binary) {}
  ~UnfinishedFile() {
    stream_.close();
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);  // after a rename there is nothing to remove
  }

  void write(const void* data, size_t size) {
    stream_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  void finish() {
    stream_.close();
    std::error_code error;
    if (stream_) std::filesystem::rename(temporary_, path_, error);
    if (!stream_ || error) throw std::runtime_error(path_.string() + ": cannot be written");
  }

 private:
  std::filesystem::path path_, temporary_;
  std::ofstream stream_;
};

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string header = header_of(tensors, metadata);
  const uint64_t header_bytes = header.size();
  UnfinishedFile file(path);
  file.write(&header_bytes, sizeof header_bytes);
  file.write(header.data(), header.size());
  for (const TensorToWrite& tensor : tensors) file.write(bytes_of(tensor).data(), bytes_of(tensor).size());
  file.finish();
}

}  // namespace kv

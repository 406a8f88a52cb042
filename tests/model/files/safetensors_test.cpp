#include "model/files/safetensors.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "model/error.h"
#include "model/random.h"
#include "tests/support/error_of.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using kv::test::error_of;
using kv::test::little_endian;
using kv::test::names;
using kv::test::read_whole_file;
using kv::test::safetensors_bytes;
using kv::test::TemporaryFolder;

namespace {

std::string refusal_of_bytes(std::string_view bytes) {
  const TemporaryFolder folder;
  const auto path = folder.write("t.safetensors", bytes);
  return error_of<FormatError>([&] { read_safetensors(path); });
}

std::string refusal(std::string_view header, size_t data_bytes) {
  return refusal_of_bytes(safetensors_bytes(header, std::string(data_bytes, '\1')));
}

// A header with one tensor called t.
std::string one_tensor(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return fmt::format(R"({{"t":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
}

// A 2 x 3 matrix, a vector and an empty tensor, written by our writer.
std::string valid_file() {
  const TemporaryFolder folder;
  const std::vector<float> matrix = {0, 1, 2, 3, 4, 5}, vector = {6, 7};
  const std::vector<int32_t> empty;
  const std::vector<TensorToWrite> tensors = {
      {"matrix", {2, 3}, matrix}, {"vector", {2}, vector}, {"zero", {4, 0}, empty}};
  write_safetensors(folder / "t", tensors, {{"format", "pt"}});
  return read_whole_file(folder / "t");
}

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("what was written is read back: names, shapes, values, metadata, and where they lie") {
    const TemporaryFolder folder;
    folder.write("t", valid_file());
    const Safetensors file = read_safetensors(folder / "t");
    REQUIRE(file.tensors.size() == 3);
    const StoredTensor& matrix = file.tensors.at("matrix");
    CHECK(matrix.dtype == "F32");
    CHECK(matrix.shape == std::vector<int64_t>{2, 3});
    CHECK(matrix.file_offset % 8 == 0);
    CHECK(matrix.bytes.size() == 24);
    CHECK(file.tensors.at("vector").file_offset == matrix.file_offset + 24);
    CHECK(file.tensors.at("zero").dtype == "I32");
    CHECK(file.tensors.at("zero").bytes.empty());
    CHECK(file.metadata.at("format") == "pt");
  }

  TEST_CASE("matrices are row-major: element (1, 0) of 0..5 in 2 x 3 is 3") {
    const TemporaryFolder folder;
    folder.write("t", valid_file());
    const Safetensors file = read_safetensors(folder / "t");
    float value;
    std::memcpy(&value, file.tensors.at("matrix").bytes.data() + (1 * 3 + 0) * sizeof value, sizeof value);
    CHECK(value == 3.0f);
  }

  TEST_CASE("files at the edge of the format load") {
    CHECK(refusal(one_tensor("F32", "[]", "[0,4]"), 4) == "(no error)");     // a scalar
    CHECK(refusal(one_tensor("F32", "[2,0]", "[0,0]"), 0) == "(no error)");  // empty
    CHECK(refusal("{}", 0) == "(no error)");                                 // no tensors
    CHECK(refusal("\t\n{}\r ", 0) == "(no error)");                          // white space around the header
    CHECK(refusal("{}        ", 0) == "(no error)");
    CHECK(refusal(R"({"__metadata__":{"a":"b"}})", 0) == "(no error)");
    CHECK(refusal(one_tensor("F32", "[1]", "[0,4]") + std::string(200'000, ' '), 4) == "(no error)");
    CHECK(
        refusal(
            R"({"b":{"dtype":"U8","shape":[0],"data_offsets":[3,3]},"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})",
            3) == "(no error)");  // an empty tensor at the end of another
  }

  TEST_CASE("every type of the format has its size") {
    const std::pair<const char*, int> sizes[] = {
        {"BOOL", 8},        {"U8", 8},          {"I8", 8},      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8},
        {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
        {"I32", 32},        {"U32", 32},        {"F32", 32},    {"I64", 64},    {"U64", 64},    {"F64", 64},
        {"C64", 64},        {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6}};
    for (const auto& size : sizes) {
      const std::string dtype = size.first;
      const int bytes = 12 * size.second / 8;
      CAPTURE(dtype);
      CHECK(refusal(one_tensor(dtype, "[4,3]", fmt::format("[0,{}]", bytes)), static_cast<size_t>(bytes)) ==
            "(no error)");
    }
    CHECK(names(refusal(one_tensor("F7", "[1]", "[0,1]"), 1), "t.dtype", "F7"));
    CHECK(names(refusal(one_tensor("f32", "[1]", "[0,4]"), 4), "f32"));
  }

  TEST_CASE("a header that is too short, too long or no JSON is refused") {
    CHECK(names(refusal_of_bytes("1234567"), "7 bytes"));
    CHECK(names(refusal_of_bytes(little_endian(60)), "60 bytes", "0 follow"));
    CHECK(names(refusal_of_bytes(std::string("\x3c\0\0\0\0\xff\xff\xff", 8)), "limit"));
    CHECK(names(refusal_of_bytes(std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10)), "limit"));
    CHECK(names(refusal_of_bytes(std::string(8, '\xff') + "{}"), "limit"));
    CHECK(names(refusal("\xff", 0), "header", "JSON"));
    CHECK(names(refusal("{", 0), "header", "JSON"));
    CHECK(names(refusal("", 0), "JSON"));
    CHECK(names(refusal("[]", 0), "array", "object"));
    CHECK(names(refusal(std::string(100'000, '['), 0), "nested"));
  }

  TEST_CASE("entries that are not well formed are refused, with their tensor") {
    CHECK(names(refusal(R"({"t":{"dtype":"F32","shape":[1]}})", 4), "t.data_offsets is missing"));
    CHECK(names(refusal(R"({"t":{"shape":[1],"data_offsets":[0,4]}})", 4), "t.dtype is missing"));
    CHECK(names(refusal(R"({"t":{"dtype":"F32","data_offsets":[0,4]}})", 4), "t.shape is missing"));
    CHECK(names(refusal(R"({"t":[1]})", 4), "t is an array"));
    CHECK(names(refusal(one_tensor("F32", "[-1]", "[0,4]"), 4), "t.shape[0] is -1"));
    CHECK(names(refusal(one_tensor("F32", "[1.0]", "[0,4]"), 4), "t.shape[0] is 1.0"));
    CHECK(names(refusal(one_tensor("F32", R"(["1"])", "[0,4]"), 4), "t.shape[0]", "string"));
    CHECK(names(refusal(one_tensor("F32", "[1]", "[0]"), 4), "t.data_offsets has 1"));
    CHECK(names(refusal(one_tensor("F32", "[1]", "[0,4,8]"), 4), "t.data_offsets has 3"));
    CHECK(names(refusal(one_tensor("F32", "[1]", "[-4,0]"), 4), "t.data_offsets[0] is -4"));
    CHECK(names(refusal(one_tensor("F32", "[1]", "[4,0]"), 4), "t.data_offsets", "before it begins"));
  }

  TEST_CASE("metadata holds strings and nothing else") {
    CHECK(names(refusal(R"({"__metadata__":{"a":1}})", 0), "__metadata__.a", "string"));
    CHECK(names(refusal(R"({"__metadata__":[]})", 0), "__metadata__"));
  }

  TEST_CASE("a name that occurs twice is refused") {
    CHECK(names(
        refusal(
            R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"t":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
            2),
        "\"t\"", "twice"));
  }

  TEST_CASE("sizes that contradict the shape are refused") {
    CHECK(names(refusal(one_tensor("I32", "[2,2]", "[0,4]"), 4), "t.data_offsets spans 4 bytes", "takes 16"));
    CHECK(names(refusal(one_tensor("F32", "[2]", "[0,8]"), 4), "t.data_offsets ends at byte 8", "cut short"));
    CHECK(names(refusal(one_tensor("F4", "[1,2]", "[0,2]"), 2), "spans 2 bytes", "takes 1"));
    CHECK(names(refusal(one_tensor("F4", "[1,3]", "[0,2]"), 2), "no number of bytes"));
    CHECK(names(refusal(one_tensor("F32", "[1024,1024]", "[0,4194304]"), 1), "t.data_offsets", "cut short"));
  }

  TEST_CASE("sizes beyond 64 bits are refused, not wrapped") {
    CHECK(names(refusal(one_tensor("I32", "[2,18446744073709551614]", "[0,16]"), 16), "t.shape[1]",
                "18446744073709551614"));
    CHECK(names(refusal(one_tensor("I32", "[2,9223372036854775807]", "[0,16]"), 16), "t has", "no number of bytes"));
    CHECK(names(refusal(one_tensor("I32", "[1]", "[0,18446744073709551615]"), 4), "t.data_offsets[1]"));
  }

  TEST_CASE("tensors that overlap, leave a hole or leave bytes behind them are refused") {
    std::string shared = "{";
    for (int i = 0; i < 10; ++i)
      shared += fmt::format(R"({}"tensor_{}":{{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", i ? "," : "", i);
    CHECK(names(refusal(shared + "}", 16), "tensor_", "begins at byte 0"));
    CHECK(names(refusal(one_tensor("F32", "[1]", "[4,8]"), 8), "t begins at byte 4", "end at byte 0"));
    CHECK(names(refusal(one_tensor("F32", "[1]", "[0,4]"), 5), "1 bytes follow"));
    CHECK(names(refusal("{}", 3), "3 bytes follow"));
  }

  TEST_CASE("names of tensors and types stand in one printable line") {
    CHECK(names(refusal(R"({"a\nb":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", 2), R"(: a\x0ab begins at)"));
    CHECK(names(refusal(one_tensor(R"(F\n32)", "[1]", "[0,4]"), 4), R"(t.dtype is F\x0a32)"));
  }

  TEST_CASE("a file cut anywhere is refused") {
    const std::string whole = valid_file();
    REQUIRE(refusal_of_bytes(whole) == "(no error)");
    for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
      CAPTURE(bytes);
      REQUIRE(refusal_of_bytes(whole.substr(0, bytes)) != "(no error)");
    }
    // One byte short, and cut at the boundary between two tensors: the tensor that lacks is named.
    CHECK(names(refusal_of_bytes(whole.substr(0, whole.size() - 1)), "vector", "cut short"));
    CHECK(names(refusal_of_bytes(whole.substr(0, whole.size() - 8)), "vector", "cut short"));
    CHECK(names(refusal_of_bytes(whole.substr(0, whole.size() - 9)), "matrix", "cut short"));
  }

  TEST_CASE("a file with one damaged byte loads or is refused, and nothing else happens") {
    const std::string whole = valid_file();
    const TemporaryFolder folder;
    Random random(17);
    int loaded = 0;
    for (int round = 0; round < 4000; ++round) {
      std::string damaged = whole;
      damaged[static_cast<size_t>(random.below(std::ssize(whole)))] = static_cast<char>(random.below(256));
      const auto path = folder.write("t", damaged);
      loaded += error_of<FormatError>([&] { read_safetensors(path); }) == "(no error)";
    }
    CHECK(loaded > 0);
    CHECK(loaded < 4000);
  }

  TEST_CASE("the writer refuses what no file can hold") {
    const TemporaryFolder folder;
    const std::vector<float> values = {1, 2, 3};
    const auto refusal_to_write = [&](const std::vector<TensorToWrite>& tensors) {
      return error_of<std::invalid_argument>([&] { write_safetensors(folder / "t", tensors); });
    };
    CHECK(names(refusal_to_write({{"a", {2, 2}, values}}), "a", "[2, 2]", "3 values"));
    CHECK(names(refusal_to_write({{"a", {-3}, values}}), "[-3]"));
    CHECK(names(refusal_to_write({{"a", {3}, values}, {"a", {3}, values}}), "\"a\""));
    CHECK(names(refusal_to_write({{"__metadata__", {3}, values}}), "__metadata__"));
    CHECK(names(refusal_to_write({{"\xFF", {3}, values}}), "UTF-8"));
    CHECK(std::filesystem::is_empty(folder.path()));
  }

  TEST_CASE("a file that cannot be written leaves nothing behind, and an old one stays until the new one is complete") {
    const TemporaryFolder folder;
    const std::vector<float> values = {1, 2, 3};
    const std::vector<TensorToWrite> tensors = {{"a", {3}, values}};
    CHECK(names(error_of<std::runtime_error>([&] { write_safetensors(folder / "no-folder" / "t", tensors); }),
                "cannot be written"));
    std::filesystem::create_directory(folder / "taken");
    folder.write("taken/file", "x");
    CHECK(names(error_of<std::runtime_error>([&] { write_safetensors(folder / "taken", tensors); }), "taken",
                "cannot be written"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);

    folder.write("t", "old");
    write_safetensors(folder / "t", tensors);
    CHECK(read_safetensors(folder / "t").tensors.contains("a"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
  }
}

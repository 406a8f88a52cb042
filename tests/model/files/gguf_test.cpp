#include "model/files/gguf.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/error.h"
#include "model/files/ggml_types.h"
#include "model/random.h"
#include "tests/support/error_of.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/memory_file.h"
#include "tests/support/one_line.h"

using namespace kv;
using namespace kv::test;

namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

// What is said about a file of these bytes: "(no error)", or one line.
std::string refusal(std::string_view bytes) {
  const MemoryFile file(bytes);
  const std::string error = error_of<FormatError>([&] { read_gguf(file.path()); });
  CHECK_MESSAGE(is_one_printable_line(error), error);
  CHECK((error == "(no error)" || error.starts_with(file.path().string() + ": ")));
  return error;
}
std::string refusal(const GgufBytes& file) { return refusal(file.bytes()); }

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

GgufBytes file_with(std::string_view key, uint32_t type, std::string_view value) {
  return GgufBytes().key(key, type, value);
}
GgufBytes tensor_of(const std::vector<int64_t>& sizes, uint32_t type, size_t bytes) {
  return GgufBytes().tensor("t", sizes, type, std::string(bytes, '\1'));
}

// A value of every type, an array of every type, and three tensors.
GgufBytes example() {
  GgufBytes file;
  file.key("a.u8", u8, number_bytes<uint8_t>(200)).key("a.i8", i8, number_bytes<int8_t>(-100));
  file.key("a.u16", u16, number_bytes<uint16_t>(60'000)).key("a.i16", i16, number_bytes<int16_t>(-30'000));
  file.key("a.u32", u32, number_bytes<uint32_t>(4'000'000'000))
      .key("a.i32", i32, number_bytes<int32_t>(-2'000'000'000));
  file.key("a.u64", u64, number_bytes<uint64_t>(1)).key("a.i64", i64, number_bytes<int64_t>(-1));
  file.key("a.f32", f32, number_bytes(1e-5f)).key("a.f64", f64, number_bytes(0.1));
  file.key("a.yes", boolean, "\1").key("a.no", boolean, std::string(1, '\0')).text_key("a.text", "caf\xc3\xa9");
  file.key("b.u8", array, numbers_bytes<uint8_t>(u8, {1, 255}));
  file.key("b.i8", array, numbers_bytes<int8_t>(i8, {-128, 127}));
  file.key("b.u16", array, numbers_bytes<uint16_t>(u16, {65'535}));
  file.key("b.i16", array, numbers_bytes<int16_t>(i16, {-32'768}));
  file.key("b.u32", array, numbers_bytes<uint32_t>(u32, {4'294'967'295u, 0, 7}));
  file.key("b.i32", array, numbers_bytes<int32_t>(i32, {-1, 2, -3}));
  file.key("b.u64", array, numbers_bytes<uint64_t>(u64, {9'223'372'036'854'775'807u}));
  file.key("b.i64", array, numbers_bytes<int64_t>(i64, {std::numeric_limits<int64_t>::min()}));
  file.key("b.f32", array, numbers_bytes<float>(f32, {0.5f, -2.25f}));
  file.key("b.f64", array, numbers_bytes<double>(f64, {0.5, 1e10}));
  file.key("b.boolean", array, array_bytes(boolean, 3, std::string("\1\0\1", 3)));
  file.key("b.text", array, texts_bytes({"", "one", "two\n"}));
  file.tensor("matrix", {3, 2}, 0,
              number_bytes(0.f) + number_bytes(1.f) + number_bytes(2.f) + number_bytes(3.f) + number_bytes(4.f) +
                  number_bytes(5.f));
  file.tensor("blocks", {64, 3}, 3, std::string(6 * 20, '\2'));
  file.tensor("zero", {4, 0}, 1, "");
  file.tensor("bytes", {5}, 24, "abcde");
  return file;
}

Gguf read_bytes(const std::string& bytes) {
  return read_gguf(MemoryFile(bytes).path());  // the mapping outlives the file
}

}  // namespace

TEST_SUITE("model/files/gguf") {
  TEST_CASE("a value of every type of metadata is read as it was written") {
    const Gguf file = read_bytes(example().bytes());
    constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
    CHECK(file.metadata.size() == 25);
    CHECK(file.at("a.u8").integer(0, 255) == 200);
    CHECK(file.at("a.i8").integer(least, most) == -100);
    CHECK(file.at("a.u16").integer(least, most) == 60'000);
    CHECK(file.at("a.i16").integer(least, most) == -30'000);
    CHECK(file.at("a.u32").integer(least, most) == 4'000'000'000);
    CHECK(file.at("a.i32").integer(least, most) == -2'000'000'000);
    CHECK(file.at("a.u64").integer(least, most) == 1);
    CHECK(file.at("a.i64").integer(least, most) == -1);
    CHECK(file.at("a.i64").number() == -1.0);
    CHECK(file.at("a.f64").number() == 0.1);
    CHECK(file.at("a.yes").boolean());
    CHECK(!file.at("a.no").boolean());
    CHECK(file.at("a.text").text() == "caf\xc3\xa9");
    CHECK(file.at("a.text").size() == 5);
    CHECK(file.at("b.u8").integers(least, most) == std::vector<int64_t>{1, 255});
    CHECK(file.at("b.i8").integers(least, most) == std::vector<int64_t>{-128, 127});
    CHECK(file.at("b.u16").integers(least, most) == std::vector<int64_t>{65'535});
    CHECK(file.at("b.i16").integers(least, most) == std::vector<int64_t>{-32'768});
    CHECK(file.at("b.u32").integers(least, most) == std::vector<int64_t>{4'294'967'295, 0, 7});
    CHECK(file.at("b.i32").integers(least, most) == std::vector<int64_t>{-1, 2, -3});
    CHECK(file.at("b.u64").integers(least, most) == std::vector<int64_t>{most});
    CHECK(file.at("b.i64").integers(least, most) == std::vector<int64_t>{least});
    CHECK(file.at("b.f32").numbers() == std::vector<float>{0.5f, -2.25f});
    CHECK(file.at("b.f64").numbers() == std::vector<float>{0.5f, 1e10f});
    CHECK(file.at("b.boolean").size() == 3);
    CHECK(file.at("b.boolean").element_type() == GgufValue::Type::boolean);
    CHECK(file.at("b.text").texts() == std::vector<std::string_view>{"", "one", "two\n"});
  }

  TEST_CASE("tensors keep their order, their bytes lie in the file, and the last dimension is the fastest") {
    const Gguf file = read_bytes(example().bytes());
    REQUIRE(file.tensors.size() == 4);
    CHECK(file.tensors[0].name == "matrix");
    const StoredTensor& matrix = file.tensors[0].stored;
    CHECK(matrix.dtype == "F32");
    CHECK(matrix.shape == std::vector<int64_t>{2, 3});
    REQUIRE(matrix.bytes.size() == 24);
    float value;
    std::memcpy(&value, matrix.bytes.data() + (1 * 3 + 0) * sizeof value, sizeof value);
    CHECK(value == 3.0f);
    CHECK(matrix.file_offset % 32 == 0);
    CHECK(matrix.bytes.data() == file.file->bytes().data() + matrix.file_offset);
    CHECK(file.find_tensor("blocks")->stored.dtype == "Q4_1");
    CHECK(file.find_tensor("blocks")->stored.shape == std::vector<int64_t>{3, 64});
    CHECK(file.find_tensor("blocks")->stored.bytes.size() == 120);
    CHECK(file.find_tensor("blocks")->stored.file_offset == matrix.file_offset + 32);
    CHECK(file.find_tensor("zero")->stored.bytes.empty());
    CHECK(file.find_tensor("bytes")->stored.file_offset == matrix.file_offset + 32 + 128);
    CHECK(file.find_tensor("nonesuch") == nullptr);
  }

  TEST_CASE("a value knows its key and its place") {
    const Gguf file =
        read_bytes(GgufBytes().u32_key("llama.block_count", 0).key("list", array, texts_bytes({"ab", "c"})).bytes());
    // 24 bytes of header, 8 + 17 of the key, 4 of the type.
    CHECK(names(error_of<FormatError>([&] { file.at("llama.block_count").integer(1, 1024); }),
                ": llama.block_count (at byte 53) is 0, expected 1 to 1024"));
    // Then 4 of the value, 8 + 4 + 4; the array's head takes 12, the first text 10.
    CHECK(
        names(error_of<FormatError>([&] { file.at("list").fail_at(1, "is wrong"); }), "list[1] (at byte 95) is wrong"));
    CHECK(names(error_of<FormatError>([&] { file.at("list").fail("is wrong"); }), "list (at byte 73) is wrong"));
    CHECK(names(error_of<FormatError>([&] { file.at("absent"); }), ": absent is missing"));
    CHECK(file.find("absent") == nullptr);
    CHECK(file.metadata[0].key() == "llama.block_count");
    CHECK_THROWS_AS(file.at("list").fail_at(2, ""), std::invalid_argument);
  }

  TEST_CASE("an f32 reads as the shortest decimal that means it") {
    for (const double decimal : {1e-5, 1e-6, 0.1, 500000.0, 1.0, -0.0, 3.4028235e38, 1e-45, 1.368888}) {
      CAPTURE(decimal);
      CHECK(read_bytes(file_with("k", f32, number_bytes(static_cast<float>(decimal))).bytes()).at("k").number() ==
            decimal);
    }
    CHECK(static_cast<double>(1e-5f) != 1e-5);  // what widening would have given
  }

  TEST_CASE("a value of another kind than is asked for is refused, with what it is") {
    const Gguf file = read_bytes(example().bytes());
    const auto error = [&](const char* key, const auto& action) {
      const std::string line = error_of<FormatError>([&] { action(file.at(key)); });
      CHECK(is_one_printable_line(line));
      CHECK(names(line, fmt::format(": {} (at byte ", key)));
      return line;
    };
    const auto integer = [](const GgufValue& value) { value.integer(0, 10); };
    const auto number = [](const GgufValue& value) { value.number(); };
    const auto truth = [](const GgufValue& value) { value.boolean(); };
    const auto text = [](const GgufValue& value) { value.text(); };
    const auto integers = [](const GgufValue& value) { value.integers(0, 10); };
    const auto numbers = [](const GgufValue& value) { value.numbers(); };
    const auto texts = [](const GgufValue& value) { value.texts(); };
    CHECK(names(error("a.text", integer), "is the text \"caf\xc3\xa9\", expected an integer"));
    CHECK(names(error("a.f32", integer), "is 1e-05, expected an integer"));
    CHECK(names(error("a.yes", integer), "is true, expected an integer"));
    CHECK(names(error("a.u8", integer), "is 200, expected 0 to 10"));
    CHECK(names(error("a.i64", integer), "is -1, expected 0 to 10"));
    CHECK(names(error("b.u8", integer), "is an array of 2 integers, expected an integer"));
    CHECK(names(error("a.no", number), "is false, expected a number"));
    CHECK(names(error("b.f32", number), "is an array of 2 numbers, expected a number"));
    CHECK(names(error("a.u8", truth), "is 200, expected true or false"));
    CHECK(names(error("a.u8", text), "is 200, expected a text"));
    CHECK(names(error("b.text", text), "is an array of 3 texts, expected a text"));
    CHECK(names(error("a.u8", integers), "is 200, expected an array of integers"));
    CHECK(names(error("b.f32", integers), "expected an array of integers"));
    CHECK(names(error("b.boolean", integers), "is an array of 3 booleans, expected an array of integers"));
    CHECK(names(error("b.i32", numbers), "is an array of 3 integers, expected an array of f32 or f64"));
    CHECK(names(error("b.u8", texts), "expected an array of texts"));
    CHECK(names(error("a.text", texts), "expected an array of texts"));
    CHECK(names(error_of<FormatError>([&] { integers(file.at("b.i32")); }), "b.i32[0] (at byte ",
                ") is -1, expected 0 to 10"));
    CHECK(names(error_of<FormatError>([&] { integers(file.at("b.u64")); }), "b.u64[0]", "is 9223372036854775807"));
  }

  TEST_CASE("numbers that are not finite are refused, and those that do not fit") {
    for (const float value : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
      const Gguf file = read_bytes(
          file_with("k", f32, number_bytes(value)).key("list", array, numbers_bytes<float>(f32, {1, value})).bytes());
      CHECK(names(error_of<FormatError>([&] { file.at("k").number(); }), "k (at byte 37) is ",
                  "expected a finite number"));
      CHECK(names(error_of<FormatError>([&] { file.at("list").numbers(); }), "list[1] (at byte 73) is "));
    }
    const Gguf large = read_bytes(
        file_with("k", u64, number_bytes(kMost)).key("list", array, numbers_bytes<double>(f64, {1e300})).bytes());
    CHECK(names(error_of<FormatError>([&] { large.at("k").integer(0, std::numeric_limits<int64_t>::max()); }),
                "is 18446744073709551615, expected 0 to 9223372036854775807"));
    CHECK(names(error_of<FormatError>([&] { large.at("list").numbers(); }), "list[0]", "is 1e+300"));
  }

  TEST_CASE("long values are shown short, and counts with commas") {
    GgufBytes file = file_with("long", text, text_bytes(std::string(500, 'x')));
    file.key("tokens", array, texts_bytes(std::vector<std::string>(49'152, "t")));
    file.key("one", array, texts_bytes({"t"})).u32_key("twelve", 12);
    const Gguf read = read_bytes(file.bytes());
    CHECK(read.at("long").shown() == "the text \"" + std::string(80, 'x') + "...\"");
    CHECK(read.at("tokens").shown() == "an array of 49,152 texts");
    CHECK(read.at("one").shown() == "an array of 1 text");
    CHECK(read.at("twelve").shown() == "12");
  }

  TEST_CASE("a file of versions 2 and 3 is read; all others are refused with their number") {
    for (const uint32_t version : {0u, 1u, 2u, 3u, 4u, 5u, 0x10000u, 0x01000000u, 0xffffffffu}) {
      GgufBytes file = example();
      file.version = version;
      const std::string error = refusal(file);
      CAPTURE(version);
      if (version == 2 || version == 3)
        CHECK(error == "(no error)");
      else
        CHECK(names(error, fmt::format("the version (at byte 4) is {}", version), "expected"));
      CHECK(names(error, "byte order looks reversed") == (version != 0 && version % 0x10000 == 0));
    }
    // A big-endian file of version 3, as its first bytes are.
    CHECK(names(refusal(from_hex("474755460000000300000000000000000000000000000000")), "50331648",
                "byte order looks reversed"));
  }

  TEST_CASE("what is no GGUF file is called so") {
    GgufBytes file;
    file.magic = "FUGG";
    CHECK(names(refusal(file), "is not a GGUF file", "\"FUGG\""));
    file.magic = "G\x1b\n\xff";
    CHECK(names(refusal(file), "is not a GGUF file", "\"G\\x1b\\x0a\\xff\""));
    CHECK(names(refusal("GGU"), "is not a GGUF file"));
    CHECK(names(refusal(""), "is empty"));
    CHECK(names(error_of<FormatError>([] { read_gguf("/nonesuch.gguf"); }), "/nonesuch.gguf", "no such file"));
  }

  TEST_CASE("a header alone is a file; counts are compared with the bytes that are left") {
    CHECK(refusal(GgufBytes()) == "(no error)");                                 // 24 bytes
    CHECK(refusal(GgufBytes().bytes() + std::string(8, '\0')) == "(no error)");  // padded
    GgufBytes file;
    for (const uint64_t count : {uint64_t{1}, uint64_t{1} << 40, kMost / 24 + 1, kMost / 2, kMost}) {
      CAPTURE(count);
      file.tensor_count = 0, file.key_count = count;
      CHECK(names(refusal(file), "the number of metadata keys (at byte 16) is", std::to_string(count),
                  "0 bytes are left"));
      file.tensor_count = count, file.key_count = 0;
      CHECK(names(refusal(file), "the number of tensors (at byte 8) is", std::to_string(count), "8 bytes are left"));
    }
    CHECK(names(refusal(from_hex("47475546030000000000000000000000ffffffffffffffff")), "18446744073709551615"));
    CHECK(names(refusal("GGUF"), "the version (at byte 4)", "0 are left"));
    CHECK(names(refusal(GgufBytes().bytes().substr(0, 20)), "the number of metadata keys (at byte 16)"));
  }

  TEST_CASE("keys: empty ones, ones that occur twice, and ones longer than the file are refused") {
    CHECK(names(refusal(GgufBytes().u32_key("a", 1).u32_key("", 1)), "metadata key 2 of 2 (at byte 41) is empty"));
    CHECK(names(refusal(GgufBytes().u32_key("a.b", 1).u32_key("c", 1).u32_key("a.b", 2)), "a.b (at byte 60)", "twice"));
    CHECK(refusal(GgufBytes().u32_key(std::string(65'536, 'k'), 1)) == "(no error)");
    std::string bytes = GgufBytes().u32_key("key", 1).bytes();
    for (const uint64_t length : {kMost, kMost / 2, uint64_t{12}, uint64_t{100}}) {
      bytes.replace(24, 8, number_bytes(length));
      CHECK(names(refusal(bytes), "metadata key 1 of 1 (at byte 24)", std::to_string(length), "11 are left"));
    }
  }

  TEST_CASE("types of metadata that do not exist are refused, as are arrays of arrays") {
    for (const uint32_t type : {13u, 14u, 255u, 0xffffffffu}) {
      CHECK(names(refusal(file_with("k", type, "\1")), "k (at byte 33) has the type", std::to_string(type), "0 to 12"));
      CHECK(names(refusal(file_with("k", array, array_bytes(type, 1, "\1"))), "k (at byte 37)", std::to_string(type)));
    }
    const std::string inner = array_bytes(u8, 1, "\1");
    CHECK(names(refusal(file_with("k", array, array_bytes(array, 1, inner))), "k (at byte 37)", "array of arrays"));
    CHECK(names(refusal(file_with("k", array, array_bytes(array, 0, ""))), "array of arrays"));
  }

  TEST_CASE("arrays and texts longer than the file are refused before anything is allocated") {
    for (const uint64_t count : {uint64_t{4}, (uint64_t{1} << 30) + 1, uint64_t{1} << 62, uint64_t{1} << 63, kMost}) {
      CAPTURE(count);
      CHECK(names(refusal(file_with("k", array, array_bytes(u32, count, std::string(15, '\1')))), "the length of k",
                  "(at byte 41)", std::to_string(count), "room for at most 3"));
      CHECK(names(refusal(file_with("k", array, array_bytes(boolean, count, "\1\1\1"))), "the length of k"));
      CHECK(names(refusal(file_with("k", array, array_bytes(text, count, std::string(31, '\0')))), "the length of k"));
      CHECK(names(refusal(file_with("k", text, number_bytes(count) + "abc")), "k (at byte 37) is a text of",
                  std::to_string(count), "3 are left"));
      CHECK(names(refusal(file_with("k", array, array_bytes(text, 1, number_bytes(count) + "abc"))), "a text of k",
                  "3 are left"));
    }
    const std::string five_of_which_one = array_bytes(text, 5, text_bytes(std::string(40, 'x')));
    CHECK(names(refusal(file_with("k", array, five_of_which_one)), "a text of k (at byte 97)"));
    CHECK(names(refusal(file_with("k", u32, "\1\1\1")), "k (at byte 37) takes 4 bytes, but only 3 are left"));
    CHECK(refusal(file_with("k", array, array_bytes(u32, 0, ""))) == "(no error)");
    CHECK(refusal(file_with("k", array, texts_bytes({}))) == "(no error)");
  }

  // The four cases that the format leaves open, as decided.
  TEST_CASE("every byte but 0 is true, in a boolean") {
    CHECK(read_bytes(file_with("k", boolean, "\2").bytes()).at("k").boolean());
    CHECK(read_bytes(file_with("k", boolean, "\xff").bytes()).at("k").boolean());
    CHECK(!read_bytes(file_with("k", boolean, std::string(1, '\0')).bytes()).at("k").boolean());
  }

  TEST_CASE("texts hold any bytes, and error lines show them so that a terminal is safe") {
    const std::string bytes("\0\xff\x1b[2J\n\"\xe2\x80\xa8", 11);
    const Gguf file = read_bytes(file_with("k", text, text_bytes(bytes)).bytes());
    CHECK(file.at("k").text() == bytes);
    CHECK(file.at("k").shown() == R"(the text "\x00\xff\x1b[2J\x0a\"\xe2\x80\xa8")");
    const Gguf odd_key = read_bytes(GgufBytes().u32_key("new\nline\xff", 1).bytes());
    CHECK(names(error_of<FormatError>([&] { odd_key.metadata[0].text(); }), R"(: new\x0aline\xff (at byte )"));
    CHECK(names(refusal(GgufBytes().u32_key("new\nline", 1).u32_key("new\nline", 1)), R"(: new\x0aline (at byte )"));
    CHECK(names(refusal(GgufBytes().tensor("a\tb", {1}, 31, "")), R"(tensor a\x09b )"));
  }

  TEST_CASE("bytes may follow the data, and the padding behind the last tensor may be missing") {
    CHECK(refusal(example().bytes() + "anything") == "(no error)");
    GgufBytes file = example();
    file.last_padding = false;
    CHECK(refusal(file) == "(no error)");
    CHECK(read_bytes(file.bytes()).find_tensor("bytes")->stored.bytes.size() == 5);
  }

  TEST_CASE("the alignment is a power of two in 32 bits without sign") {
    for (const uint32_t alignment : {1u, 2u, 4u, 8u, 64u, 4096u}) {
      GgufBytes file;
      file.alignment = alignment;
      file.u32_key("general.alignment", alignment).tensor("a", {3}, 24, "abc").tensor("b", {2}, 24, "de");
      const Gguf read = read_bytes(file.bytes());
      CHECK(read.alignment == alignment);
      const int64_t distance = read.tensors[1].stored.file_offset - read.tensors[0].stored.file_offset;
      CHECK(distance == (alignment == 1 ? 3 : alignment == 2 ? 4 : alignment));
      CHECK(static_cast<char>(read.tensors[1].stored.bytes[0]) == 'd');
    }
    for (const uint32_t alignment : {0u, 3u, 13u, 24u, 0xffffffffu})
      CHECK(names(refusal(GgufBytes().u32_key("general.alignment", alignment)), "general.alignment (at byte 53) is",
                  std::to_string(alignment), "power of two"));
    for (const uint32_t type : {i32, u64, i64})
      CHECK(names(refusal(file_with("general.alignment", type, number_bytes<uint64_t>(13))),
                  "general.alignment (at byte 53)", "wrong type"));
    CHECK(names(refusal(file_with("general.alignment", text, text_bytes("32"))), "wrong type"));
    CHECK(names(refusal(file_with("general.alignment", array, numbers_bytes<uint32_t>(u32, {32}))), "wrong type"));
    CHECK(names(refusal(from_hex("474755460300000000000000000000000100000000000000110000000000000067656e6572616c2e61"
                                 "6c69676e6d656e740400000000000000")),
                "general.alignment", "is 0"));
    CHECK(names(refusal(from_hex("474755460300000000000000000000000100000000000000110000000000000067656e6572616c2e61"
                                 "6c69676e6d656e740400000003000000")),
                "general.alignment", "is 3"));
    // The largest there is asks for padding that this file has not.
    CHECK(names(refusal(GgufBytes().u32_key("general.alignment", 0x80000000u).tensor("t", {1}, 24, "a")), "tensor t",
                "cut short"));
  }

  TEST_CASE("tensors laid out for another alignment than the file says are refused") {
    GgufBytes one, sixty_four;
    one.alignment = 1;
    one.tensor("a", {3}, 24, "abc").tensor("b", {3}, 24, std::string(100, 'b'));
    CHECK(names(refusal(one), "tensor b", "begins at byte 3 of the data, expected 32"));
    sixty_four.u32_key("general.alignment", 64).tensor("a", {20}, 24, std::string(20, 'a'));
    sixty_four.tensor("b", {3}, 24, std::string(200, 'b'));
    CHECK(names(refusal(sixty_four), "tensor b", "begins at byte 32 of the data, expected 64", "padding to 64"));
    GgufBytes thirteen;
    thirteen.alignment = 13;
    CHECK(names(refusal(thirteen.u32_key("general.alignment", 13).tensor("t", {3}, 24, "abc")), "power of two"));
  }

  TEST_CASE("tensors with holes, overlaps or in another order are refused") {
    const std::string data(64, 'x');
    const auto offsets = [&](uint64_t first, uint64_t second) {
      return refusal(GgufBytes().tensor("a", {20}, 24, data, first).tensor("b", {20}, 24, data, second));
    };
    CHECK(offsets(0, 32) == "(no error)");
    CHECK(names(offsets(32, 64), "tensor a (at byte ", "begins at byte 32 of the data, expected 0"));
    CHECK(names(offsets(4, 32), "tensor a", "begins at byte 4"));
    CHECK(names(offsets(0, 0), "tensor b", "begins at byte 0 of the data, expected 32"));
    CHECK(names(offsets(32, 0), "tensor a", "begins at byte 32"));
    CHECK(names(offsets(0, 20), "tensor b", "begins at byte 20"));
    CHECK(names(offsets(0, kMost), "tensor b", "18446744073709551615"));
    CHECK(names(offsets(kMost, 0), "tensor a", "18446744073709551615"));
  }

  TEST_CASE("names: at most 63 bytes, no two alike; an empty one is a name") {
    const auto with = [](std::string_view name) { return GgufBytes().tensor(name, {1}, 24, "x"); };
    CHECK(refusal(with("")) == "(no error)");
    CHECK(refusal(with(std::string(63, 'n'))) == "(no error)");
    CHECK(names(refusal(with(std::string(64, 'n'))), "the name of tensor 1 of 1 (at byte 24) has 64 bytes", "63"));
    CHECK(names(refusal(with(std::string(1000, 'n'))), "1000 bytes"));
    CHECK(
        names(refusal(with("my_tensor").tensor("my_tensor", {1}, 24, "x")), "tensor my_tensor (at byte 65)", "twice"));
    CHECK(names(refusal(with("").tensor("", {1}, 24, "x")), "the tensor without a name", "twice"));
    std::string bytes = with("name").bytes();
    bytes.replace(24, 8, number_bytes(kMost));
    CHECK(names(refusal(bytes), "the name of tensor 1 of 1 (at byte 24)", "18446744073709551615"));
  }

  TEST_CASE("shapes: up to four dimensions of 0 or more") {
    CHECK(refusal(tensor_of({}, 0, 4)) == "(no error)");
    CHECK(read_bytes(tensor_of({}, 0, 4).bytes()).tensors[0].stored.shape.empty());
    CHECK(refusal(tensor_of({2, 0}, 0, 0)) == "(no error)");
    CHECK(refusal(tensor_of({0}, 2, 0)) == "(no error)");
    CHECK(refusal(tensor_of({2, 1, 1, 2}, 0, 16)) == "(no error)");
    CHECK(names(refusal(tensor_of({1, 1, 1, 1, 1}, 0, 4)), "tensor t (at byte 33) has 5 dimensions", "at most 4"));
    CHECK(names(refusal(tensor_of({-1}, 0, 4)), "tensor t (at byte 37) has the dimension -1"));
    CHECK(names(refusal(tensor_of({-1, -1, -1, -1}, 0, 4)), "has the dimension -1"));
    CHECK(names(refusal(tensor_of({1, std::numeric_limits<int64_t>::min()}, 0, 4)), "tensor t (at byte 45)"));
    std::string bytes = tensor_of({1}, 0, 4).bytes();
    bytes.replace(33, 4, number_bytes(kMost).substr(0, 4));
    CHECK(names(refusal(bytes), "has 4294967295 dimensions"));
  }

  TEST_CASE("sizes beyond 64 bits are refused, not wrapped") {
    const int64_t large = 4 * (int64_t{0x7fffffff});
    CHECK(names(refusal(tensor_of({large, large}, 24, 4)), "tensor t", "64 bits"));
    CHECK(names(refusal(tensor_of({large, large, large, large}, 24, 4)), "64 bits"));
    CHECK(names(refusal(tensor_of({large, large, 0}, 24, 0)), "64 bits"));  // a 0 excuses nothing
    const int64_t root = 1'526'000'000;                                     // squared and in 8 bytes: 1.01 times 2^64
    CHECK(names(refusal(tensor_of({root, root}, 27, 4)), "64 bits"));
    CHECK(names(refusal(tensor_of({int64_t{1} << 62}, 27, 4)), "64 bits"));
    CHECK(names(refusal(tensor_of({int64_t{1} << 62}, 24, 4)), "tensor t", "takes 4611686018427387904 bytes",
                "cut short"));
    // Two of 2^63 - 64 bytes: each could be counted, their sum could not.
    const int64_t half = 0x7fffffffffffffc0;
    GgufBytes two;
    two.tensor("a", {half}, 24, std::string(32, 'x')).tensor("b", {half}, 24, "", static_cast<uint64_t>(half));
    CHECK(names(refusal(two), "tensor b", "64 bits"));
    CHECK(names(refusal(tensor_of({std::numeric_limits<int64_t>::max()}, 24, 32)), "tensor t", "64 bits"));  // padded
  }

  TEST_CASE("every type of tensor has its block; rows fill whole blocks") {
    for (uint32_t id = 0; id < kGgmlTypes.size(); ++id) {
      const GgmlType& type = kGgmlTypes[id];
      if (type.block_bytes == 0) continue;
      CAPTURE(id);
      const auto bytes = static_cast<size_t>(type.block_bytes);
      const Gguf file = read_bytes(tensor_of({2 * type.block_values, 3}, id, 6 * bytes).bytes());
      CHECK(file.tensors[0].stored.dtype == type.name);
      CHECK(file.tensors[0].stored.bytes.size() == 6 * bytes);
      if (type.block_values == 1) continue;
      for (const int64_t row : {type.block_values + 1, type.block_values - 1, type.block_values / 2})
        CHECK(names(refusal(tensor_of({row, 2 * type.block_values}, id, 6 * bytes)),
                    "tensor t (at byte 37) has rows of",
                    fmt::format("{} values, expected a multiple of {}", row, type.block_values)));
      CHECK(names(refusal(tensor_of({}, id, bytes)), "rows of 1 values"));
    }
    // A few, spelt out: the table could be wrong.
    CHECK(read_bytes(tensor_of({64, 3}, 3, 120).bytes()).tensors[0].stored.bytes.size() == 120);
    CHECK(read_bytes(tensor_of({256}, 14, 210).bytes()).tensors[0].stored.bytes.size() == 210);
    CHECK(read_bytes(tensor_of({3}, 28, 24).bytes()).tensors[0].stored.bytes.size() == 24);
    CHECK(read_bytes(tensor_of({64}, 40, 36).bytes()).tensors[0].stored.dtype == "NVFP4");
  }

  TEST_CASE("types of tensors that the format took out or never had are refused by number and name") {
    const std::pair<uint32_t, const char*> gone[] = {{4, "Q4_2"},        {5, "Q4_3"},       {31, "Q4_0_4_4"},
                                                     {32, "Q4_0_4_8"},   {33, "Q4_0_8_8"},  {36, "IQ4_NL_4_4"},
                                                     {37, "IQ4_NL_4_8"}, {38, "IQ4_NL_8_8"}};
    for (const auto& type : gone)
      CHECK(names(refusal(tensor_of({256}, type.first, 256)), "tensor t (at byte 45) has the type",
                  fmt::format("{} ({})", type.first, type.second)));
    for (const uint32_t id : {43u, 44u, 1000u, 0xffffffffu})
      CHECK(names(refusal(tensor_of({256}, id, 256)), "tensor t (at byte 45) has the type", std::to_string(id)));
  }

  TEST_CASE("a file cut anywhere before its last padding is refused, and says so") {
    GgufBytes unpadded = example();
    unpadded.last_padding = false;
    const std::string whole = example().bytes();
    const size_t needed = unpadded.bytes().size();
    REQUIRE(needed < whole.size());
    for (size_t bytes = 0; bytes <= whole.size(); ++bytes) {
      CAPTURE(bytes);
      const std::string error = refusal(whole.substr(0, bytes));
      if (bytes >= needed)
        REQUIRE(error == "(no error)");
      else if (bytes == 0)
        REQUIRE(names(error, "is empty"));
      else if (bytes < 4)
        REQUIRE(names(error, "is not a GGUF file"));
      else
        REQUIRE(names(error, "(at byte ", "cut short"));
    }
    // Cut inside a tensor, or at the boundary before it: the tensor that lacks is named.
    CHECK(names(refusal(whole.substr(0, needed - 1)), "tensor bytes", "takes 5 bytes"));
    CHECK(names(refusal(whole.substr(0, needed - 5)), "tensor bytes"));
    CHECK(names(refusal(whole.substr(0, needed - 6)), "tensor zero"));
    CHECK(names(refusal(whole.substr(0, needed - 5 - 128)), "tensor blocks"));
    // Descriptions that end with the file: there are no data, not even the padding before them.
    CHECK(names(refusal(tensor_of({0}, 0, 0).bytes().substr(0, 57)), "tensor t", "cut short"));
  }

  TEST_CASE("a file with a few damaged bytes loads or is refused in one line, and nothing else happens") {
    const std::string whole = example().bytes();
    Random random(23);
    int loaded = 0;
    for (int round = 0; round < 4000; ++round) {
      std::string damaged = whole;
      for (int64_t i = random.below(3); i >= 0; --i)
        damaged[static_cast<size_t>(random.below(std::ssize(whole)))] = static_cast<char>(random.below(256));
      const MemoryFile file(damaged);
      const std::string error = error_of<FormatError>([&] {
        for (const GgufValue& value : read_gguf(file.path()).metadata) value.shown();
      });
      loaded += error == "(no error)";
      CHECK(is_one_printable_line(error));
    }
    CHECK(loaded > 0);
    CHECK(loaded < 4000);
  }
}

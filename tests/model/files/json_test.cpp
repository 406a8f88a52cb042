#include "model/files/json.h"

#include <doctest/doctest.h>

#include "model/error.h"
#include "tests/support/error_of.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;

namespace {

JsonValue parsed(std::string_view text) { return JsonValue::parse("some.json", text); }

std::string refusal(std::string_view text) {
  return error_of<FormatError>([&] { parsed(text); });
}

template <class Action>
std::string complaint(std::string_view text, const Action& action) {
  return error_of<FormatError>([&] { action(parsed(text)); });
}

const auto count = [](const JsonValue& value) { value.at("n").integer(0, 1000); };

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("values come out as they stand in the text, with their names") {
    const JsonValue document = parsed(R"({"a": {"b": [1, 2.5, true, "x"]}, "none": null})");
    const auto list = document.at("a").at("b").elements();
    CHECK(list[0].integer(0, 9) == 1);
    CHECK(list[0].number() == 1.0);
    CHECK(list[1].number() == 2.5);
    CHECK(list[2].boolean());
    CHECK(list[3].text() == "x");
    CHECK(list[3].name() == "a.b[3]");
    CHECK(document.fields().size() == 2);
  }

  TEST_CASE("null counts as absent for find, but not for contains") {
    const JsonValue document = parsed(R"({"none": null})");
    CHECK(!document.find("none"));
    CHECK(!document.find("other"));
    CHECK(document.contains("none"));
    CHECK(!document.contains("other"));
    CHECK(names(error_of<FormatError>([&] { document.at("none"); }), "some.json", "none is null"));
    CHECK(names(error_of<FormatError>([&] { document.at("other"); }), "other is missing"));
  }

  TEST_CASE("64-bit integers are exact, and larger ones are refused, not rounded") {
    CHECK(parsed("[9007199254740993]").elements()[0].integer(0, INT64_MAX) == 9007199254740993);
    CHECK(parsed("[9223372036854775807]").elements()[0].integer(0, INT64_MAX) == INT64_MAX);
    CHECK(parsed("[-9223372036854775808]").elements()[0].integer(INT64_MIN, 0) == INT64_MIN);
    CHECK(names(complaint(R"({"n": 18446744073709551615})", count), "n is 18446744073709551615", "0 to 1000"));
    CHECK(names(complaint(R"({"n": 36893488147419103232})", count), "expected an integer"));
  }

  TEST_CASE("a value of the wrong kind is refused, with name, expected and actual") {
    CHECK(names(complaint(R"({"n": "8"})", count), "some.json: n is the string \"8\", expected an integer"));
    CHECK(names(complaint(R"({"n": 8.0})", count), "n is 8.0, expected an integer"));
    CHECK(names(complaint(R"({"n": 1e2})", count), "n is 100.0, expected an integer"));
    CHECK(names(complaint(R"({"n": true})", count), "n is true, expected an integer"));
    CHECK(names(complaint(R"({"n": [8]})", count), "n is an array, expected an integer"));
    CHECK(names(complaint(R"({"n": -1})", count), "n is -1, expected 0 to 1000"));
    CHECK(names(complaint(R"({"n": 1001})", count), "n is 1001, expected 0 to 1000"));
    CHECK(names(complaint(R"({"n": 1})", [](const JsonValue& v) { v.at("n").boolean(); }), "true or false"));
    CHECK(names(complaint(R"({"n": 1})", [](const JsonValue& v) { v.at("n").text(); }), "a string"));
    CHECK(names(complaint(R"({"n": "1.5"})", [](const JsonValue& v) { v.at("n").number(); }), "a number"));
    CHECK(names(complaint(R"({"n": 1})", [](const JsonValue& v) { v.at("n").at("m"); }), "n is 1, expected an object"));
    CHECK(names(complaint("[]", [](const JsonValue& v) { v.at("n"); }), "is an array"));
    CHECK(names(complaint("{}", [](const JsonValue& v) { v.elements(); }), "expected an array"));
  }

  TEST_CASE("a key that occurs twice is refused by name, at any depth") {
    CHECK(names(refusal(R"({"a": 1, "b": 2, "a": 1})"), "some.json", "\"a\"", "twice"));
    CHECK(names(refusal(R"({"x": [{"deep": 1, "deep": 2}]})"), "\"deep\""));
    CHECK(refusal(R"({"a": {"k": 1}, "b": {"k": 1}})") == "(no error)");
  }

  TEST_CASE("what is not JSON is refused, with the byte") {
    CHECK(names(refusal(R"({"a": 1,})"), "not valid JSON at byte 9 of 9"));
    CHECK(names(refusal(""), "not valid JSON"));
    CHECK(names(refusal(R"({"a": 1} x)"), "byte"));
    CHECK(names(refusal("{\"a\": \"\xFF\"}"), "byte"));
    for (const char* number : {"Infinity", "-Infinity", "NaN", "0x10", "01", "+1", ".5", "1."})
      CHECK(names(refusal(R"({"a": )" + std::string(number) + "}"), "not valid JSON"));
    CHECK(names(refusal(R"({"a": 1e999})"), "too large"));
  }

  TEST_CASE("names out of the file stand in one printable line, cut when they are long") {
    const JsonValue value = parsed(R"({"a\nb": 1, "\u001b[2J": [true], "\u2028": null})");
    CHECK(names(error_of<FormatError>([&] { value.at("a\nb").text(); }), R"(a\x0ab is 1)"));
    CHECK(names(error_of<FormatError>([&] { value.at("\x1b[2J").elements()[0].text(); }), R"(: \x1b[2J[0] is true)"));
    CHECK(names(error_of<FormatError>([&] { value.at("\u2028"); }), R"(: \xe2\x80\xa8 is null)"));
    CHECK(names(error_of<FormatError>([&] { value.at("x\ty"); }), R"(: x\x09y is missing)"));
    CHECK(names(refusal(R"({"a\nb": 1, "a\nb": 2})"), R"("a\x0ab" occurs twice)"));
    CHECK(names(refusal(R"({"a\nb": 1e999})"), R"(a\x0ab holds a number)"));
    const std::string long_name(10'000, 'k');
    CHECK(error_of<FormatError>([&] { parsed("{}").at(long_name); }).size() < 300);
  }

  TEST_CASE("brackets without end are refused before they cost anything") {
    CHECK(names(refusal(std::string(1'000'000, '[')), "nested"));
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
    CHECK(names(refusal(objects), "nested"));
    CHECK(refusal(std::string(50, '[') + std::string(50, ']')) == "(no error)");
  }

  TEST_CASE("a value outlives the document it came from") {
    const JsonValue inner = parsed(R"({"a": {"b": "still here"}})").at("a").at("b");
    CHECK(inner.text() == "still here");
  }
}

#include "model/jinja_outline.h"

#include <doctest/doctest.h>

#include "model/random.h"

using namespace kv;

namespace {

bool same(std::string_view a, std::string_view b) {
  const auto first = outline_of_jinja(a), second = outline_of_jinja(b);
  REQUIRE(first);
  REQUIRE(second);
  return first->fingerprint == second->fingerprint;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("two spellings of one Jinja program have one outline") {
    CHECK(same("{{ a['b'] }}", "{{a[\"b\"]}}"));
    CHECK(same("{{ a.b }}", "{{ a['b'] }}"));
    CHECK(same("{{ 'x\\n' }}", "{{ \"x\n\" }}"));
    CHECK(same("{{ 'it\\'s' }}", "{{ \"it's\" }}"));
    CHECK(same("{% if a %}b{% endif %}", "{%if a%}b{%endif%}"));
    CHECK(same("{# why #}{{ a }}", "{{ a }}"));
    CHECK(same("{% if a %}\nb{% endif %}\n", "{% if a %}b{% endif %}"));       // trim_blocks; the last line feed
    CHECK(same("  {% if a %}b\n  {% endif %}", "{% if a %}b\n{% endif %}"));   // lstrip_blocks
    CHECK(same("{% if a -%}  \n b  {%- endif %}", "{% if a %}b{% endif %}"));  // minus signs
    CHECK(same("{{ a -}}\n {{ b }}", "{{ a }}{{ b }}"));
    CHECK(same("{#- x -#}\n{{ a }}", "{{ a }}"));
  }

  TEST_CASE("two programs have two outlines") {
    CHECK(!same("{{ a }}", "{{ b }}"));
    CHECK(!same("{{ a }}", "{{ 'a' }}"));
    CHECK(!same("{{ a }}", "{{ a }} "));
    CHECK(!same("{{ a }} {{ b }}", "{{ a }}{{ b }}"));
    CHECK(!same("{{ a }}\n\n", "{{ a }}"));  // a line feed behind an output is printed
    CHECK(!same("x {% if a %}b{% endif %}", "x{% if a %}b{% endif %}"));
    CHECK(!same("{{ a.strip() }}", "{{ a['strip']() }}"));
    CHECK(!same("{{ 'ab' }}", "{{ 'a' 'b' }}"));
    CHECK(!same("{% if a %}{% endif %}", "{{ if a }}{{ endif }}"));
    CHECK(!same("{{ {'a': 1} }}", "{{ {'a': 2} }}"));
  }

  TEST_CASE("the sentence that a ChatML template puts in may differ, and is told") {
    const auto with = [](const std::string& sentence) {
      return "{% if a %}{{ '<|im_start|>system\\n" + sentence + "<|im_end|>\\n' }}{% else %}{{ '" + sentence +
             "' }}{% endif %}";
    };
    CHECK(same(with("Be good."), with("Be brief.")));
    CHECK(outline_of_jinja(with("Be good."))->default_system == "Be good.");
    CHECK(outline_of_jinja("{{ '<|im_start|>system\\n' }}")->default_system.empty());
    CHECK(!same(with("Be good."), with("")));
  }

  TEST_CASE("brackets and quotes hide what looks like the end of a tag") {
    CHECK(!same("{{ '}}' }}x", "{{ '}' }}x"));
    CHECK(same("{{ {'a': {'b': 1}} }}", "{{ {'a': {'b': 1} } }}"));
    CHECK(same("{% set a = '%}' %}", "{% set a = \"%}\" %}"));
  }

  TEST_CASE("what cannot be taken apart has no outline") {
    for (const char* text : {"{{ a", "{% a", "{# a", "{{ 'a }}", "{{ '\\x41' }}", "{{ a ? b }}", "{%+ if a %}", "a\r\n",
                             "{{ \u00E9 }}", "{{", "{%", "{#", "{{ a '"}) {
      CAPTURE(text);
      CHECK(!outline_of_jinja(text));
    }
    CHECK(outline_of_jinja(""));
    CHECK(outline_of_jinja("{"));
    CHECK(outline_of_jinja("a { b } %} c"));
    CHECK(!outline_of_jinja(std::string(65537, 'a')));
    CHECK(outline_of_jinja(std::string(65536, 'a')));
  }

  TEST_CASE("no text does any harm") {
    Random random(7);
    for (int round = 0; round < 20000; ++round) {
      std::string text;
      for (int64_t left = random.below(30); left > 0; --left)
        text += std::string_view("{{}}%%##--+'\"\\n\n .a1[]()=")[static_cast<size_t>(random.below(25))];
      outline_of_jinja(text);
    }
  }
}

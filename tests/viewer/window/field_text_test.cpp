// The prompt's text field: what Dear ImGui's 16 bits and a single line cannot hold comes through as bytes.
#include "viewer/window/field_text.h"

#include <doctest/doctest.h>

#include "model/utf8_stream.h"
#include "tests/support/imgui_frame.h"

using namespace kv::viewer;

namespace {

// Dear ImGui 1.86 goes by its back end's numbers, which are its own names here; later versions queue events.
void press(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().KeyCtrl = down;
  ImGui::GetIO().KeysDown[key] = down;
#else
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
  ImGui::GetIO().AddKeyEvent(key, down);
#endif
}

// What a field holds after a prompt was put into it and a text pasted behind it, without any help or with ours.
std::string pasted(const std::string& prompt, std::string clipboard) {
  GuiWithoutWindow window{Fonts({}, "")};
  Frame frame;
  frame.prompt_field = {0, 0, 300, 30};
  ViewState view;
  view.window = {0, 0, 400, 300};
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = &clipboard;
  io.GetClipboardTextFn = [](void* text) { return static_cast<const std::string*>(text)->c_str(); };
  window.prompt = {prompt, true, false};
  for (int i = 0; i < 3; ++i) window.show(frame, view);
  press(ImGuiKey_End, true);
  window.show(frame, view);
  press(ImGuiKey_End, false);
  window.show(frame, view);
  press(ImGuiKey_V, true);
  for (int i = 0; i < 3; ++i) window.show(frame, view);  // a later version takes one event a frame
  press(ImGuiKey_V, false);
  window.show(frame, view);
  return window.prompt.text;
}

}  // namespace

TEST_SUITE("field text") {
  TEST_CASE("what a field would lose stands in it as bytes, all else as it is") {
    CHECK(field_text("") == "");
    CHECK(field_text("Mr. Darcy, \"caf\u00e9\" \u4f60\u597d") == "Mr. Darcy, \"caf\u00e9\" \u4f60\u597d");
    CHECK(field_text("a\U0001F600b") == "a<F0 9F 98 80>b");
    CHECK(field_text("one\ntwo\r\n\tthree") == "one<0A>two<0D><0A><09>three");
    CHECK(field_text("\ue000") == "<EE 80 80>");
    CHECK(field_text("1 < 2 <b>") == "1 < 2 <b>");
  }

  TEST_CASE("a prompt comes back from its field as it was, whatever it holds") {
    for (const std::string prompt :
         {"", "plain", "caf\u00e9 \u4f60", "\U0001F600", "\U0001F468\u200D\U0001F469\U0001F3FD", "a\nb\n", "<0A>",
          "<3C>0A>", "<<0A>>", "<3C><3C>0A>", "<F0 9F 98 80>", "x<10>y", "< 0A>", "<0A", "<", "\xF0\x9F", "\xFF<0A>"})
      CHECK_MESSAGE(prompt_of_field(field_text(prompt)) == prompt, prompt);
  }

  TEST_CASE("no field text holds what Dear ImGui drops") {
    for (char32_t code = 1; code < 0x110000; code += code < 0x300 ? 1 : 97) {
      if (code >= 0xD800 && code < 0xE000) continue;
      std::string character;
      if (code < 0x80) {
        character = {static_cast<char>(code)};
      } else {
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        constexpr int kLead[] = {0, 0xC0, 0xE0, 0xF0};
        character = {static_cast<char>(kLead[more] | static_cast<int>(code >> (6 * more)))};
        for (int i = more - 1; i >= 0; --i)
          character += static_cast<char>(0x80 | static_cast<int>((code >> (6 * i)) & 0x3F));
      }
      const std::string text = field_text(character);
      REQUIRE(prompt_of_field(text) == character);
      for (std::string_view rest = text; !rest.empty();) {
        const size_t bytes = kv::first_utf8_piece(rest).bytes;
        const char32_t held = kv::code_point_of(rest.substr(0, bytes));
        REQUIRE(held <= 0xFFFF);
        REQUIRE(held != '\n');
        rest.remove_prefix(bytes);
      }
    }
  }

  TEST_CASE("bytes may be typed as the screen shows them; what is no character, or plain ASCII, stays text") {
    CHECK(prompt_of_field("<F0 9F 98 80 0A>") == "\U0001F600\n");
    CHECK(prompt_of_field("<E4 BD A0>") == "\u4f60");
    for (const char* text : {"<F0 9F 98>", "<80>", "<FF>", "<C0 80>", "<ED A0 80>", "<F0 9F 98 80", "<F09F9880>",
                             "<f0 9f 98 80>", "<0A >", "< 0A>", "<0A  0A>", "<>", "<10>", "<42>", "<00>", "<3E>"})
      CHECK_MESSAGE(prompt_of_field(text) == text, text);
  }

  TEST_CASE("what is pasted reaches the prompt") {
    const std::string emoji = "Emma \U0001F600\nsaid";
    CHECK(prompt_of_field(pasted(field_text(emoji), "")) == emoji);
    CHECK(prompt_of_field(pasted("", field_text(emoji))) == emoji);
    CHECK(prompt_of_field(pasted(field_text(emoji), field_text(emoji))) == emoji + emoji);
    CHECK(pasted("", emoji) != emoji);  // or nobody would need all this
  }
}

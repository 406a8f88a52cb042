#include "viewer/window/settings.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/support/temporary_folder.h"
#include "viewer/window/export_file.h"

using namespace kv::viewer;
using kv::test::TemporaryFolder;

namespace {

// An environment variable for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace

TEST_SUITE("settings") {
  TEST_CASE("they lie in XDG_CONFIG_HOME, else in ~/.config, else nowhere") {
    const Variable home("HOME", "/home/reader");
    const Variable config("XDG_CONFIG_HOME", "/configuration");
    CHECK(settings_file() == "/configuration/kvlab/viewer.json");
    ::unsetenv("XDG_CONFIG_HOME");
    CHECK(settings_file() == "/home/reader/.config/kvlab/viewer.json");
    ::setenv("HOME", "here", 1);  // relative: that would be the current folder
    CHECK_FALSE(settings_file());
    ::unsetenv("HOME");
    CHECK_FALSE(settings_file());
  }

  TEST_CASE("what was written is read again") {
    const TemporaryFolder folder;
    const auto file = folder / "deep" / "down" / "viewer.json";
    const Settings settings{Theme::light, false, true, 32};
    CHECK(write_settings(file, settings));
    CHECK(read_settings(file) == settings);
    CHECK(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}) == 1);  // no draft is left
  }

  TEST_CASE("a file that is missing, broken or of another shape gives the defaults") {
    const TemporaryFolder folder;
    CHECK(read_settings(std::nullopt) == Settings{});
    CHECK(read_settings(folder / "nonesuch") == Settings{});
    for (const char* text : {"", "{", "[1]", "null", R"({"theme": 3, "panel": "no", "speed": "fast"})",
                             R"({"speed": 1e9})", R"({"speed": -1})"})
      CHECK(read_settings(folder.write("viewer.json", text)) == Settings{});
    CHECK(read_settings(folder.write("viewer.json", R"({"theme": "light", "speed": true})")).theme == Theme::light);
  }

  TEST_CASE("where nothing can be written nothing happens") {
    const TemporaryFolder folder;
    CHECK_FALSE(write_settings(std::nullopt, {}));
    CHECK_FALSE(write_settings(folder.write("a file", "") / "viewer.json", {}));
    CHECK_FALSE(write_settings("/dev/null/viewer.json", {}));
  }

  TEST_CASE("an exported picture goes to the pictures, else to the home folder, and overwrites nothing") {
    const TemporaryFolder folder;
    const Variable home("HOME", folder.path().c_str());
    const Variable pictures("XDG_PICTURES_DIR", nullptr);
    CHECK(export_file(Scene::growth, 98) == folder / "kvlab-growth-step-98.png");
    std::filesystem::create_directory(folder / "Pictures");
    CHECK(export_file(Scene::attention, 0) == folder / "Pictures" / "kvlab-attention-step-0.png");
    folder.write("Pictures/kvlab-growth-step-98.png", "");
    CHECK(export_file(Scene::growth, 98) == folder / "Pictures" / "kvlab-growth-step-98-2.png");
    ::unsetenv("HOME");
    CHECK(export_file(Scene::growth, 1).is_absolute());
  }
}

#include "model/files/mapped_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "model/error.h"
#include "tests/support/error_of.h"
#include "tests/support/temporary_folder.h"

using namespace kv;
using kv::test::error_of;
using kv::test::names;
using kv::test::TemporaryFolder;

namespace {

std::string refusal(const std::filesystem::path& path) {
  return error_of<FormatError>([&] { MappedFile::open(path); });
}

}  // namespace

TEST_SUITE("model/files") {
  TEST_CASE("a mapped file holds the file's bytes, zeros among them") {
    const TemporaryFolder folder;
    const std::string bytes("ab\0c", 4);
    CHECK(MappedFile::open(folder.write("file", bytes))->text() == bytes);
  }

  TEST_CASE("the bytes stay after the file is deleted, for as long as someone holds them") {
    const TemporaryFolder folder;
    const auto path = folder.write("file", "still here");
    const auto file = MappedFile::open(path);
    std::filesystem::remove(path);
    CHECK(file->text() == "still here");
  }

  TEST_CASE("what cannot be mapped is refused, with its name and the reason") {
    const TemporaryFolder folder;
    CHECK(names(refusal(folder / "absent"), (folder / "absent").string(), "no such file"));
    CHECK(names(refusal(folder.path()), "folder"));
    CHECK(names(refusal(folder.write("nothing", "")), "empty"));
    CHECK(names(refusal(folder.write("file", "x") / "below"), "cannot be opened"));
  }

  TEST_CASE("a named pipe is refused instead of waited for") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(names(refusal(folder / "pipe"), "not a regular file"));
  }

  TEST_CASE("a file without permission is refused") {
    const TemporaryFolder folder;
    const auto path = folder.write("secret", "x");
    std::filesystem::permissions(path, std::filesystem::perms::none);
    if (::geteuid() != 0) CHECK(names(refusal(path), "cannot be opened"));  // root may read everything
  }
}

// MappedFile: a file's bytes as memory, read-only.
//
// Weights are used where they lie in the file: nothing is copied, pages come in when they are first read, and several
// programs share them. Views into the file keep it alive through the shared pointer.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace kv {

class MappedFile {
 public:
  // Throws FormatError when the file is absent, empty, not readable, or not a regular file.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // The pages that lie wholly in these bytes leave memory; read again, they come from the file once more. Bytes of
  // anybody else are left alone.
  void let_go(std::span<const std::byte> bytes) const;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace kv

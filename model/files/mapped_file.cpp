#include "model/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "model/error.h"

namespace kv {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw FormatError(path.string(), what);
}

std::string system_message(int error) { return std::generic_category().message(error); }

// Closes the descriptor when it goes; the mapping outlives it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) {
    if (errno == ENOENT) fail(path, "there is no such file");
    fail(path, "cannot be opened: " + system_message(errno));
  }
  struct stat status = {};
  if (::fstat(file.number, &status) != 0) fail(path, "cannot be examined: " + system_message(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "is a folder, expected a file");
  if (!S_ISREG(status.st_mode)) fail(path, "is not a regular file");
  if (status.st_size == 0) fail(path, "is empty");

  const auto size = static_cast<size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED) fail(path, "cannot be mapped into memory: " + system_message(errno));
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(address), size}));
}

void MappedFile::let_go(std::span<const std::byte> bytes) const {
  const auto address = [](const std::byte* at) { return reinterpret_cast<uintptr_t>(at); };
  const uintptr_t begin = address(bytes.data()), end = begin + bytes.size();
  if (begin < address(bytes_.data()) || end > address(bytes_.data()) + bytes_.size()) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last)
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);  // advice: failure is harmless
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

}  // namespace kv

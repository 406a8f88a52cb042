// libFuzzer's entry: compiled once for each target, whose function KVLAB_FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kv::fuzz::KVLAB_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}

// The types of tensors in GGUF files, by the numbers that the format gives them (github.com/ggml-org/ggml,
// include/ggml.h and src/ggml-common.h). A type stores the values of a row in blocks of equal size. This table knows
// how large blocks are, not what is in them: that is known for some types, in model/blocks.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kv {

struct GgmlType {
  std::string_view name;
  int64_t block_values;  // 1 for types that store each value by itself
  int64_t block_bytes;   // 0: the format once had this type, and no longer does
};

// By id.
inline constexpr std::array<GgmlType, 43> kGgmlTypes = {{
    {"F32", 1, 4},        {"F16", 1, 2},        {"Q4_0", 32, 18},     {"Q4_1", 32, 20},      // 0 to 3
    {"Q4_2", 0, 0},       {"Q4_3", 0, 0},       {"Q5_0", 32, 22},     {"Q5_1", 32, 24},      // 4 to 7
    {"Q8_0", 32, 34},     {"Q8_1", 32, 36},     {"Q2_K", 256, 84},    {"Q3_K", 256, 110},    // 8 to 11
    {"Q4_K", 256, 144},   {"Q5_K", 256, 176},   {"Q6_K", 256, 210},   {"Q8_K", 256, 292},    // 12 to 15
    {"IQ2_XXS", 256, 66}, {"IQ2_XS", 256, 74},  {"IQ3_XXS", 256, 98}, {"IQ1_S", 256, 50},    // 16 to 19
    {"IQ4_NL", 32, 18},   {"IQ3_S", 256, 110},  {"IQ2_S", 256, 82},   {"IQ4_XS", 256, 136},  // 20 to 23
    {"I8", 1, 1},         {"I16", 1, 2},        {"I32", 1, 4},        {"I64", 1, 8},         // 24 to 27
    {"F64", 1, 8},        {"IQ1_M", 256, 56},   {"BF16", 1, 2},       {"Q4_0_4_4", 0, 0},    // 28 to 31
    {"Q4_0_4_8", 0, 0},   {"Q4_0_8_8", 0, 0},   {"TQ1_0", 256, 54},   {"TQ2_0", 256, 66},    // 32 to 35
    {"IQ4_NL_4_4", 0, 0}, {"IQ4_NL_4_8", 0, 0}, {"IQ4_NL_8_8", 0, 0}, {"MXFP4", 32, 17},     // 36 to 39
    {"NVFP4", 64, 36},    {"Q1_0", 128, 18},    {"Q2_0", 64, 18},                            // 40 to 42
}};

}  // namespace kv

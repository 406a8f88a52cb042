// The text of fetch.py, which does the work of `kvlab fetch`.
#pragma once

namespace kv::cli {

extern const char* const kFetchScript;

}  // namespace kv::cli

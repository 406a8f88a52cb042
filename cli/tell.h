// tell(): a line for the person, on stderr. When that cannot be written there is nobody to tell, and the work goes on.
#pragma once

#include <cstdio>
#include <string>

namespace kv::cli {

inline void tell(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

}  // namespace kv::cli

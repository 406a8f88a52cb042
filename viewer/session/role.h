// Role: what a stored vector is.
#pragma once

#include <string_view>

namespace kv::viewer {

enum class Role { key, value, latent, rope_key };
std::string_view name_of(Role role);  // "K", "V", "latent", "rope key"

}  // namespace kv::viewer

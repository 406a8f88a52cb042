// The two equal forms of latent attention (latent_attention.h).
#pragma once

namespace kv::cpu {

enum class LatentForm { absorbed, materialised };

}  // namespace kv::cpu

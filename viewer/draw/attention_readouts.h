// The numbers beside the bars: the tokens that are read most, what is read, and with latent attention its two forms.
#pragma once

#include "viewer/draw/attention_memory.h"
#include "viewer/draw/attention_scene.h"

namespace kv::viewer {

inline constexpr int64_t kMostRead = 8;  // rows of the table at most

// Bytes of the shown layer that the chosen head reads in the step: of its KV head, or of the latents.
int64_t bytes_read_by_head(const LaneView& lane, const AttentionSubject& subject, const AttentionWeights& weights);
// FLOPs of the whole step in one form, predicted.
int64_t flops_in_form(const LaneView& lane, int64_t step, cpu::LatentForm form, bool cache_on);

void draw_attention_readouts(Picture& picture, const AttentionScene& scene, AttentionMemory& memory);

}  // namespace kv::viewer

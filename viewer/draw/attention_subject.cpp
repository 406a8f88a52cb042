#include "viewer/draw/attention_subject.h"

#include <algorithm>

#include "viewer/session/attention_view.h"

namespace kv::viewer {

int64_t AttentionSubject::column_of(int64_t position) const {
  if (!by_slot()) return position;
  const auto found = std::find(positions.begin(), positions.end(), position);
  return found == positions.end() ? -1 : found - positions.begin();
}

AttentionSubject attention_subject(const RunView& run, const ViewState& view) {
  using State = AttentionSubject::State;
  AttentionSubject subject;
  if (run.lanes.empty()) return subject;
  subject.lane = std::clamp(view.lane, 0, static_cast<int>(run.lanes.size()) - 1);
  const LaneView& lane = run.lanes[static_cast<size_t>(subject.lane)];
  const ModelConfig& config = lane.config();
  subject.layers = config.layers;
  subject.layer = std::clamp<int64_t>(view.layer, 0, config.layers - 1);
  subject.step = std::clamp<int64_t>(view.step, 0, std::max<int64_t>(lane.last_step(), 0));
  subject.context = lane.context_at(subject.step);

  const LayerCache& own = config.layer_cache[static_cast<size_t>(subject.layer)];
  const bool shared = own.kind == LayerCache::Kind::shared;
  const LayerCache& stored = shared ? config.layer_cache[static_cast<size_t>(own.source)] : own;
  if (stored.kind == LayerCache::Kind::none) {
    subject.state = State::no_attention;
    return subject;
  }
  subject.latent = stored.kind == LayerCache::Kind::latent;
  subject.heads = config.sizes_of(subject.layer).heads;
  subject.kv_heads = subject.latent ? 1 : stored.kv_heads;
  subject.head = std::clamp<int64_t>(view.head, 0, subject.heads - 1);
  subject.window = own.window;
  subject.first_kept = subject.context - stored.positions_kept(subject.context);
  subject.state = lane.steps.empty() ? State::nothing_yet : State::shown;
  if (view.by_slot && subject.window > 0 && !shared && subject.state == State::shown)
    subject.positions = positions_by_slot(layout_of(*lane.facts), subject.layer, subject.context);
  return subject;
}

}  // namespace kv::viewer

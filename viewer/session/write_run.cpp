#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/files/safetensors.h"
#include "model/hash.h"
#include "viewer/session/fingerprint.h"
#include "viewer/session/kv_store.h"
#include "viewer/session/packed_fields.h"
#include "viewer/session/run_file.h"

namespace kv::viewer {

namespace {

using Json = nlohmann::ordered_json;

// The tensors of a run, with the memory that they lie in.
class Tensors {
 public:
  void add(const std::string& name, std::vector<int64_t> shape, std::vector<int32_t> values) {
    words_.push_back(std::move(values));
    tensors_.push_back({name, std::move(shape), std::span<const int32_t>(words_.back())});
  }
  void add(const std::string& name, std::vector<int64_t> shape, std::vector<float> values) {
    floats_.push_back(std::move(values));
    tensors_.push_back({name, std::move(shape), std::span<const float>(floats_.back())});
  }
  std::span<const TensorToWrite> all() const { return tensors_; }

  std::map<std::string, std::span<const std::byte>> bytes() const {
    std::map<std::string, std::span<const std::byte>> by_name;
    for (const TensorToWrite& tensor : tensors_)
      by_name[tensor.name] = std::visit([](const auto& values) { return std::as_bytes(values); }, tensor.values);
    return by_name;
  }

 private:
  std::deque<std::vector<int32_t>> words_;  // a deque: its elements stay where they are
  std::deque<std::vector<float>> floats_;
  std::vector<TensorToWrite> tensors_;
};

template <class Record>
void add_records(Tensors& tensors, const std::string& name, std::span<const Record> records) {
  std::vector<int32_t> words;
  for (const Record& record : records) pack(record, words);
  tensors.add(name, {std::ssize(records), static_cast<int64_t>(words_of<Record>())}, std::move(words));
}

// The first `positions` rows, widened: [positions, kv_heads * dim].
std::vector<float> widened(const cpu::StoredRows& rows, int64_t positions) {
  std::vector<float> values(static_cast<size_t>(positions * rows.kv_heads * rows.dim));
  for (int64_t head = 0; head < rows.kv_heads; ++head) {
    const cpu::Matrix<float> of_head = cpu::read_rows<float>(rows, head, 0, positions);
    for (int64_t p = 0; p < positions; ++p)
      std::copy_n(of_head.data() + p * rows.dim, rows.dim, values.data() + (p * rows.kv_heads + head) * rows.dim);
  }
  return values;
}

void add_store(Tensors& tensors, const std::string& lane, const KvStore& store, int64_t positions) {
  for (int64_t layer = 0; layer < store.config().layers; ++layer) {
    const std::string name = fmt::format("{}layer.{}.", lane, layer);
    const auto add = [&](const char* what, const cpu::StoredRows& rows) {
      std::vector<int64_t> shape = {positions, rows.kv_heads, rows.dim};
      if (rows.kv_heads == 1 && std::string_view(what) == "latents") shape = {positions, rows.dim};
      tensors.add(name + what, std::move(shape), widened(rows, positions));
    };
    switch (store.config().layer_cache[static_cast<size_t>(layer)].kind) {
      case LayerCache::Kind::per_head:
        add("keys", store.keys(layer));
        add("values", store.values(layer));
        break;
      case LayerCache::Kind::latent: add("latents", store.latents(layer)); break;
      case LayerCache::Kind::shared:
      case LayerCache::Kind::none: break;
    }
  }
}

void add_queries(Tensors& tensors, const std::string& name, const LaneView& view) {
  std::vector<float> all;
  for (const Step& step : view.steps)
    for (int64_t layer = 0; layer < view.config().layers; ++layer) {
      const std::span<const float> queries = view.store->queries(layer, step.context() - 1);
      all.insert(all.end(), queries.begin(), queries.end());
    }
  const int64_t steps = std::ssize(view.steps), values = steps > 0 ? std::ssize(all) / steps : 0;
  tensors.add(name, {steps, values}, std::move(all));
}

Json lane_json(const Recorder& recorder, const LaneView& view) {
  Json lane = {{"fingerprint", fmt::format("{:016x}", fingerprint(*view.facts->model))},
               {"stopped", view.stopped},
               {"failed", view.failed}};
  lane["forced"] = recorder.forced() ? Json(*recorder.forced()) : Json();
  lane["machine"] = view.machine ? Json{{"bytes_per_second", view.machine->bytes_per_second},
                                        {"flops_per_second", view.machine->flops_per_second}}
                                 : Json();
  return lane;
}

}  // namespace

std::string hash_of_run(const std::map<std::string, std::span<const std::byte>>& tensors, const std::string& run) {
  Fnv1a hash;
  for (const auto& [name, bytes] : tensors) {
    hash.add(std::as_bytes(std::span(name)));
    hash.add(bytes);
  }
  hash.add(std::as_bytes(std::span(run)));
  return fmt::format("{:016x}", hash.value());
}

void write_run(const std::filesystem::path& file, const SessionSettings& settings,
               std::span<const std::unique_ptr<Recorder>> recorders) {
  Tensors tensors;
  Json run = {{"prompt", settings.prompt},     {"tokens", settings.tokens},
              {"capacity", settings.capacity}, {"cache_dtype", name_of(settings.cache_dtype)},
              {"threads", settings.threads},   {"models", Json::array()},
              {"lanes", Json::array()}};
  for (size_t i = 0; i < recorders.size(); ++i) {
    const LaneView view = recorders[i]->view();
    const std::string lane = fmt::format("lane.{}.", i);
    const Step so_far = recorders[i]->prompt_so_far();
    run["models"].push_back({{"name", view.facts->name}, {"path", view.facts->path.string()}});
    run["lanes"].push_back(lane_json(*recorders[i], view));
    tensors.add(lane + "prompt", {std::ssize(view.facts->prompt)}, view.facts->prompt);
    tensors.add(lane + "tokens", {std::ssize(view.tokens)},
                std::vector<int32_t>(view.tokens.begin(), view.tokens.end()));
    add_records(tensors, lane + "steps", view.steps);
    add_records(tensors, lane + "prompt_so_far", std::span<const Step>(&so_far, 1));
    add_records(tensors, lane + "without_cache", std::span<const StepWithoutCache>(view.without_cache));
    add_queries(tensors, lane + "queries", view);
    add_store(tensors, lane, *view.store, std::ssize(view.tokens));
  }

  std::string text;
  try {
    text = run.dump();
  } catch (const Json::exception&) {
    throw std::runtime_error(file.string() + ": cannot be written: the prompt or a path is not valid UTF-8");
  }
  write_safetensors(file, tensors.all(),
                    {{"kvlab_run", kRunVersion}, {"run", text}, {"hash", hash_of_run(tensors.bytes(), text)}});
}

}  // namespace kv::viewer

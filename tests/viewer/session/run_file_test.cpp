#include "viewer/session/run_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>

#include "model/error.h"
#include "model/files/safetensors.h"
#include "tests/support/error_of.h"
#include "tests/support/one_line.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/viewer_runs.h"
#include "viewer/session/fingerprint.h"
#include "viewer/session/kv_store.h"

using namespace kv;
using namespace kv::test;
using namespace kv::viewer;

namespace {

bool same(const Timing& a, const Timing& b) {
  return a.median == b.median && a.least == b.least && a.most == b.most && a.takes == b.takes;
}

bool same(const Step& a, const Step& b) {
  for (size_t i = 0; i < kCandidates; ++i)
    if (a.likeliest[i].token != b.likeliest[i].token || a.likeliest[i].probability != b.likeliest[i].probability)
      return false;
  return a.first_position == b.first_position && a.tokens == b.tokens && a.counted == b.counted && same(a.time, b.time);
}

bool same(const StepWithoutCache& a, const StepWithoutCache& b) {
  return a.context == b.context && a.counted == b.counted && same(a.time, b.time);
}

// Rows of every head, byte by byte.
bool same_rows(const cpu::StoredRows& a, const cpu::StoredRows& b, int64_t positions) {
  if (a.dtype != b.dtype || a.kv_heads != b.kv_heads || a.dim != b.dim) return false;
  for (int64_t head = 0; head < a.kv_heads; ++head)
    for (int64_t p = 0; p < positions; ++p)
      if (std::memcmp(a.row(head, p), b.row(head, p), static_cast<size_t>(a.row_bytes())) != 0) return false;
  return true;
}

void check_same_store(const LaneView& a, const LaneView& b) {
  const int64_t positions = std::ssize(a.tokens);
  int differ = 0;
  for (int64_t layer = 0; layer < a.config().layers; ++layer) {
    if (a.config().has_latent_attention()) {
      differ += !same_rows(a.store->latents(layer), b.store->latents(layer), positions);
    } else {
      differ += !same_rows(a.store->keys(layer), b.store->keys(layer), positions);
      differ += !same_rows(a.store->values(layer), b.store->values(layer), positions);
    }
    for (int64_t p = 0; p < positions; ++p) {
      const auto x = a.store->queries(layer, p), y = b.store->queries(layer, p);
      differ += !std::equal(x.begin(), x.end(), y.begin(), y.end());
    }
    for (const Role role : a.store->roles(layer)) {
      differ += a.store->largest_rms(layer, role, positions) != b.store->largest_rms(layer, role, positions);
      for (int64_t head = 0; head < a.store->heads(layer, role); ++head)
        for (int64_t p = 0; p < positions; ++p)
          differ += a.store->rms(layer, role, head, p) != b.store->rms(layer, role, head, p);
    }
  }
  CHECK(differ == 0);
}

void check_same_run(const RunView& a, const RunView& b) {
  CHECK(a.prompt == b.prompt);
  REQUIRE(a.lanes.size() == b.lanes.size());
  for (size_t i = 0; i < a.lanes.size(); ++i) {
    const LaneView &x = a.lanes[i], &y = b.lanes[i];
    CHECK(x.facts->name == y.facts->name);
    CHECK(x.facts->label == y.facts->label);
    CHECK(x.facts->path == y.facts->path);
    CHECK(x.facts->prompt == y.facts->prompt);
    CHECK(x.facts->cache_dtype == y.facts->cache_dtype);
    CHECK(x.facts->capacity == y.facts->capacity);
    CHECK(x.facts->held_out_bits_per_byte == y.facts->held_out_bits_per_byte);
    CHECK(x.facts->excluded == y.facts->excluded);
    CHECK(std::equal(x.tokens.begin(), x.tokens.end(), y.tokens.begin(), y.tokens.end()));
    REQUIRE(x.steps.size() == y.steps.size());
    for (size_t s = 0; s < x.steps.size(); ++s) CHECK(same(x.steps[s], y.steps[s]));
    CHECK(x.prompt_read == y.prompt_read);
    REQUIRE(x.without_cache.size() == y.without_cache.size());
    for (size_t s = 0; s < x.without_cache.size(); ++s) CHECK(same(x.without_cache[s], y.without_cache[s]));
    CHECK(x.stopped == y.stopped);
    CHECK(x.failed == y.failed);
    REQUIRE(x.machine.has_value() == y.machine.has_value());
    if (x.machine) {
      CHECK(x.machine->bytes_per_second == y.machine->bytes_per_second);
      CHECK(x.machine->flops_per_second == y.machine->flops_per_second);
    }
    check_same_store(x, y);
  }
}

// Recorders of settings, written to a file.
struct Written {
  SessionSettings settings;
  std::vector<std::unique_ptr<Recorder>> recorders;
  cpu::Team team{1};

  explicit Written(SessionSettings given) : settings(std::move(given)) {
    for (const auto& lane : load_lanes(settings))
      recorders.push_back(std::make_unique<Recorder>(lane, settings.tokens));
  }
  Written& to(int64_t step) {
    for (auto& recorder : recorders)
      while (recorder->lacks(step) && recorder->advance(team)) {
      }
    return *this;
  }
  RunView view() const {
    RunView run;
    for (const auto& recorder : recorders) run.lanes.push_back(recorder->view());
    run.prompt = settings.prompt;
    return run;
  }
  void write(const std::filesystem::path& file) const { write_run(file, settings, recorders); }
};

SessionSettings window_settings(const std::filesystem::path& model, Dtype dtype = Dtype::bf16) {
  SessionSettings settings;
  settings.models = {{"window", model}};
  settings.prompt = "5,17,3,99,42,8,61";
  settings.cache_dtype = dtype;
  return settings;
}
const std::string kWindowModel = std::string(KVLAB_SOURCE_DIR) + "/tests/goldens/mistral-window";

}  // namespace

TEST_SUITE_BEGIN("viewer/session");

TEST_CASE("a run comes back from its file field by field and byte by byte") {
  const TemporaryFolder folder;
  Written run(settings_of(kFourModels, kViewerPrompt, 48));
  run.to(12);
  for (auto& recorder : run.recorders) {
    recorder->run_without_cache(16, run.team);
    recorder->set_machine({1.25e10, 3.3e11});
  }
  run.to(1000);  // until every cache is full
  run.write(folder / "run.safetensors");
  const auto session = replay(folder / "run.safetensors");
  check_same_run(run.view(), session->view());
  CHECK(session->settings().capacity == 48);
  CHECK(session->settings().models[2].name == "austen-mqa");
}

TEST_CASE("so it does with a window, in every type of cache, and while nothing or half of the prompt is read") {
  const TemporaryFolder folder;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    Written run(window_settings(kWindowModel, dtype));
    run.to(30).write(folder / "window.run");
    check_same_run(run.view(), replay(folder / "window.run")->view());
  }
  SessionSettings settings = window_settings(std::string(KVLAB_SOURCE_DIR) + "/checkpoints/austen-mqa");
  settings.prompt.clear();
  for (int i = 0; i < 60; ++i) settings.prompt += "It is a truth. ";
  Written run(settings);
  for (int pieces = 0; pieces < 3; ++pieces) {
    run.write(folder / "begun.run");
    RunFromFile read = read_run(folder / "begun.run");
    check_same_run(run.view(), {{read.recorders[0]->view()}, read.settings.prompt});
    CHECK(same(read.recorders[0]->prompt_so_far(), run.recorders[0]->prompt_so_far()));
    run.recorders[0]->advance(run.team);
    read.recorders[0]->advance(run.team);
    const LaneView a = run.view().lanes[0], b = read.recorders[0]->view();
    CHECK(a.prompt_read == b.prompt_read);
    CHECK(a.steps.size() == b.steps.size());
    check_same_store(a, b);
  }
}

TEST_CASE("a replay computes nothing by itself, and goes on and branches with the bits of the run") {
  const TemporaryFolder folder;
  Written run(window_settings(kWindowModel));
  run.to(5).write(folder / "a.run");
  {
    const auto session = replay(folder / "a.run");
    session->wanted_step(5);
    session->wait_for(5);
    CHECK(session->view().last_step() == 5);
    CHECK_FALSE(session->view().lanes[0].machine);
    session->save(folder / "b.run");
    CHECK(read_whole_file(folder / "a.run") == read_whole_file(folder / "b.run"));

    session->wait_for(20);
    run.to(20);
    const LaneView longer = session->view().lanes[0], expected = run.view().lanes[0];
    CHECK(std::equal(expected.tokens.begin(), expected.tokens.end(), longer.tokens.begin()));
    for (size_t s = 0; s <= 20; ++s) {
      CHECK(expected.steps[s].counted == longer.steps[s].counted);
      CHECK(expected.steps[s].likeliest[0].probability == longer.steps[s].likeliest[0].probability);
    }
  }
  {
    const auto session = replay(folder / "a.run");
    const int32_t token = session->view().lanes[0].steps[2].likeliest[4].token;
    session->branch(0, 2, token);
    session->save(folder / "branched.run");  // before the next step, perhaps: the forced token is kept
    session->wait_for(6);
    run.recorders[0]->branch(2, token);
    run.to(6);
    const LaneView branched = session->view().lanes[0], expected = run.view().lanes[0];
    CHECK(std::equal(expected.tokens.begin(), expected.tokens.end(), branched.tokens.begin()));
    const auto again = replay(folder / "branched.run");
    again->wait_for(6);
    CHECK(again->view().lanes[0].tokens[7 + 2] == token);
  }
}

TEST_CASE("weights that differ, or are not there, are refused") {
  const TemporaryFolder folder;
  const std::filesystem::path model = folder / "model";
  std::filesystem::copy(kWindowModel, model, std::filesystem::copy_options::recursive);
  Written(window_settings(model)).to(3).write(folder / "a.run");
  CHECK(replay(folder / "a.run")->view().last_step() == 3);

  std::string weights = read_whole_file(model / "model.safetensors");
  weights[weights.size() - 1] = static_cast<char>(weights[weights.size() - 1] ^ 1);
  std::filesystem::remove(model / "model.safetensors");
  std::ofstream(model / "model.safetensors", std::ios::binary) << weights;
  CHECK(names(error_of<FormatError>([&] { replay(folder / "a.run"); }), "a.run", "window", "fingerprint"));

  std::filesystem::remove_all(model);
  CHECK(names(error_of<FormatError>([&] { replay(folder / "a.run"); }), model.string()));
}

TEST_CASE("fingerprints tell configs and weights apart") {
  const auto of = [](const ModelConfig& config, uint64_t seed) {
    LoadedModel model;
    model.config = config;
    model.weights = random_weights(config, seed);
    return fingerprint(model);
  };
  const ModelConfig config = tiny_heads(6, 2, 10);
  ModelConfig theta = config, window = config;
  theta.rope.theta = 20000;
  window.layer_cache[1].window = 9;
  CHECK(of(config, 7) == of(config, 7));
  CHECK(of(config, 7) != of(config, 8));
  CHECK(of(config, 7) != of(theta, 7));
  CHECK(of(config, 7) != of(window, 7));
}

TEST_CASE("damaged files are refused with one sentence, wherever the damage is") {
  const TemporaryFolder folder;
  Written(window_settings(kWindowModel)).to(3).write(folder / "a.run");
  const std::string whole = read_whole_file(folder / "a.run");
  const auto message = [&](const std::string& bytes) {
    folder.write("damaged.run", bytes);
    return error_of<FormatError>([&] { replay(folder / "damaged.run"); });
  };
  REQUIRE(message(whole) == "(no error)");
  for (size_t length = 0; length < whole.size(); length += 977) {
    const std::string said = message(whole.substr(0, length));
    CHECK(names(said, "damaged.run"));
    CHECK(is_one_printable_line(said));
  }
  for (size_t at = 0; at < whole.size(); at += 131) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x11);
    const std::string said = message(bytes);
    CHECK(said != "(no error)");
    CHECK(is_one_printable_line(said));
  }
}

TEST_CASE("a run whose hash is right but whose numbers are not is refused before it is used") {
  const TemporaryFolder folder;
  Written(window_settings(kWindowModel)).to(3).write(folder / "a.run");
  const Safetensors good = read_safetensors(folder / "a.run");
  // Writes the file again with one tensor or the text changed, and the hash made to fit.
  const auto said = [&](const std::string& name, const std::function<void(std::vector<int32_t>&)>& change,
                        const std::function<void(std::string&)>& change_text = nullptr) {
    std::map<std::string, std::vector<int32_t>> words;
    std::map<std::string, std::vector<float>> floats;
    std::vector<TensorToWrite> tensors;
    std::map<std::string, std::span<const std::byte>> bytes;
    for (const auto& [key, tensor] : good.tensors) {
      std::vector<int64_t> shape = tensor.shape;
      if (tensor.dtype == "F32") {
        floats[key].resize(tensor.bytes.size() / 4);
        if (!tensor.bytes.empty()) std::memcpy(floats[key].data(), tensor.bytes.data(), tensor.bytes.size());
        tensors.push_back({key, shape, std::span<const float>(floats[key])});
        bytes[key] = std::as_bytes(std::span(floats[key]));
        continue;
      }
      words[key].resize(tensor.bytes.size() / 4);
      if (!tensor.bytes.empty()) std::memcpy(words[key].data(), tensor.bytes.data(), tensor.bytes.size());
      const size_t before = words[key].size();
      if (key == name) change(words[key]);
      if (words[key].size() != before && shape.size() == 1) shape[0] = std::ssize(words[key]);
      tensors.push_back({key, shape, std::span<const int32_t>(words[key])});
      bytes[key] = std::as_bytes(std::span(words[key]));
    }
    std::string text = good.metadata.at("run");
    if (change_text) change_text(text);
    write_safetensors(folder / "forged.run", tensors,
                      {{"kvlab_run", kRunVersion}, {"run", text}, {"hash", hash_of_run(bytes, text)}});
    return error_of<FormatError>([&] { replay(folder / "forged.run"); });
  };
  CHECK(said("", nullptr) == "(no error)");
  CHECK(names(said("lane.0.tokens", [](auto& w) { w[8] = 113; }), "113"));
  CHECK(names(said("lane.0.tokens", [](auto& w) { w[8] = -1; }), "-1"));
  CHECK(names(said("lane.0.tokens", [](auto& w) { w[0] = 6; }), "prompt"));
  CHECK(names(said("lane.0.tokens", [](auto& w) { w.push_back(1); }), "steps end at 10"));
  CHECK(names(said("lane.0.tokens", [](auto& w) { w.resize(500, 1); }), "capacity"));
  CHECK(names(said("lane.0.prompt", [](auto& w) { w[0] = 6; }), "prompt"));
  CHECK(names(said("lane.0.steps", [](auto& w) { w[0] = 1; }), "from position 1"));
  CHECK(names(said("lane.0.steps", [](auto& w) { w[2] = 1 << 30; }), "steps hold"));
  CHECK(names(said("lane.0.steps", [](auto& w) { w[19] = -1; }), "times hold"));
  const auto text = [&](const std::string& from, const std::string& to) {
    return said("", nullptr, [&](std::string& t) {
      REQUIRE(names(t, from));
      t.replace(t.find(from), from.size(), to);
    });
  };
  CHECK(names(text("\"capacity\":8192", "\"capacity\":0"), "capacity"));
  CHECK(names(text("\"capacity\":8192", "\"capacity\":6"), "fit"));
  CHECK(names(text("\"capacity\":8192", "\"capacity\":9"), "capacity"));
  CHECK(names(text("\"threads\":1", "\"threads\":100000"), "threads"));
  CHECK(names(text("\"cache_dtype\":\"bf16\"", "\"cache_dtype\":\"q4_0\""), "cache_dtype"));
  CHECK(names(text("\"lanes\":[", "\"lanes\":[{},"), "2 lanes of 1 models"));
  CHECK(names(text("\"forced\":null", "\"forced\":113"), "forced"));
  CHECK(names(text("\"prompt\":\"5,", "\"prompt\":\"x,"), "token id"));
}

TEST_CASE("another version, and another kind of file, are told") {
  const TemporaryFolder folder;
  const std::vector<float> one = {1};
  const TensorToWrite tensor{"t", {1}, std::span<const float>(one)};
  write_safetensors(folder / "other", {&tensor, 1});
  CHECK(names(error_of<FormatError>([&] { replay(folder / "other"); }), "no recorded run"));
  write_safetensors(folder / "later", {&tensor, 1}, {{"kvlab_run", "2"}});
  CHECK(names(error_of<FormatError>([&] { replay(folder / "later"); }), "version 2", "version 1"));
  CHECK(names(error_of<FormatError>([&] { replay(folder / "absent"); }), "absent"));
}

TEST_CASE("a file that cannot be written says so, and leaves nothing behind") {
  const TemporaryFolder folder;
  Written run(window_settings(kWindowModel));
  run.to(1);
  const auto path = folder / "no such folder" / "a.run";
  CHECK(names(error_of<std::runtime_error>([&] { run.write(path); }), "a.run"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_SUITE_END();

#include "viewer/session/session.h"

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include "viewer/session/lane_facts.h"
#include "viewer/session/recorder.h"
#include "viewer/session/run_file.h"
#include "viewer/session/session_worker.h"

namespace kv::viewer {

namespace {

std::vector<std::unique_ptr<Recorder>> recorders_of(const std::vector<std::shared_ptr<const LaneFacts>>& lanes,
                                                    const SessionSettings& settings) {
  std::vector<std::unique_ptr<Recorder>> recorders;
  for (const auto& lane : lanes) {
    recorders.push_back(std::make_unique<Recorder>(lane, settings.tokens));
    if (settings.machine) recorders.back()->set_machine(*settings.machine);
  }
  return recorders;
}

}  // namespace

Session::Session(std::vector<std::shared_ptr<const LaneFacts>> lanes, SessionSettings settings,
                 std::function<void()> on_progress) {
  auto recorders = recorders_of(lanes, settings);
  worker_ = std::make_unique<Worker>(std::move(settings), std::move(recorders), false, std::move(on_progress));
}

Session::Session(std::unique_ptr<Worker> worker) : worker_(std::move(worker)) {}
Session::~Session() = default;

RunView Session::view() const {
  const std::lock_guard lock(worker_->mutex);
  RunView run;
  for (const auto& recorder : worker_->recorders) run.lanes.push_back(recorder->view());
  run.prompt = worker_->settings.prompt;
  return run;
}

const SessionSettings& Session::settings() const { return worker_->settings; }

void Session::wanted_step(int64_t step) {
  {
    const std::lock_guard lock(worker_->mutex);
    if (step == worker_->wanted && !worker_->asleep) return;  // as in most frames
    worker_->want(step);
  }
  worker_->wake.notify_all();
}

bool Session::holds(int64_t step) const {
  const std::lock_guard lock(worker_->mutex);
  return worker_->holds_step(step);
}

void Session::wait_for(int64_t step) {
  std::unique_lock lock(worker_->mutex);
  worker_->want(std::max(worker_->wanted, step));
  worker_->wake.notify_all();
  worker_->changed.wait(lock, [&] { return worker_->holds_step(step); });
}

void Session::wait_until_idle() {
  std::unique_lock lock(worker_->mutex);
  worker_->changed.wait(lock, [&] { return !worker_->busy && !worker_->next_task(); });
}

void Session::branch(size_t lane, int64_t step, int32_t token) {
  const Worker::Hold hold(*worker_);
  worker_->recorders.at(lane)->branch(step, token);
  worker_->left_out.at(lane).clear();
  worker_->asleep = false;
}

void Session::restart(const std::string& prompt) {
  const Worker::Hold hold(*worker_);
  SessionSettings settings = worker_->settings;
  settings.prompt = prompt;
  std::vector<std::unique_ptr<Recorder>> recorders;
  try {
    std::vector<std::shared_ptr<const LaneFacts>> lanes;
    for (const auto& recorder : worker_->recorders) {
      LaneFacts facts = recorder->facts();
      facts.prompt = prompt_of(*facts.model, prompt);
      lanes.push_back(std::make_shared<const LaneFacts>(std::move(facts)));
    }
    recorders = recorders_of(lanes, settings);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(error.what());
  }
  for (size_t lane = 0; lane < recorders.size(); ++lane)
    if (const auto machine = worker_->recorders[lane]->view().machine) recorders[lane]->set_machine(*machine);
  worker_->recorders = std::move(recorders);
  worker_->settings = std::move(settings);
  worker_->left_out.assign(worker_->recorders.size(), {});
  worker_->wanted = 0;
  worker_->asleep = false;
}

void Session::save(const std::filesystem::path& file) const {
  const Worker::Hold hold(*worker_);
  write_run(file, worker_->settings, worker_->recorders);
}

std::unique_ptr<Session> replay(const std::filesystem::path& file, std::function<void()> on_progress) {
  RunFromFile run = read_run(file);
  return std::unique_ptr<Session>(new Session(std::make_unique<Session::Worker>(
      std::move(run.settings), std::move(run.recorders), true, std::move(on_progress))));
}

}  // namespace kv::viewer

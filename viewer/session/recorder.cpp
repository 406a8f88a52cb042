#include "viewer/session/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cpu_reference/transformer.h"
#include "viewer/session/candidates.h"
#include "viewer/session/number_text.h"
#include "viewer/session/stopwatch.h"

namespace kv::viewer {

namespace {

// The form whose scan runs on what is stored, and whose time and work a step is therefore about.
constexpr cpu::LatentForm kForm = cpu::LatentForm::absorbed;

std::span<const float> only_row(const cpu::Matrix<float>& logits) {
  return {logits.data(), static_cast<size_t>(logits.cols())};
}

}  // namespace

Recorder::Recorder(std::shared_ptr<const LaneFacts> facts, int64_t most_steps)
    : facts_(std::move(facts)), most_steps_(most_steps), store_([this] {
        const int64_t prompt = std::ssize(facts_->prompt);
        if (prompt == 0) throw std::invalid_argument(fmt::format("{}: the prompt is empty", facts_->name));
        if (prompt > facts_->capacity)
          throw std::invalid_argument(fmt::format("{}: the prompt has {} tokens, but only {} can be stored",
                                                  facts_->name, with_commas(prompt), with_commas(facts_->capacity)));
        return std::make_shared<KvStore>(facts_->config(), facts_->capacity, facts_->cache_dtype);
      }()) {
  tokens_.resize(static_cast<size_t>(facts_->capacity), -1);
  std::copy(facts_->prompt.begin(), facts_->prompt.end(), tokens_.begin());
  steps_.reserve(static_cast<size_t>(facts_->capacity - std::ssize(facts_->prompt) + 1));
}

LaneView Recorder::view() const {
  const std::lock_guard lock(mutex_);
  const int64_t stored = steps_.empty() ? prompt_read_ : steps_.back().context();
  LaneView view;
  view.facts = facts_;
  view.tokens = {tokens_.data(), static_cast<size_t>(stored)};
  view.steps = {steps_.data(), steps_.size()};
  view.store = store_;
  view.prompt_read = prompt_read_;
  view.without_cache = without_cache_;
  view.stopped = stopped_;
  view.failed = failed_;
  view.machine = machine_;
  return view;
}

bool Recorder::lacks(int64_t step) const {
  const std::lock_guard lock(mutex_);
  return stopped_.empty() && std::ssize(steps_) <= step;
}

bool Recorder::advance(cpu::Team& team) {
  if (!stopped_.empty()) return false;
  try {
    if (steps_.empty()) {
      read_piece(team);
    } else {
      decode(team);
    }
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return stopped_.empty();
}

void Recorder::fail(std::string why) {
  const std::lock_guard lock(mutex_);
  stopped_ = std::move(why);
  failed_ = true;
}

// Said with the last step, not when another is asked for: who looks at it knows that it is the last.
std::string Recorder::why_no_more() const {
  if (steps_.empty()) return "";
  if (steps_.back().context() == facts_->capacity) {
    const std::string capacity = with_commas(facts_->capacity);
    return fmt::format("{} of {}: the cache is full", capacity, capacity);
  }
  if (most_steps_ > 0 && std::ssize(steps_) > most_steps_)
    return fmt::format("{} {} asked for", count_of(most_steps_, "step"), most_steps_ == 1 ? "was" : "were");
  return "";
}

// [layers][heads * key_head_dim] of the last row of the only call.
std::vector<std::vector<float>> Recorder::last_queries(const Trace& trace) const {
  std::vector<std::vector<float>> queries(static_cast<size_t>(facts_->config().layers));
  for (size_t layer = 0; layer < queries.size(); ++layer) {
    if (facts_->config().layer_cache[layer].kind == LayerCache::Kind::none) continue;
    const TracedTensor& traced = trace.tensor(0, fmt::format("layer.{}.queries", layer));
    const int64_t values = traced.shape.at(1) * traced.shape.at(2);
    // The trace widened floats; they come back as they were.
    std::transform(traced.values.end() - values, traced.values.end(), std::back_inserter(queries[layer]),
                   [](double value) { return static_cast<float>(value); });
  }
  return queries;
}

void Recorder::read_piece(cpu::Team& team) {
  const int64_t first = prompt_read_, prompt = std::ssize(facts_->prompt),
                count = std::min(kPromptPiece, prompt - first);
  const bool is_last = first + count == prompt;
  const std::span<const int32_t> piece(facts_->prompt.data() + first, static_cast<size_t>(count));
  Trace trace(is_last ? std::vector<std::string>{"queries"} : std::vector<std::string>{});

  cpu::Matrix<float> logits;
  const auto start = std::chrono::steady_clock::now();
  logits = cpu::prefill<float>({facts_->config(), facts_->model->weights}, piece, store_->cache(), kForm,
                               is_last ? cpu::LogitRows::last : cpu::LogitRows::none, cpu::Run{team, &trace});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  // Not repeated: a prompt is long, and its pieces are timed as one.
  prompt_so_far_.tokens += count;
  prompt_so_far_.counted += trace.total();
  const double so_far = prompt_so_far_.time.median + seconds;
  prompt_so_far_.time = {so_far, so_far, so_far, 1};
  store_->note_call(first, count, is_last ? last_queries(trace) : std::vector<std::vector<float>>());
  if (is_last) prompt_so_far_.likeliest = likeliest_of(only_row(logits), facts_->excluded);

  const std::lock_guard lock(mutex_);
  prompt_read_ += count;
  if (is_last) steps_.push_back(prompt_so_far_);
  stopped_ = why_no_more();
}

void Recorder::decode(cpu::Team& team) {
  const Step& before = steps_.back();
  const int64_t position = before.context();
  const int32_t token = forced_.value_or(before.likeliest.front().token);

  Step step;
  step.first_position = position;
  step.tokens = 1;
  cpu::KvCache& cache = store_->cache();
  Trace counted({"queries"});
  cpu::Matrix<float> logits;
  step.time = timed([&](int take) {
    // Each take stores the same row again, behind all that is published.
    Trace ignored;
    if (take > 0) cache.truncate(position);
    logits = cpu::decode_step<float>({facts_->config(), facts_->model->weights}, token, cache, kForm,
                                     cpu::Run{team, take == 0 ? &counted : &ignored});
  });
  step.counted = counted.total();
  step.likeliest = likeliest_of(only_row(logits), facts_->excluded);
  store_->note_call(position, 1, last_queries(counted));

  forced_.reset();
  const std::lock_guard lock(mutex_);
  tokens_[static_cast<size_t>(position)] = token;
  steps_.push_back(step);
  stopped_ = why_no_more();
}

void Recorder::branch(int64_t step, int32_t token) {
  if (step < 0 || step >= std::ssize(steps_))
    throw std::out_of_range(fmt::format("{} has recorded no step {}", facts_->name, step));
  if (token < 0 || token >= facts_->config().vocab)
    throw std::invalid_argument(fmt::format("{} has no token {}", facts_->name, token));
  const std::lock_guard lock(mutex_);
  steps_.resize(static_cast<size_t>(step) + 1);
  const int64_t context = steps_.back().context();
  store_->truncate(context);
  std::erase_if(without_cache_, [&](const StepWithoutCache& ran) { return ran.context > context; });
  forced_ = token;
  stopped_ = why_no_more();
  failed_ = false;
}

void Recorder::run_without_cache(int64_t context, cpu::Team& team) {
  const int64_t stored = steps_.empty() ? prompt_read_ : steps_.back().context();
  if (context < 1 || context > stored)
    throw std::out_of_range(fmt::format("{} has not stored {} tokens", facts_->name, context));
  StepWithoutCache ran;
  ran.context = context;
  Trace counted;
  const std::span<const int32_t> all(tokens_.data(), static_cast<size_t>(context));
  ran.time = timed([&](int take) {
    Trace ignored;
    cpu::forward_without_cache<float>({facts_->config(), facts_->model->weights}, all, facts_->cache_dtype, kForm,
                                      cpu::LogitRows::last, cpu::Run{team, take == 0 ? &counted : &ignored});
  });
  ran.counted = counted.total();

  const std::lock_guard lock(mutex_);
  std::erase_if(without_cache_, [&](const StepWithoutCache& old) { return old.context == context; });
  const auto behind = std::find_if(without_cache_.begin(), without_cache_.end(),
                                   [&](const StepWithoutCache& other) { return other.context > context; });
  without_cache_.insert(behind, ran);
}

void Recorder::set_machine(const Speeds& speeds) {
  const std::lock_guard lock(mutex_);
  machine_ = speeds;
}

void Recorder::restore(Restored restored, const std::function<void(cpu::KvCache&, const cpu::Run&)>& append_rows,
                       cpu::Team& team) {
  const auto stored = std::ssize(restored.tokens);
  if (stored > 0) {
    append_rows(store_->cache(), cpu::Run{team});
    store_->cache().advance(stored);
  }
  int64_t noted = 0;
  for (size_t i = 0; i < restored.steps.size(); ++i) {
    store_->note_call(restored.steps[i].first_position, restored.steps[i].tokens, restored.queries.at(i));
    noted = restored.steps[i].context();
  }
  if (noted < stored) store_->note_call(noted, stored - noted, {});

  const std::lock_guard lock(mutex_);
  std::copy(restored.tokens.begin(), restored.tokens.end(), tokens_.begin());
  steps_.assign(restored.steps.begin(), restored.steps.end());
  prompt_read_ = std::min(stored, std::ssize(facts_->prompt));
  prompt_so_far_ = restored.prompt_so_far;
  without_cache_ = std::move(restored.without_cache);
  forced_ = restored.forced;
  stopped_ = restored.stopped.empty() ? why_no_more() : std::move(restored.stopped);
  failed_ = restored.failed;
  machine_ = restored.machine;
}

}  // namespace kv::viewer

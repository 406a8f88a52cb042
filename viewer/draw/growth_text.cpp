#include "viewer/draw/growth_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/draw/cache_words.h"
#include "viewer/draw/shown_numbers.h"
#include "viewer/session/number_text.h"

namespace kv::viewer {

namespace {

constexpr Font kPlain = fonts::kSmall, kNewest = fonts::kSmallStrong;
constexpr std::string_view kDots = "...", kNext = "next";
constexpr float kAfterDots = 4, kUnderline = 2;
constexpr float kCandidateGap = 12, kCandidatesGap = 20, kProbabilityGap = 4;
constexpr float kShareOfCandidates = 0.5f;  // of the line
constexpr size_t kLongestCandidate = 14;

const std::optional<Tokenizer>& tokenizer_of(const GrowthLane& lane) { return lane.view->facts->model->tokenizer; }

// Tokens of neighbouring positions as one text; without a tokenizer their ids.
std::string text_of(const GrowthLane& lane, int64_t first, int64_t last, const TextMeasure& measure) {
  const std::span<const int32_t> tokens = lane.view->tokens;
  std::string bytes;
  for (int64_t position = first; position < last; ++position) {
    const int32_t token = tokens[static_cast<size_t>(position)];
    // The token that stands before every text is nobody's words; its column in the map tells of it.
    if (position == 0 && tokenizer_of(lane) && tokenizer_of(lane)->begin_token() == token) continue;
    bytes +=
        tokenizer_of(lane) ? tokenizer_of(lane)->token_bytes(token) : (position > 0 ? " " : "") + std::to_string(token);
  }
  return shown(bytes, measure);
}

// Probability in whole percent; what is less than half of one is not nothing.
std::string percent(double probability) { return percent_text(probability, 1); }

struct CandidateText {
  int32_t token = -1;
  std::string text, probability;
  float width = 0;
  bool taken = false;  // the one that the recording goes on with
};

std::vector<CandidateText> candidates_of(const GrowthScene& scene, const GrowthLane& lane, float room,
                                         const TextMeasure& measure) {
  std::vector<CandidateText> candidates;
  if (lane.reading || lane.failed || lane.full || scene.view.step > lane.view->last_step()) return candidates;
  const Step& step = lane.view->steps[static_cast<size_t>(std::max<int64_t>(scene.view.step, 0))];
  const auto next = static_cast<size_t>(step.context());
  float used = kCandidatesGap + measure.width(kPlain, std::string(kNext)) + kProbabilityGap;
  for (const Candidate& likely : step.likeliest) {
    if (likely.token < 0) break;
    CandidateText candidate{likely.token, token_text(*lane.view, likely.token, measure), percent(likely.probability), 0,
                            next < lane.view->tokens.size() && lane.view->tokens[next] == likely.token};
    candidate.text =
        shortened(candidate.text, kPlain, measure.width(kPlain, std::string(kLongestCandidate, 'n')), measure);
    candidate.width = measure.width(candidate.taken ? kNewest : kPlain, candidate.text) + kProbabilityGap +
                      measure.width(kPlain, candidate.probability);
    if (used + candidate.width > room) break;
    used += candidate.width + kCandidateGap;
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

void draw_candidates(Picture& picture, const GrowthScene& scene, int lane, float x, float y,
                     const std::vector<CandidateText>& candidates, const TextMeasure& measure) {
  const Rect region = scene.place(lane).text_line;
  const float bar = x + kCandidatesGap / 2;
  picture.line({bar, y + 2}, {bar, y + 15}, scene.palette.line);
  x += kCandidatesGap;
  x = picture.text({x, y}, std::string(kNext), kPlain, scene.palette.faint, region, measure).right + kProbabilityGap;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CandidateText& candidate = candidates[i];
    const Font font = candidate.taken ? kNewest : kPlain;
    const Rect text = picture.text({x, y}, candidate.text, font, scene.palette.soft, region, measure);
    const Rect number = picture.text({text.right + kProbabilityGap, y}, candidate.probability, kPlain,
                                     scene.palette.faint, region, measure);
    const int run_lane = scene.lane(lane).runs_as;
    picture.spot(
        fmt::format("candidate {}", i), {text.left, region.top, number.right, region.bottom},
        fmt::format("After this token \"{}\" has a probability of {}. {}", candidate.text, candidate.probability,
                    candidate.taken ? "The model goes on with it." : "Choose it to go on from here with it."),
        candidate.taken ? std::nullopt : std::optional<Action>(action::Branch{run_lane, candidate.token}));
    x = number.right + kCandidateGap;
  }
}

}  // namespace

std::string token_text(const LaneView& lane, int32_t token, const TextMeasure& measure) {
  const std::optional<Tokenizer>& tokenizer = lane.facts->model->tokenizer;
  if (!tokenizer) return fmt::format("id {}", token);
  const std::string bytes = tokenizer->token_bytes(token);
  const size_t blanks = std::min(bytes.find_first_not_of(' '), bytes.size());
  if (blanks == bytes.size()) return blanks == 1 ? "(space)" : fmt::format("({} spaces)", blanks);
  return shown(std::string_view(bytes).substr(blanks), measure);
}

TextLine text_line_of(const GrowthLane& lane, float width, const TextMeasure& measure) {
  TextLine line;
  if (!lane.view || lane.context == 0) return line;
  const int64_t newest = lane.context - 1;
  line.newest = text_of(lane, newest, lane.context, measure);
  const int64_t prompt_end = std::min(lane.prompt, newest);
  const auto fill = [&](int64_t first) {
    line.first_position = first;
    line.elided = first > 0;
    line.prompt = text_of(lane, std::min(first, prompt_end), prompt_end, measure);
    line.generated = text_of(lane, std::max(first, prompt_end), newest, measure);
    float used = measure.width(kPlain, line.prompt) + measure.width(kPlain, line.generated) +
                 measure.width(kNewest, line.newest);
    if (line.elided) used += measure.width(kPlain, kDots) + kAfterDots;
    return used <= width;
  };
  // Width grows with each token in front: halve between what fits and what does not.
  constexpr int64_t kMostTokens = 512;  // a token is at least 2 px wide on screens that people have
  int64_t fits = newest, too_long = std::max<int64_t>(-1, newest - kMostTokens);
  while (fits - too_long > 1) {
    const int64_t middle = (fits + too_long) / 2;
    (fill(middle) ? fits : too_long) = middle;
  }
  fill(fits);
  if (fits == newest) line.newest = shortened(line.newest, kNewest, width - 24, measure);
  return line;
}

Picture draw_text_line(const GrowthScene& scene, int lane, const TextMeasure& measure) {
  Picture picture;
  const GrowthLane& of = scene.lane(lane);
  const LaneLayout& place = scene.place(lane);
  const Rect region = place.text_line;
  float x = region.left;
  const float y = region.top + 0.5f;
  const Palette& palette = scene.palette;
  const auto write = [&](const std::string& text, Font font, Colour colour) {
    if (!text.empty()) x = picture.text({x, y}, text, font, colour, region, measure).right;
  };
  if (!of.view) {
    const std::string shape =
        fmt::format("{} layers, {} query heads, {}: {}", of.config->layers, of.config->heads,
                    stored_vectors(*of.config), size_shown(scene.view)->origin_of(static_cast<size_t>(lane)));
    write(shortened(shape, kPlain, region.width(), measure), kPlain, palette.faint);
    return picture;
  }
  if (of.context == 0) {
    const std::string prompt = shown(scene.run.prompt, measure);
    write(shortened(prompt, kPlain, region.width(), measure), kPlain, palette.faint);
    return picture;
  }
  // Their room is always the same, so that the text does not tremble as they change.
  std::vector<CandidateText> candidates;
  const float room = region.width() * kShareOfCandidates;
  if (lane == scene.selected) candidates = candidates_of(scene, of, room, measure);
  const TextLine line = text_line_of(of, region.width() - (candidates.empty() ? 0 : room), measure);
  if (line.elided) {
    write(std::string(kDots), kPlain, palette.faint);
    x += kAfterDots;
  }
  write(line.prompt, kPlain, palette.faint);
  write(line.generated, kPlain, palette.text);
  // The underline stands under the token's letters, not under the blank that begins most of them.
  const size_t blanks = std::min(line.newest.find_first_not_of(' '), line.newest.size());
  const std::string blank = line.newest.substr(0, blanks);
  x += measure.width(kNewest, blank);
  const float left = x;
  write(line.newest.substr(blanks), kNewest, palette.text);
  if (x == left) x += 4;  // the newest token is a blank: its place is marked all the same
  picture.rect({left, region.top + 15.5f, x, region.top + 15.5f + kUnderline}, palette.accent);
  if (!candidates.empty()) draw_candidates(picture, scene, lane, x, y, candidates, measure);
  return picture;
}

}  // namespace kv::viewer

// What every picture must keep, whatever it shows: texts do not meet and stay where they belong, and places that answer
// have a name of their own and words.
#pragma once

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "viewer/draw/picture.h"

namespace kv::viewer {

inline std::string at(const Label& label) {
  const Rect box = label.box();
  return "\"" + label.text + "\" at " + std::to_string(box.left) + ", " + std::to_string(box.top) + " to " +
         std::to_string(box.right) + ", " + std::to_string(box.bottom);
}

// The labels that meet another, or leave their region, as sentences; empty: all is well. Boxes are as high as a line of
// type (ascent to descent), which leaves air above and below the letters: `slack` pixels of it may be shared.
inline std::string labels_unclear(const Picture& picture, float slack = 2) {
  std::string wrong;
  const std::vector<Label> labels = picture.labels();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i].region.holds(labels[i].box(), 0.5f)) {
      const Rect& r = labels[i].region;
      wrong += at(labels[i]) + " leaves its region " + std::to_string(r.left) + ", " + std::to_string(r.top) + " to " +
               std::to_string(r.right) + ", " + std::to_string(r.bottom) + "\n";
    }
    for (size_t j = i + 1; j < labels.size(); ++j)
      if (labels[i].box().meets(labels[j].box(), slack)) wrong += at(labels[i]) + " meets " + at(labels[j]) + "\n";
  }
  return wrong;
}

inline void labels_clear(const Picture& picture) {
  const std::string wrong = labels_unclear(picture);
  CHECK_MESSAGE(wrong.empty(), wrong);
}

// Ids are unique, words are there, and each place lies inside `bounds`.
inline std::string spots_unclear(const Picture& picture, const Rect& bounds) {
  std::string wrong;
  std::set<std::string> ids;
  for (const Spot& spot : picture.spots) {
    if (!ids.insert(spot.id).second) wrong += spot.id + " is there twice\n";
    if (spot.words.empty()) wrong += spot.id + " has no words\n";
    if (!bounds.holds(spot.box, 0.5f)) wrong += spot.id + " leaves the window\n";
    if (!(spot.box.width() > 0 && spot.box.height() > 0)) wrong += spot.id + " has no area\n";
  }
  return wrong;
}

inline void spots_clear(const Picture& picture, const Rect& bounds) {
  const std::string wrong = spots_unclear(picture, bounds);
  CHECK_MESSAGE(wrong.empty(), wrong);
}

// Is it written, as one label?
inline bool has_label(const Picture& picture, const std::string& text) {
  for (const Label& label : picture.labels())
    if (label.text == text) return true;
  return false;
}

// Null: there is none.
inline const Spot* spot_of(const Picture& picture, const std::string& id) {
  for (const Spot& spot : picture.spots)
    if (spot.id == id) return &spot;
  return nullptr;
}

// Words that a picture or a page must have somewhere.
inline void check_says(const std::string& words, const std::string& part) {
  CHECK_MESSAGE(words.find(part) != std::string::npos, "\"", part, "\" is not in: ", words);
}

}  // namespace kv::viewer

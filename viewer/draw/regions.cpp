#include "viewer/draw/regions.h"

#include <algorithm>
#include <cmath>

namespace kv::viewer {

namespace {

constexpr float kTopBar = 48, kTransport = 108, kPanel = 296;
constexpr float kDrawerBelow = 1100;  // windows narrower than this have no room for a panel beside the map
constexpr float kLeftMargin = 20, kRightMargin = 12;
constexpr float kMapLeft = 142, kMapUnit = 128;  // a multiple, so that few tokens are whole pixels wide
constexpr float kReadoutsGap = 14, kReadouts = 208;

}  // namespace

Regions regions_of(const ViewState& view) {
  const float width = std::max(view.window.width(), kWindowWidth),
              height = std::max(view.window.height(), kWindowHeight);
  Regions regions;
  regions.panel_is_drawer = width < kDrawerBelow;
  const float panel_left = view.panel ? width - kPanel : width;
  const float right = view.panel && !regions.panel_is_drawer ? panel_left : width;
  regions.top_bar = {0, 0, width, kTopBar};
  regions.transport = {0, height - kTransport, width, height};
  regions.content = {kLeftMargin, kTopBar, right - kRightMargin, height - kTransport};
  if (view.panel) regions.panel = {panel_left, kTopBar, width, height - kTransport};

  const float room = right - kRightMargin - kMapLeft - kReadoutsGap - kReadouts;
  const float map_right = kMapLeft + std::max(kMapUnit, std::floor(room / kMapUnit) * kMapUnit);
  regions.names = {kLeftMargin, kTopBar, kMapLeft - 8, height - kTransport};
  regions.map = {kMapLeft, kTopBar, map_right, height - kTransport};
  regions.readouts = {map_right + kReadoutsGap, kTopBar, map_right + kReadoutsGap + kReadouts, height - kTransport};
  return regions;
}

}  // namespace kv::viewer

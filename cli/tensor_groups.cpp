#include "cli/tensor_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "cli/numbers.h"

namespace kv::cli {

namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A name around its first part that is a number: "model.layers." 12 ".mlp.up_proj.weight". Without one all is `before`.
struct NumberedName {
  std::string before, after;
  int64_t number = -1;

  explicit NumberedName(const std::string& name) : before(name) {
    for (size_t begin = 0; begin < name.size();) {
      const size_t end = std::min(name.find('.', begin), name.size());
      if (const std::string part = name.substr(begin, end - begin); is_digits(part)) {
        before = name.substr(0, begin);
        number = std::stoll(part);
        after = name.substr(end);
        return;
      }
      begin = end + 1;
    }
  }
};

}  // namespace

std::vector<TensorGroup> grouped(std::span<const InspectedTensor> tensors) {
  using Kind = std::tuple<std::string, std::string, std::string, Shape>;  // before, after, type, shape
  std::map<Kind, size_t> index_of;
  std::vector<TensorGroup> groups;
  std::vector<std::set<int64_t>> numbers;
  std::vector<NumberedName> names;
  for (const InspectedTensor& tensor : tensors) {
    const NumberedName name(tensor.name);
    const auto [kind, is_new] =
        index_of.try_emplace({name.before, name.after, tensor.dtype, tensor.shape}, groups.size());
    if (is_new) {
      groups.push_back({tensor.name, tensor.dtype, tensor.shape});
      numbers.emplace_back();
      names.push_back(name);
    }
    numbers[kind->second].insert(name.number);
    ++groups[kind->second].count;
    groups[kind->second].bytes += tensor.bytes;
  }
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].count > 1) groups[i].name = names[i].before + "{" + ranges_text(numbers[i]) + "}" + names[i].after;
  return groups;
}

}  // namespace kv::cli

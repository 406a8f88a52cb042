// Joining neighbours: what byte-pair encoding does to a word. Its symbols stand in a row, and the pair that comes first
// in some order is joined, leftmost among equals, until no pair is in the order. What the order is, a list of pairs or
// the scores of their joined texts, the caller says.
//
// Joining one pair makes at most two new ones, so a heap of pairs over a linked list takes n log n steps, whatever the
// length of the word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace kv {

// A stretch of a word, and the token that it is.
struct Symbol {
  int32_t token;  // negative: none
  size_t begin, end;
};

// What two neighbours become, and when: the smallest order first.
struct Join {
  double order;
  int32_t token;
};

// The symbols that are left in the end. `join_of(left, right)` -> std::optional<Join> depends on its arguments alone.
template <class JoinOf>
std::vector<Symbol> join_neighbours(const std::vector<Symbol>& word, const JoinOf& join_of) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  struct Link {
    Symbol symbol;
    size_t previous, next;
    bool joined = false;  // now part of the one before it
  };
  struct Pair {
    double order;
    size_t left;
    bool operator>(const Pair& other) const { return std::tie(order, left) > std::tie(other.order, other.left); }
  };

  std::vector<Link> chain;
  chain.reserve(word.size());
  for (size_t i = 0; i < word.size(); ++i)
    chain.push_back({word[i], i == 0 ? kNone : i - 1, i + 1 == word.size() ? kNone : i + 1});

  const auto join_at = [&](size_t left) -> std::optional<Join> {
    const size_t right = chain[left].next;
    return right == kNone ? std::nullopt : join_of(chain[left].symbol, chain[right].symbol);
  };
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs;
  const auto push = [&](size_t left) {
    if (const std::optional<Join> join = join_at(left)) pairs.push({join->order, left});
  };
  for (size_t left = 0; left < chain.size(); ++left) push(left);

  while (!pairs.empty()) {
    const Pair pair = pairs.top();
    pairs.pop();
    Link& left = chain[pair.left];
    if (left.joined) continue;
    const std::optional<Join> join = join_at(pair.left);
    if (!join || join->order != pair.order) continue;  // a neighbour was joined since: another pair stands here
    Link& right = chain[left.next];
    left.symbol = {join->token, left.symbol.begin, right.symbol.end};
    right.joined = true;
    left.next = right.next;
    if (left.next != kNone) chain[left.next].previous = pair.left;
    push(pair.left);
    if (left.previous != kNone) push(left.previous);
  }

  std::vector<Symbol> rest;
  for (const Link& link : chain)
    if (!link.joined) rest.push_back(link.symbol);
  return rest;
}

}  // namespace kv

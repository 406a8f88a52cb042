// linear beside Eigen's own product, in one run: geometric mean of the ratio over the layer shapes of a model.
//
//   linear_bench [rounds]
//
// Goal: 0.70 of Eigen's f32 product at 512 tokens, 0.9 of its matrix-vector product at one. Rounds alternate, so that a
// busy machine slows both; the ratio of a shape is the median over rounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "cpu_reference/linear.h"

namespace {

using kv::cpu::Matrix;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct LayerShape {
  const char* name;
  int64_t in, out;
};

// The layers of SmolLM2-135M (model_dim 576, 9 heads and 3 KV heads of 64, hidden_dim 1536).
constexpr LayerShape kShapes[] = {{"query", 576, 576}, {"key", 576, 192}, {"gate", 576, 1536}, {"down", 1536, 576}};

struct Measured {
  double ratio;   // Eigen's time over ours, median
  double gflops;  // ours, best
};

Measured measure(const LayerShape& shape, int64_t tokens, int rounds, const kv::cpu::Run& run) {
  const Matrix<float> w = Matrix<float>::Random(shape.out, shape.in);
  const kv::WeightMatrix view{reinterpret_cast<const std::byte*>(w.data()), kv::Dtype::f32, shape.out, shape.in,
                              shape.name};
  const int repeats = tokens == 1 ? 200 : 1;
  std::vector<double> ratios;
  double best = 1e9;
  Matrix<float> theirs(tokens, shape.out);
  for (int round = 0; round < rounds; ++round) {
    const Matrix<float> x = Matrix<float>::Random(tokens, shape.in);
    const double start = seconds_now();
    for (int i = 0; i < repeats; ++i) kv::cpu::linear<float>(x, view, run);
    const double middle = seconds_now();
    for (int i = 0; i < repeats; ++i) {
      if (tokens == 1) {
        theirs.row(0).transpose().noalias() = w * x.row(0).transpose();
      } else {
        theirs.noalias() = x * w.transpose();
      }
      asm volatile("" : : "g"(theirs.data()) : "memory");
    }
    const double end = seconds_now();
    ratios.push_back((end - middle) / (middle - start));
    best = std::min(best, (middle - start) / repeats);
  }
  std::nth_element(ratios.begin(), ratios.begin() + rounds / 2, ratios.end());
  return {ratios[static_cast<size_t>(rounds / 2)], 2e-9 * static_cast<double>(tokens * shape.in * shape.out) / best};
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 31;
  kv::cpu::Team team(1);
  const kv::cpu::Run run{team};
  fmt::print("linear beside Eigen's f32 product, one thread, {} rounds, compiler {}\n\n", rounds, __VERSION__);
  fmt::print("{:>7}  {:8} {:>5} {:>5}  {:>9}  {:>8}\n", "tokens", "layer", "in", "out", "GFLOP/s", "of Eigen");
  for (const int64_t tokens : {1, 512}) {
    double log_sum = 0;
    for (const LayerShape& shape : kShapes) {
      const Measured m = measure(shape, tokens, rounds, run);
      fmt::print("{:>7}  {:8} {:>5} {:>5}  {:>9.1f}  {:>8.2f}\n", tokens, shape.name, shape.in, shape.out, m.gflops,
                 m.ratio);
      log_sum += std::log(m.ratio);
    }
    fmt::print("{:>7}  geometric mean {:>26.2f}   goal {}\n\n", tokens, std::exp(log_sum / std::size(kShapes)),
               tokens == 1 ? "0.90" : "0.70");
  }
}

// Numbers as the screen shows them and as words say them: one function for each kind, the same in every locale, so that
// pictures and words cannot differ.
#pragma once

#include <cstdint>
#include <string>

#include "model/counts.h"

namespace kv::viewer {

using kv::count_of, kv::with_commas;  // with these all numbers of the viewer are written

// "640 B", "448 KiB", "3.91 MiB": three digits; "7.5 KiB", without zeros at the end.
std::string bytes_text(int64_t bytes);
// Every byte of it while that can be read: "4,096 B"; from a MiB on as above.
std::string exact_bytes_text(int64_t bytes);
// "812 FLOP", "6.4 MFLOP", "570 MFLOP", "6.9 GFLOP": two digits, three from 100 on
std::string flops_text(int64_t flops);
// Two parts in the unit of their sum: "5.9 + 0.46 MFLOP"
std::string flops_sum_text(int64_t first, int64_t second);
// "850 µs", "0.54 ms", "41.3 ms", "2.07 s"
std::string seconds_text(double seconds);
// How a part stands to a whole: "1/8", "1/6.4", "1/90", "the same", "1.2 times". A part or whole of 0: "-".
std::string share_text(double part, double whole);
// Of a whole, in whole percent: "7 %", "under 1 %", "0 %", "100 %".
std::string percent_text(double part, double whole);
// How often `less` goes into `more`: "8", "6.4", "113".
std::string times_text(double more, double less);

}  // namespace kv::viewer

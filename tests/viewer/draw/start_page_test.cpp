// The start page: its sentences are those of the lanes that are shown, of the models that run or at a size.
#include "viewer/draw/start_page.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/growth_cases.h"
#include "tests/support/picture_check.h"
#include "viewer/session/number_text.h"

using namespace kv;
using namespace kv::viewer;

TEST_SUITE("viewer/draw/start_page") {
  TEST_CASE("the kinds of attention on the screen are told by how many query heads share a K and a V") {
    const RunView& four = growth_run("four models").run;
    check_says(start_page_paragraphs(four)[0],
               "MHA keeps them for each of its 8 query heads, GQA once for every 4, MQA once for all.");
    check_says(start_page_paragraphs(four, &sizes_to_compare()[1])[0],
               "MHA keeps them for each of its 64 query heads, GQA once for every 8, MQA once for all.");
    const std::string one = start_page_paragraphs(growth_run("one model").run)[0];
    check_says(one, "MQA keeps them once for all of its 8 query heads.");
    CHECK(one.find("MHA") == std::string::npos);
    CHECK(one.find("GQA") == std::string::npos);
    CHECK(one.find("MLA") == std::string::npos);
  }

  TEST_CASE("at a size the page says what that model would read, predicted, beside what the ones that run read") {
    const RunView& run = growth_run("four models").run;
    for (const SizeOf& size : sizes_to_compare()) {
      const std::string words = start_page_paragraphs(run, &size)[2];
      const int64_t context = size.variants[0].max_context;
      const LaneNumbers mha = predicted_numbers(size.variants[0], 1, context - 1, Dtype::bf16);
      const LaneNumbers mqa = predicted_numbers(size.variants[2], 1, context - 1, Dtype::bf16);
      check_says(words, "at the size of " + size.name + ", predicted");
      check_says(words, "full context of " + count_of(context, "token"));
      check_says(words, "up to " + bytes_text(mha.weight_bytes) + " of weights");
      check_says(words, "from " + bytes_text(mqa.cache_bytes_read) + " (MQA) to " + bytes_text(mha.cache_bytes_read) +
                            " (MHA) of cache in bf16");
      const int64_t running = numbers_of(run.lanes[3], run.lanes[3].last_step()).weight_bytes;
      check_says(words, "The models that run read about " + bytes_text(running));
    }
  }

  TEST_CASE("the page is drawn of the models whose numbers stand on the screen: in Attention, of those that run") {
    const RunView& run = growth_run("four models").run;
    const auto text_of = [&](Scene scene) {
      ViewState view = view_of(1440, 900, 20, 64);
      view.at_size_of = 0;
      view.scene = scene;
      std::string text;
      for (const Label& label : draw_start_page(run, view, {1166, 98, 1418, 782}, kFixedMeasure).labels())
        text += label.text + " ";
      return text;
    };
    check_says(text_of(Scene::growth), "Llama-3-8B");
    CHECK(text_of(Scene::attention).find("Llama-3-8B") == std::string::npos);
    check_says(text_of(Scene::attention), "8 query heads");
  }
}

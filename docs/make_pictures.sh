#!/usr/bin/env bash
# Pictures of every scene and state of the viewer: dark and light, 1440x900 and twice as fine. The same recordings give
# the same pixels, so a run is recorded once for each set of models and then replayed.
#
#   docs/make_pictures.sh [FOLDER] [PATTERN]    FOLDER: build/pictures; PATTERN: names to make, e.g. 'attention-*'
#
# KVLAB names the program when it is not ./kvlab. No display is needed: without one the pictures are drawn under
# xvfb-run. Exit status 1 when a picture could not be made.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "${1:-$root/build/pictures}/runs" || exit 1
folder=$(cd "${1:-$root/build/pictures}" && pwd)
pattern=${2:-*}
kvlab=${KVLAB:-$root/kvlab}
screen=()
if [[ -z ${DISPLAY:-} && -z ${WAYLAND_DISPLAY:-} ]]; then
  command -v xvfb-run >/dev/null || { echo 'make_pictures: no display, and no xvfb-run' >&2; exit 1; }
  screen=(xvfb-run -a)
fi
made=0 failed=0

# picture NAME OPTIONS...: in both themes and both scales.
picture() {
  local name=$1 theme
  shift
  # shellcheck disable=SC2053  # the pattern is one
  [[ $name == $pattern ]] || return 0
  for theme in dark light; do
    take "$name-$theme" --theme "$theme" --size 1440x900 --scale 1 "$@"
    take "$name-$theme@2" --theme "$theme" --size 2880x1800 --scale 2 "$@"
  done
}

# small NAME OPTIONS...: in windows with less room, where the panel lies over the scene.
small() {
  local name=$1 size
  shift
  # shellcheck disable=SC2053
  [[ $name == $pattern ]] || return 0
  for size in 1024x700 640x480; do take "$name-$size" --theme dark --size $size --scale 1 "$@"; done
}

take() {
  local file=$folder/$1.png
  shift
  if "${screen[@]}" "$kvlab" view --screenshot "$file" "$@" >"$folder/log" 2>&1; then
    made=$((made + 1))
  else
    failed=$((failed + 1))
    printf 'make_pictures: %s: %s\n' "$(basename "$file")" "$(tail -1 "$folder/log")" >&2
  fi
}

# record NAME STEP OPTIONS...: what $run replays, recorded as far as STEP unless it is there.
record() {
  local name=$1 step=$2
  shift 2
  run=(--run "$folder/runs/$name.run")
  [[ -e ${run[1]} ]] || "$kvlab" view --describe --step "$step" "${run[@]}" "$@" >/dev/null ||
    failed=$((failed + 1))
}

prompt='It is a truth universally acknowledged, that'
goldens=$root/tests/goldens

# --- Four models of one size: MHA, GQA, MQA, MLA ----------------------------------------------------------------------

record four 1100 --prompt "$prompt"
picture growth-start "${run[@]}" --step 0
picture growth-few "${run[@]}" --step 4
picture growth-hundred "${run[@]}" --step 98
picture growth-thousand "${run[@]}" --step 985
picture growth-full "${run[@]}" --step 1100
picture growth-cache-off "${run[@]}" --step 98 --cache off
for model in Llama-3-8B Llama-3-70B DeepSeek-V3; do
  picture "growth-size-of-$model" "${run[@]}" --step 98 --size-of $model
done
picture growth-zoom-mha "${run[@]}" --step 98 --variant MHA --zoom 1
picture growth-zoom-mqa "${run[@]}" --step 4 --variant MQA --zoom 3
picture growth-zoom-mla "${run[@]}" --step 98 --variant MLA --zoom 0
picture growth-inspector "${run[@]}" --step 98 --page inspector
picture growth-words "${run[@]}" --step 98 --page words
small growth-small "${run[@]}" --step 98

for variant in MHA GQA MQA MLA; do
  picture "attention-few-$variant" "${run[@]}" --scene attention --step 8 --variant $variant --layer 2 --head 3
  picture "attention-hundred-$variant" "${run[@]}" --scene attention --step 98 --variant $variant --layer 1 --head 2
  small "attention-small-$variant" "${run[@]}" --scene attention --step 98 --variant $variant --layer 1 --head 5
done
picture attention-start "${run[@]}" --scene attention --step 0 --variant GQA --head 5
picture attention-thousand "${run[@]}" --scene attention --step 985 --variant GQA --layer 3 --head 6
picture attention-full "${run[@]}" --scene attention --step 1100 --variant MQA --layer 2 --head 1
picture attention-cache-off "${run[@]}" --scene attention --step 40 --variant MHA --layer 2 --cache off
picture attention-materialised "${run[@]}" --scene attention --step 98 --variant MLA --layer 3 --form materialised
picture attention-inspector "${run[@]}" --scene attention --step 20 --variant GQA --page inspector
picture attention-words "${run[@]}" --scene attention --step 98 --variant MLA --layer 1 --page words

# --- A model of the reader's own, alone -------------------------------------------------------------------------------

record one 60 --prompt "$prompt" --model "$root/checkpoints/austen-gqa"
picture growth-one-model "${run[@]}" --step 40

# --- Thirty layers, where SmolLM2 has been fetched --------------------------------------------------------------------

if "$kvlab" inspect smollm2 >/dev/null 2>&1; then
  record thirty 130 --model smollm2 --prompt 'Once upon a time'
  picture growth-thirty-layers "${run[@]}" --step 100
  picture growth-zoom-thirty-layers "${run[@]}" --step 100 --zoom 12
  picture attention-thirty-layers "${run[@]}" --scene attention --step 100 --layer 17 --head 5
fi

# --- Windows, and no tokenizer: token ids -----------------------------------------------------------------------------

record window 100 --prompt 5,17,3,99,42,8,61 --model "$goldens/mistral-window"
for by in position slot; do
  picture "growth-window-by-$by" "${run[@]}" --step 40 --by $by
  picture "attention-window-by-$by" "${run[@]}" --scene attention --step 40 --layer 1 --head 2 --by $by
done
picture attention-window-few "${run[@]}" --scene attention --step 8 --layer 1 --head 2
small attention-window-small "${run[@]}" --scene attention --step 40 --layer 1 --head 2

record mixed 60 --prompt 5,17,3,99,42,8,61 --model "$goldens/qwen2-window-mix"
picture growth-window-mixed "${run[@]}" --step 30
picture attention-window-mixed "${run[@]}" --scene attention --step 30 --layer 0

rm -f "$folder/log"
echo "$made pictures in $folder, $failed failed"
((failed == 0))

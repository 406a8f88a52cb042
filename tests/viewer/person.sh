#!/usr/bin/env bash
# The window as a person uses it: a real X server (Xvfb), a window manager, a mouse and a keyboard. Takes about a minute.
#
#   tests/viewer/person.sh PROGRAM
#
# Where Xvfb, openbox or xdotool are missing it says so in one line and passes.
set -uo pipefail

program=$(readlink -f "${1:?usage: tests/viewer/person.sh PROGRAM}")
if answer=$("$program" view --profile --tokens 1 2>&1); [[ $answer == *"has no viewer"* ]]; then
  echo "1 test skipped: \"the window as a person uses it\" (this build has no viewer)"
  exit 0
fi
for tool in Xvfb openbox xdotool; do
  command -v "$tool" >/dev/null || { echo "1 test skipped: \"the window as a person uses it\" (no $tool here)"; exit 0; }
done

# shellcheck source=SCRIPTDIR/../support/check.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../support/check.sh"
scratch=$(mktemp -d)
quick=0 viewer=0 server=0 manager=0
end() {
  for process in $viewer $manager $server; do
    ((process == 0)) || kill "$process" 2>/dev/null
  done
  rm -rf "$scratch"
}
trap end EXIT

# --- Without a display ------------------------------------------------------------------------------------------------

mkdir -p "$scratch/home" "$scratch/here"
cd "$scratch/here" || exit 1
export HOME=$scratch/home
unset DISPLAY WAYLAND_DISPLAY XDG_CONFIG_HOME XDG_PICTURES_DIR

at=$EPOCHREALTIME
"$program" view >"$scratch/out" 2>"$scratch/err"
code=$?
took=$((${EPOCHREALTIME/./} - ${at/./}))
check "without a display the exit status is 1" test $code == 1
check "in less than two seconds" test $took -lt 2000000
check "one line says why, and what there is instead" grep -qE '^kvlab: .*DISPLAY.*--describe.*kvlab tour$' "$scratch/err"
check "and only one" test "$(wc -l <"$scratch/err")" == 1
"$program" >"$scratch/out" 2>"$scratch/err"
check "bare kvlab then runs the tour" grep -q "four models" "$scratch/out"
check "after one line" test "$(wc -l <"$scratch/err")" == 1

# --- The screen -------------------------------------------------------------------------------------------------------

# The server chooses a free number and writes it.
Xvfb -displayfd 3 -screen 0 1500x1000x24 3>"$scratch/number" >/dev/null 2>&1 &
server=$!
for ((i = 0; i < 100; ++i)); do [[ -s $scratch/number ]] && break; sleep 0.1; done
[[ -s $scratch/number ]] || { echo "1 test skipped: \"the window as a person uses it\" (Xvfb does not start)"; exit 0; }
DISPLAY=:$(<"$scratch/number")
export DISPLAY LIBGL_ALWAYS_SOFTWARE=1
openbox >/dev/null 2>&1 &
manager=$!
sleep 1

open() { # open ARGUMENTS...: leaves $viewer and $window
  "$program" view "$@" 2>"$scratch/err" &
  viewer=$!
  window=
  for ((i = 0; i < 100; ++i)); do
    window=$(xdotool search --onlyvisible --pid "$viewer" 2>/dev/null | tail -1)
    [[ -z $window ]] || break
    sleep 0.1
  done
  xdotool windowactivate --sync "$window" 2>/dev/null
  ((quick == 1)) || sleep 1
}
alive() { kill -0 "$viewer" 2>/dev/null; }
press() { xdotool key --window 0 "$@"; sleep 0.4; }
point() { xdotool mousemove --window "$window" "$1" "$2"; sleep 0.3; }
click() { point "$1" "$2"; xdotool click 1; sleep 0.4; }
close_window() { # as its title bar's button would; leaves $code
  xdotool windowactivate --sync "$window" 2>/dev/null
  xdotool key --clearmodifiers alt+F4
  wait "$viewer"
  code=$?
  viewer=0
}
used() { awk '{ print $14 + $15 }' "/proc/$viewer/stat"; }  # hundredths of a second of a core

# --- A visit ----------------------------------------------------------------------------------------------------------

open --tokens 200
check "the window opens" test -n "$window"
sleep 2; press space; press space; press space  # it plays by itself; now it stands still
press Right Right Left shift+Right Home End
check "it plays and steps" alive
point 300 770; xdotool mousedown 1; point 200 770; point 600 770; xdotool mouseup 1
point 400 300; press plus; press minus; click 400 200; press Escape
check "it scrubs, points and zooms" alive
press 2 Down Down; press c c; press l l; press b b; press 1
check "it switches scenes, lanes, cache, theme and panel" alive
press F1; press F1
press F6 F6 Return Tab Tab Return; press Escape Escape
check "the focus goes round" alive
click 600 24; press ctrl+a; xdotool type "Mr. Darcy soon"; press Return; sleep 2
press space  # the new run plays as well
check "another prompt runs" alive
xdotool mousemove --window "$window" 1300 400 click 5; press Page_Down Page_Up
check "the side panel's page turns" alive
press ctrl+e; sleep 1
check "a picture is exported to the home folder" test -n "$(find "$HOME" -name 'kvlab-growth-step-*.png')"
for size in "1 1" "1440 900" "300 200" "1200 800"; do
  # shellcheck disable=SC2086  # two words
  xdotool windowsize "$window" $size; sleep 0.3
done
check "it survives any size" alive
press l
for ((i = 0; i < 10; ++i)); do xdotool windowminimize "$window"; sleep 0.1; xdotool windowmap "$window"; sleep 0.1; done
check "it survives being minimised ten times" alive
# Left alone, once what was asked for in the background is done.
sleep 15
before=$(used); sleep 10; spent=$(($(used) - before))
check "left alone it takes less than 5 % of a core (took $spent hundredths of a second in 10 s)" test $spent -lt 50
close_window
check "it ends well when it is closed" test $code == 0
check "without a word" test ! -s "$scratch/err"
check "the theme is remembered in the configuration folder" grep -q '"light"' "$HOME/.config/kvlab/viewer.json"

# What is copied out of the field and pasted into it again reaches the run, which is kept.
open --tokens 5 --prompt "Emma 😀" --run "$scratch/pasted"
click 600 24; press ctrl+a ctrl+c End ctrl+v; press Return; sleep 1
close_window
check "a prompt that was copied and pasted is whole, with its emoji" \
  grep -aqF 'Emma 😀Emma 😀' "$scratch/pasted"

open --step 150
close_window
check "it may be closed while it records" test $code == 0
quick=1
open
close_window
check "and while it loads" test $code == 0

"$program" view --run "$scratch/ended" --model austen-gqa >"$scratch/out" 2>"$scratch/err" &
ended=$!
sleep 3
kill -TERM $ended
wait $ended
check "a signal to end closes it, and what it recorded is kept" test -s "$scratch/ended"

# --- Pictures ---------------------------------------------------------------------------------------------------------

picture() { "$program" view --run "$scratch/run" --step 30 --screenshot "$1" 2>"$scratch/err"; }
picture "$scratch/first.png"
picture "$scratch/second.png"
check "a recording gives the same picture twice, to the byte" cmp -s "$scratch/first.png" "$scratch/second.png"
check "and is one" test -s "$scratch/first.png"
"$program" view --frames "$scratch/frames" --from 3 --to 5 2>"$scratch/err"
check "--frames writes a picture a step" test "$(find "$scratch/frames" -name 'step-00000[345].png' | wc -l)" == 3
MESA_GL_VERSION_OVERRIDE=2.1 "$program" view >"$scratch/out" 2>"$scratch/err"
check "an OpenGL that is too old ends it with status 1" test $? == 1
check "and one line" test "$(wc -l <"$scratch/err")" == 1
check "no file appears in the current folder" test -z "$(ls -A "$scratch/here")"

conclude

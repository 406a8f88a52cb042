#!/usr/bin/env bash
# The launcher's promises, held against a small tree of stand-ins: neither network nor compiler is used, nothing is
# installed. Takes about a second.
#
# shellcheck disable=SC2016  # the stand-ins' texts expand when they run
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=SCRIPTDIR/support/check.sh
source "$root/tests/support/check.sh"

start() { # start COMMAND...: runs it on the stand-in tools alone; leaves $code, $scratch/out and $scratch/err
  : >"$scratch/log"
  env -i PATH="$scratch/bin" HOME="$scratch" LOG="$scratch/log" TREE="$scratch/tree" "${settings[@]}" "$@" \
    >"$scratch/out" 2>"$scratch/err" <<<"one line"
  code=$?
}
exits() { [[ $code == "$1" ]]; }
prints() { [[ $(<"$scratch/out") == "$1" ]]; }
says() { grep -qF -- "$1" "$scratch/err"; }
silent() { [[ ! -s $scratch/err ]]; }
did() { grep -qF -- "$1" "$scratch/log"; }
did_not() { ! did "$1"; }

stand_in() { # stand_in NAME: a tool whose text comes on stdin; it notes that it was called
  { printf '#!%s\n%s\n' "$(command -v bash)" "echo \"${1##*/} \$*\" >>\"\$LOG\""; cat; } >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}

# --- The stand-ins ----------------------------------------------------------------------------------------------------

mkdir -p "$scratch"/{bin,tree/{cli,model,tests},elsewhere}
cp "$root/kvlab" "$scratch/tree/"
touch "$scratch"/tree/{CMakeLists.txt,CMakePresets.json,cli/main.cpp,model/model.cpp}
for tool in bash env awk cat find flock mkdir mv nproc readlink touch; do
  ln -s "$(command -v "$tool")" "$scratch/bin/$tool"
done

stand_in g++ <<<'echo "__clang_major__ ${GCC_VERSION:-12}"'
stand_in c++ <<<'echo "__clang_major__ ${GCC_VERSION:-12}"'
stand_in clang++ <<<'echo "14 4"'
stand_in ninja </dev/null
stand_in pkg-config </dev/null
stand_in ctest <<<'echo "ctest says: $*"'
stand_in cmake <<'STAND_IN'
case $1 in
  --version) echo "cmake version ${CMAKE_VERSION:-3.25.1}" ;;
  --build)
    echo "a line of the build"
    [[ -z ${BROKEN-} ]] || exit 1
    mkdir -p "$2/cli" "$2/tests/fuzz"
    { echo '#!/usr/bin/env bash'; echo 'printf "<%s>" "$@"; cat; exit 7'; } >"$2/cli/kvlab"
    : >"$2/runs"; touch "$2/cli/kvlab"
    for name in write_seeds gguf_fuzz safetensors_fuzz config_fuzz tokenizer_fuzz; do
      { echo '#!/usr/bin/env bash'; echo 'echo "${0##*/} $*" >>"$LOG"'; echo '[[ ${0##*/} == "${FINDS-}" ]] || exit 0'
        echo 'echo "SUMMARY: something"; echo "Test unit written to $TREE/build/fuzz/found/x"; exit 77'
      } >"$2/tests/fuzz/$name"
      $CHMOD +x "$2/tests/fuzz/$name"
    done
    $CHMOD +x "$2/cli/kvlab" ;;
  *)
    echo "a line of the configure step, CXX=$CXX"
    mkdir -p "$TREE/build/$4"; : >"$TREE/build/$4/build.ninja" ;;
esac
STAND_IN
stand_in dpkg-query <<'STAND_IN'
for word in "$@"; do
  case $word in -*) ;; "${MISSING:-none}") echo "$word config-files" ;; *) echo "$word installed" ;; esac
done
STAND_IN
stand_in apt-get <<<'echo "apt-get talks"; exit ${APT_FAILS:-0}'
stand_in sudo <<<'exec "$@"'
with=("CHMOD=$(command -v chmod)")
settings=("${with[@]}")
cd "$scratch/elsewhere" || exit 1
kvlab=$scratch/tree/kvlab
forget() { rm -rf "$scratch/tree/build"; settings=("${with[@]}" "$@"); }

# --- The claims -------------------------------------------------------------------------------------------------------

start "$kvlab" generate "two words"
check "the first start hands on arguments, stdin and nothing else on stdout" prints "<generate><two words>one line"
check "the exit status is the program's" exits 7
check "the first start configures" did "--preset release"
check "what is installed is not installed again" did_not apt-get

start "$kvlab" again
check "the second start runs the program" prints "<again>one line"
check "the second start says nothing" silent
check "the second start calls no tool" did_not cmake

sleep 0.02; touch "$scratch/tree/model/model.cpp"
start "$kvlab" x
check "a changed source is built" did "--build"
check "a changed source does not configure anew" did_not "--preset"
sleep 0.02; touch "$scratch/tree/model/new.cpp"
start "$kvlab" x
check "a new source is built" did "--build"
sleep 0.02; rm "$scratch/tree/model/new.cpp"
start "$kvlab" x
check "a removed source is built" did "--build"
sleep 0.02; touch "$scratch/tree/tests/a_test.cpp"
start "$kvlab" x
check "a changed test does not build the program" did_not "--build"

ln -s "$kvlab" "$scratch/elsewhere/link"
start "$scratch/elsewhere/link" linked
check "a symlink works" prints "<linked>one line"

settings=("${with[@]}" CXX=clang++)
start "$kvlab" x
check "another CXX configures anew" did "--fresh"
check "another CXX is handed on" says "CXX=clang++"
start "$kvlab" x
check "the same CXX does not" silent
settings=("${with[@]}" CXX=clang++ KVLAB_CMAKE_ARGS="-DA=1 -DB=2")
start "$kvlab" x
check "KVLAB_CMAKE_ARGS reach the configure step" did "--fresh -DA=1 -DB=2"
settings=("${with[@]}" CXX=nonesuch)
start "$kvlab" x
check "a CXX that is not there is named" says "CXX is 'nonesuch'"
check "and ends the start" exits 1

forget GCC_VERSION=11
start "$kvlab" x
check "an old compiler is refused" says "'c++' is g++ 11; needed is g++ 12"
check "and ends the start" exits 1
forget CMAKE_VERSION=3.22.1
start "$kvlab" x
check "an old cmake is refused" says "this is cmake 3.22; needed is 3.25"

forget MISSING=libfmt-dev
start "$kvlab" x
check "a missing package is installed" did "--no-install-recommends libfmt-dev"
check "and named" says "installing: libfmt-dev"
check "apt-get does not talk on stdout" prints "<x>one line"
forget MISSING=libfmt-dev APT_FAILS=100
start "$kvlab" x
check "a failed install says what to do by hand" says "please install by hand: apt-get install libfmt-dev"
check "and goes on" prints "<x>one line"
forget MISSING=libfmt-dev KVLAB_NO_INSTALL=1
start "$kvlab" x
check "KVLAB_NO_INSTALL=1 installs nothing" did_not apt-get
check "says what to do by hand" says "please install by hand: apt-get install libfmt-dev"
check "and goes on" prints "<x>one line"
forget MISSING=libimgui-dev
start "$kvlab" x
check "a package of the viewer is installed" did "--no-install-recommends libimgui-dev"
check "and named" says "installing for the viewer: libimgui-dev"
forget MISSING=libimgui-dev APT_FAILS=100
start "$kvlab" x
check "one that cannot be installed is one line" says "going on without what the viewer wants: apt-get install libimgui-dev"
check "and the rest is built and runs" prints "<x>one line"
sleep 0.02; touch "$scratch/tree/model/model.cpp"
start "$kvlab" x
check "the next build does not try again" did_not apt-get
check "nor does it configure" did_not "--preset"
settings=("${with[@]}")
sleep 0.02; touch "$scratch/tree/model/model.cpp"
start "$kvlab" x
check "once the package is there the next build configures anew" did "--preset"
forget MISSING=libglfw3-dev KVLAB_NO_INSTALL=1
start "$kvlab" x
check "KVLAB_NO_INSTALL=1 installs nothing for the viewer either" did_not apt-get
check "and says what it does without" says "going on without what the viewer wants: apt-get install libglfw3-dev"
forget MISSING=g++ CXX=clang++
start "$kvlab" x
check "g++ is not asked for when CXX names another compiler" did_not apt-get
forget MISSING=ninja-build KVLAB_NO_INSTALL=1
mv "$scratch/bin/ninja" "$scratch/"
start "$kvlab" x
mv "$scratch/ninja" "$scratch/bin/"
check "a missing tool ends the start" says "cannot go on without ninja"
check "with exit status 1" exits 1
forget
mv "$scratch/bin/apt-get" "$scratch/"
start "$kvlab" x
mv "$scratch/apt-get" "$scratch/bin/"
check "without apt-get one line names what is needed" says "no apt-get on this system. Needed: g++ 12"
check "and the start goes on" prints "<x>one line"

forget BROKEN=1
start "$kvlab" x
check "a failed build shows the build's lines" says "a line of the build"
check "says so at the end" says "the build failed"
check "with exit status 1" exits 1
check "and nothing on stdout" prints ""
settings=("${with[@]}")
start "$kvlab" x
check "the next start builds" prints "<x>one line"

start "$kvlab" test -R model
check "test hands its arguments to ctest" prints "ctest says: --preset release --no-tests=error -R model"
check "and builds every target" did_not "--target"
forget
start "$kvlab" fuzz 5
check "fuzz configures with clang" says "CXX=clang++"
check "and builds the fuzzers alone" did "--target fuzzers"
for target in gguf safetensors config tokenizer; do
  check "fuzz runs the fuzzer of $target for so long" did "${target}_fuzz -max_total_time=5 "
  check "and says so" grep -qF "$target: nothing found" "$scratch/out"
done
check "fuzz ends well when nothing is found" exits 0
start "$kvlab" fuzz
check "fuzz takes a minute each unless told otherwise" did "gguf_fuzz -max_total_time=60 "
check "the second start does not configure" did_not "--preset"
settings=("${with[@]}" FINDS=config_fuzz)
start "$kvlab" fuzz 5
check "what is found is named" grep -qF "config: FOUND build/fuzz/found/x" "$scratch/out"
check "the other fuzzers run all the same" did "tokenizer_fuzz -max_total_time=5 "
check "and the exit status is 1" exits 1
start "$kvlab" fuzz long
check "fuzz wants a number of seconds" says "'long' is no number of seconds"
check "or is a wrong command line" exits 2
forget CXX=g++
start "$kvlab" fuzz
check "fuzz refuses g++" says "fuzzing needs clang"
check "with exit status 1" exits 1
forget MISSING=libclang-rt-dev
start "$kvlab" fuzz 5
check "what fuzzing needs is installed" did "--no-install-recommends libclang-rt-dev"
forget MISSING=libclang-rt-dev
start "$kvlab" x
check "and for nothing else" did_not apt-get
forget MISSING=libimgui-dev
start "$kvlab" fuzz 5
check "what the viewer wants is nothing to fuzzing" did_not apt-get

forget
for i in 1 2 3; do
  env -i PATH="$scratch/bin" LOG="$scratch/log.$i" TREE="$scratch/tree" "${with[@]}" "$kvlab" "$i" \
    >"$scratch/out.$i" 2>"$scratch/err.$i" </dev/null &
done
wait
check "of three starts at once one builds" test "$(cat "$scratch"/log.? | grep -c -- --build)" == 1
check "and all run" test "$(cat "$scratch"/out.?)" == "<1><2><3>"

if command -v shellcheck >/dev/null; then
  check "shellcheck has nothing to say" shellcheck -x "$root/kvlab" "$root/.ci/run" "$root/tests/launcher_test.sh" \
    "$root/tests/viewer/person.sh" "$root/tests/support/check.sh"
fi

conclude

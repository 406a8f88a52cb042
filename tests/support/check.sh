# Claims of a shell test, counted in $passed and $failed. To be sourced; what was said stands in $scratch/out and
# $scratch/err.
#
# shellcheck shell=bash disable=SC2154  # who sources this has made $scratch

failed=0 passed=0

check() { # check CLAIM COMMAND...
  local claim=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n  stdout: %s\n  stderr: %s\n' "$claim" "$(cat "$scratch/out" 2>/dev/null)" \
      "$(cat "$scratch/err" 2>/dev/null)"
  fi
}

conclude() { # the last command of a test, whose status is the test's
  echo "$passed passed, $failed failed"
  ((failed == 0))
}

#!/bin/sh
# Attacks everything for a week's worth:   tests/fuzz/weekly.sh [SECONDS [MUTANTS [KILLS]]]
# SECONDS per byte-level target (3000), MUTANTS through the optimized program (20000; a tenth as many through the one with sanitizers),
# KILLS of each command that writes (150). Builds what it runs: presets fuzz, release and asan-ubsan. VISQ_WEEK (default: this week's
# number) chooses the mutants, other ones every week. Ends with one table; what fails lies in build/weekly and in
# build/fuzz/corpus/TARGET-findings; the exit code is then 1.
set -u
seconds=${1:-3000} mutants=${2:-20000} kills=${3:-150}
root=$(cd "$(dirname "$0")/../.." && pwd) && cd "$root" || exit 2
week=${VISQ_WEEK:-$(date +%G%V)}
out=build/weekly
rm -rf "$out" && mkdir -p "$out" || exit 2

for preset in fuzz release asan-ubsan; do
  cmake --preset $preset > "$out/build-$preset.log" 2>&1 && cmake --build --preset $preset >> "$out/build-$preset.log" 2>&1 || {
    echo "the preset $preset does not build: $out/build-$preset.log" >&2
    exit 2
  }
done
LSAN_OPTIONS="suppressions=$root/tests/lsan.supp:print_suppressions=0"
export LSAN_OPTIONS

failed=0
# A line of the table: what ran, how much of it, in how many seconds, how it ended.
row() { printf '%-24s %12s %9s s  %s\n' "$1" "$2" "$3" "$4" >> "$out/table"; }
# attempt NAME AMOUNT COMMAND…: runs it, and adds its line.
attempt() {
  name=$1 amount=$2 start=$(date +%s)
  shift 2
  end=passed
  "$@" > "$out/$name.log" 2>&1 || { end="FAILED: $out/$name.log" failed=1; }
  row "$name" "$amount" $(($(date +%s) - start)) "$end"
}

# run_all.sh prints a line per target.
tests/fuzz/run_all.sh "$seconds" > "$out/fuzz.log" 2>&1 || failed=1
sed -n 's/^\([a-z0-9]*\) *\([0-9]*\) executions *\([0-9]*\) seconds *\(.*\)$/\1 \2 \3 \4/p' "$out/fuzz.log" |
  while read -r target runs time rest; do row "fuzz $target" "$runs" "$time" "$rest"; done

# mutants NAME FIRST AMOUNT BUILD
mutants() {
  attempt "$1" "$3" env VISQ_MUTANTS_KEEP="$root/$out/$1" VISQ_MUTANTS_FROM="$2" VISQ_MUTANTS="$3" \
    "build/$4/tests/visq_test_attack" --gtest_filter='Mutants*'
}
first=$((week % 10000 * 100000))
mutants mutants $first "$mutants" release
mutants mutants-sanitized $((first + mutants)) $((mutants / 10)) asan-ubsan
attempt kills "7 x $kills" env VISQ_KILLS="$kills" build/release/tests/visq_test_tool --gtest_filter='*Killed*'
attempt operator-variants all env VISQ_SLOW_TESTS=1 build/release/tests/visq_test_attack --gtest_filter='-Mutants*'
attempt sanitized-tests all ctest --preset asan-ubsan

cat "$out/table"
exit $failed

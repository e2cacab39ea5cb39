#!/bin/sh
# Runs every fuzz target for a given time, one after the other:   tests/fuzz/run_all.sh SECONDS [BUILD [CORPUS]]
# BUILD (default build/fuzz) is made by:   cmake --preset fuzz && cmake --build --preset fuzz
# CORPUS (default BUILD/corpus) keeps what was found to be worth keeping, so that the next run goes on from it.
# Prints a line per target: executions, seconds, findings. A finding is a file CORPUS/TARGET-findings/*; the exit code is then 1.
set -u
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
seconds=$1
here=$(cd "$(dirname "$0")" && pwd)
build=${2:-$here/../../build/fuzz}
corpus=${3:-$build/corpus}
build=$(cd "$build" && pwd) || exit 2
mkdir -p "$corpus"
[ -d "$corpus/model-cases" ] || "$build/tests/fuzz/visq_fuzz_seeds" "$corpus/model-cases"

failed=0
for program in "$build"/tests/fuzz/visq_fuzz_*; do
  target=${program##*visq_fuzz_}
  [ "$target" = seeds ] && continue
  [ -x "$program" ] || continue
  mkdir -p "$corpus/$target" "$corpus/$target-findings"
  seeds=
  for folder in "$here/seeds/$target" "$here/regressions/$target" "$corpus/$target-cases" "$here/../../../shared/models/ops" \
                "$here/../../../shared/models/control_flow"; do
    case $folder in */shared/*) [ "$target" = model ] || continue ;; esac
    [ -d "$folder" ] && seeds="$seeds $folder"
  done
  # Memory that is freed is kept back a while to find late uses of it: not more than the limit of 1 GiB allows.
  signals= options="quarantine_size_mb=64:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
  # The HDF5 library's own crashes end the process as they end the tool, and libFuzzer starts the next one.
  [ "$target" = hdf5 ] && signals="-handle_segv=0 -handle_abrt=0 -handle_fpe=0 -handle_bus=0 -handle_ill=0 -fork=1"
  log="$corpus/$target.log"
  [ "$target" = hdf5 ] && options="$options:handle_segv=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:handle_sigbus=0"
  # Weighing inputs by how rare their features are (entropic) took nine tenths of the time of `model`.
  # shellcheck disable=SC2086
  ASAN_OPTIONS="$options" "$program" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -max_len=32768 -entropic=0 -print_final_stats=1 $signals \
    -artifact_prefix="$corpus/$target-findings/" ${VISQ_FUZZ_OPTIONS:-} "$corpus/$target" $seeds > "$log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
  [ -n "$runs" ] || runs=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$log" | tail -1)
  found=$(find "$corpus/$target-findings" -type f | wc -l)
  printf '%-10s %12s executions %8s seconds %4s findings (exit code %s)\n' "$target" "${runs:-0}" "$seconds" "$found" "$code"
  [ "$found" -eq 0 ] && [ "$code" -eq 0 ] || failed=1
done
exit $failed

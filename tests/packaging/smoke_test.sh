#!/bin/sh
# Is the tool installed below PREFIX (default: /usr) usable? Needs nothing but itself: no root, no network, no compiler.
#   smoke_test.sh [PREFIX [EXAMPLE]]     EXAMPLE: the folder examples/digits; default: the installed one
# Prints a line per step; the first that fails ends it with exit code 1.
set -eu
prefix=${1:-/usr}
example=${2:-$prefix/share/doc/visqerror/examples/digits}
tool=$prefix/bin/visqerror
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step() {
  name=$1
  shift
  if "$@" > "$work/log" 2>&1; then
    echo "ok      $name"
  else
    echo "FAILED  $name: $*"
    cat "$work/log"
    exit 1
  fi
}

says() {
  wanted=$1
  shift
  "$@" > "$work/said" && grep -q -e "$wanted" "$work/said"
}

step "--version names the kernel libraries" says '^oneDNN .*, uses ' "$tool" --version
step "--help" says '^Commands:' "$tool" --help
step "compare" says '^index  name .* SQNR' "$tool" compare "$example/fp32.tflite" "$example/int8.tflite" -d "$example/data.h5"
step "compare of circle models" "$tool" compare "$example/fp32.circle" "$example/int8.circle" -d "$example/data.h5" -o "$work/out"
step "its result files" test -s "$work/out/result.json" -a -s "$work/out/fp32.mse.visq.json"
step "integer execution" "$tool" run "$example/int8.tflite" -d "$example/data.h5" --mode integer --records 2 -o "$work/maps.h5"
step "report, which lays out a graph" "$tool" report "$example/fp32.tflite" "$example/int8.tflite" -d "$example/data.h5" --records 2 \
  --quick -o "$work/report.html"
step "wrong words give exit code 2" sh -c '"$1" comprae 2> /dev/null; test $? -eq 2' sh "$tool"
for page in visqerror visqerror-compare; do
  step "man page $page" sh -c 'gzip -dc "$1" 2> /dev/null | grep -q "^\.SH NAME" || grep -q "^\.SH NAME" "${1%.gz}"' sh \
    "$prefix/share/man/man1/$page.1.gz"
done
if command -v man > /dev/null && [ "$prefix" = /usr ]; then
  step "man finds it" man -w visqerror visqerror-compare
fi
for file in bash-completion/completions/visqerror zsh/vendor-completions/_visqerror fish/vendor_completions.d/visqerror.fish \
  doc/visqerror/copyright doc/visqerror/README.md doc/visqerror/docs/README.md; do
  step "share/$file" test -s "$prefix/share/$file"
done
echo "passed"

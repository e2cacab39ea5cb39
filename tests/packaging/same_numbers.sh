#!/bin/bash
# Do two builds of visqerror compute the same numbers? Runs every model of the folders with both, compares each with the float one beside it,
# and holds all feature maps and results against each other, byte for byte. Ends with 1 where anything differs.
#   same_numbers.sh PROGRAM OTHER FOLDER...     FOLDER: models beside data.h5, the float one of each format called fp32.*, as examples/digits
#   VISQ_RECORDS    how many records; default: 2
set -euo pipefail
programs=("$(realpath "$1")" "$(realpath "$2")")
shift 2
records=${VISQ_RECORDS:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=0
different=0

# Both write $work/out; the exit code and what is written have to be the same. A model that neither can run says nothing, and is not counted.
hold() {  # FOLDER WORDS...
  local folder=$1 codes=() i
  shift
  for i in 0 1; do
    rm -f "$work/out"
    codes[i]=0
    (cd "$folder" && "${programs[i]}" "$@" --records "$records" --quiet) > "$work/log$i" 2>&1 || codes[i]=$?
    if [ -e "$work/out" ]; then mv "$work/out" "$work/out$i"; fi
  done
  if [ ! -e "$work/out0" ] && [ "${codes[0]}" = "${codes[1]}" ]; then return; fi
  if [ "${codes[0]}" = "${codes[1]}" ] && cmp -s "$work/out0" "$work/out1"; then
    same=$((same + 1))
  else
    different=$((different + 1))
    echo "differs in $folder: visqerror $*"
  fi
  rm -f "$work"/out?
}

for folder in "$@"; do
  for model in "$folder"/*.tflite "$folder"/*.circle; do
    if [ ! -e "$model" ]; then continue; fi
    name=$(basename "$model")
    for mode in fp32 fake-quant integer; do hold "$folder" run "$name" -d data.h5 --mode "$mode" -o "$work/out"; done
    float=fp32.${name##*.}
    if [ -e "$folder/$float" ] && [ "$name" != "$float" ]; then hold "$folder" compare "$float" "$name" -d data.h5 --json "$work/out"; fi
  done
done
echo "$same runs are the same, $different differ"
[ "$same" -gt 0 ] && [ "$different" -eq 0 ]

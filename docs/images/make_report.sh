#!/bin/sh
# Makes report.png, the picture of the README, again: make_report.sh VISQERROR. Takes chromium and python3 with Pillow.
set -eu
tool=$1
here=$(cd "$(dirname "$0")" && pwd)
example=$here/../../examples/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tool" report "$example/fp32.tflite" "$example/int8_miscalibrated.tflite" -d "$example/data.h5" --labels "$example/labels.npy" --quiet \
  -o "$work/report.html"
chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,880 --virtual-time-budget=3000 \
  --screenshot="$work/report.png" "file://$work/report.html" 2> /dev/null
# A palette makes a picture of flat colours a third as large.
"${PYTHON:-python3}" -c 'import sys; from PIL import Image; Image.open(sys.argv[1]).convert("RGB").quantize(128).save(sys.argv[2], optimize=True)' \
  "$work/report.png" "$here/report.png"

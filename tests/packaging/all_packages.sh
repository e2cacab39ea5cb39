#!/bin/bash
# Makes the tarball, the .deb, the wheel and the wheel for every Linux, installs each where nothing of it is, runs the main job and `report`,
# and compares the JSON and the page with those of the build tree, byte for byte. With debootstrap and as root each gets a bare root of its
# own (which takes the network); otherwise the tarball gets an empty folder, a wheel a fresh virtual environment, all a bare environment, and
# the .deb is left out, which is said.
#   all_packages.sh BUILD [tarball|deb|wheel|manylinux ...]      default: all four
#   VISQ_PYTHON    the Python that makes the wheels; default: python3. For `manylinux` see packaging/manylinux/make_wheel.sh.
#   VISQ_WHEEL     a wheel that `pip wheel` has made of these sources already; default: it is made, which takes minutes
#   VISQ_SUITES    the distributions of the bare roots; default: bookworm. The .deb, made for the one it was built on, goes into the first.
#   VISQ_OLDER     those that only `manylinux` gets besides; default: bullseye. Ubuntu's (jammy …) take its package ubuntu-keyring.
#   VISQ_ROOTS     where bare roots are kept, SUITE or what debootstrap makes for it, so that the next run need not fetch them again
#   VISQ_MIRROR    where debootstrap fetches from; default: its own
set -euo pipefail
build=$(realpath "$1")
shift
packages=("$@")
if [ ${#packages[@]} -eq 0 ]; then packages=(tarball deb wheel manylinux); fi
source=$(realpath "$(dirname "$0")/../..")
python=${VISQ_PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bare=""
if command -v debootstrap > /dev/null && [ "$(id -u)" = 0 ]; then bare=yes; fi

roots=${VISQ_ROOTS:-$work/roots}
suites=(${VISQ_SUITES:-bookworm})
older=(${VISQ_OLDER:-bullseye})
quiet=(fp32.tflite int8.tflite -d data.h5 --quiet)

# The bundled example, from its own folder, so that JSON and page name the same paths.
main_job() {  # NAME PROGRAM...: writes NAME.json and NAME.html, and sets `took` to the seconds since `begun`
  local name=$1
  shift
  mkdir -p "$work/digits" && cp "$source"/examples/digits/*.{tflite,h5} "$work/digits"
  (cd "$work/digits" && env -i HOME="$work" PATH=/usr/bin:/bin "$@" compare "${quiet[@]}" --json - > "$work/$name.json")
  took=$((SECONDS - begun))
  (cd "$work/digits" && env -i HOME="$work" PATH=/usr/bin:/bin "$@" report "${quiet[@]}" --quick -o page.html > "$work/$name.log")
  mv "$work/digits/page.html" "$work/$name.html"
}

# With /proc in it, where the loader reads which folder a program is in; gone when the command ends.
enter() { local root=$1; shift; unshare --fork --pid --root="$root" --mount-proc "$@"; }

in_root() {  # NAME PROGRAM...: the same in the root NAME
  local name=$1 inside=(enter "$work/$1" env -i PATH=/usr/bin:/bin:/opt/venv/bin sh -c 'cd /digits && exec "$@"' sh)
  shift
  "${inside[@]}" "$@" compare "${quiet[@]}" --json - > "$work/$name.json"
  took=$((SECONDS - begun))
  "${inside[@]}" "$@" report "${quiet[@]}" --quick -o page.html > "$work/$name.log"
  mv "$work/$name/digits/page.html" "$work/$name.html"
}

root() {  # NAME SUITE: a bare root with the example in it
  if [ ! -d "$roots/$2" ]; then
    local options=(--variant=minbase)
    # Where Ubuntu keeps python3-venv.
    if grep -q ubuntu "/usr/share/debootstrap/scripts/$2"; then options+=(--components=main,universe); fi
    mkdir -p "$roots"
    debootstrap "${options[@]}" "$2" "$roots/$2.part" ${VISQ_MIRROR:+"$VISQ_MIRROR"} > "$work/debootstrap.log"
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
    begun=$SECONDS
    mkdir -p "$work/$1/opt" && tar -xzf "$work"/pack/*.tar.gz -C "$work/$1/opt" --strip-components=1
    in_root "$1" /opt/bin/visqerror
  else
    begun=$SECONDS
    mkdir "$work/unpacked" && tar -xzf "$work"/pack/*.tar.gz -C "$work/unpacked" --strip-components=1
    main_job "$1" "$work/unpacked/bin/visqerror"
  fi
}

make_deb() { (cd "$build" && cpack -G DEB -B "$work/pack") > "$work/cpack.log"; }

install_deb() {  # NAME SUITE
  root "$1" "$2"
  cp "$work"/pack/*.deb "$work/$1/"
  begun=$SECONDS
  enter "$work/$1" sh -c 'apt-get update && apt-get install -y --no-install-recommends /*.deb' > "$work/apt.log" 2>&1
  in_root "$1" visqerror
}

make_wheel() {
  if [ -n "$(ls "$work"/wheel/*.whl 2> /dev/null)" ]; then return; fi
  mkdir -p "$work/wheel"
  if [ -n "${VISQ_WHEEL:-}" ]; then
    cp "$VISQ_WHEEL" "$work/wheel"
  else
    "$python" -m pip wheel --quiet --no-deps --wheel-dir "$work/wheel" "$source"
  fi
}

make_manylinux() {
  make_wheel
  VISQ_PYTHON=$python "$source/packaging/manylinux/make_wheel.sh" "$work"/wheel/*.whl "$work/manylinux"
}

install_from() {  # FOLDER NAME SUITE
  local file
  file=$(ls "$work/$1"/*.whl)
  if [ -n "$bare" ]; then
    root "$2" "$3"
    cp "$file" "$work/$2/"
    enter "$work/$2" sh -c 'apt-get update && apt-get install -y --no-install-recommends python3 python3-venv' > "$work/apt.log" 2>&1
    # What this machine's pip needs to reach its index.
    if [ -e /etc/pip.conf ]; then cp /etc/pip.conf "$work/$2/etc/"; fi
    mkdir -p "$work/$2/etc/ssl/certs" && cp -L /etc/ssl/certs/ca-certificates.crt "$work/$2/etc/ssl/certs/"
    begun=$SECONDS
    enter "$work/$2" sh -c 'python3 -m venv /opt/venv && /opt/venv/bin/pip install --quiet /*.whl'
    in_root "$2" visqerror
  else
    begun=$SECONDS
    "$python" -m venv "$work/venv-$1"
    "$work/venv-$1/bin/pip" install --quiet "$file"
    main_job "$2" "$work/venv-$1/bin/visqerror"
  fi
}

install_wheel() { install_from wheel "$@"; }
install_manylinux() { install_from manylinux "$@"; }

try() {  # PACKAGE SUITE
  local name=$1-$2
  "install_$1" "$name" "$2"
  cmp "$work/expected.json" "$work/$name.json"
  cmp "$work/expected.html" "$work/$name.html"
  echo "ok      $1 on $2: installed and compared in $took s, the same JSON, the same page"
  rm -rf "${work:?}/$name"
}

declare -A product=([tarball]=pack/*.tar.gz [deb]=pack/*.deb [wheel]=wheel/*.whl [manylinux]=manylinux/*.whl)
begun=$SECONDS
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
    if [ "$package" = manylinux ]; then for suite in "${older[@]}"; do try "$package" "$suite"; done; fi
  fi
done
echo "passed"

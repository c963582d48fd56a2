#!/bin/bash
# ./test --packages: makes the packages, installs each into a fresh root with nothing but Debian's base
# system, and releases something there. Needs root rights and a Debian mirror: $DEBIAN_MIRROR, or the
# first one this machine takes its packages from. The base system is kept in build/clean_roots. With a folder
# as its argument it tries the packages that are there; names of trials after it run only those.

set -uo pipefail
exec </dev/null
root=$(CDPATH='' cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.." && pwd) || exit 1
# shellcheck source=scripts/prepare.sh
source "$root/scripts/prepare.sh"
packages=${1:-$root/build/packages}
roots=$root/build/clean_roots
base=$roots/base
mkdir -p -- "$roots" || exit 1
exec {lock}>"$roots/lock" || exit 1
flock "$lock"

if ((EUID != 0)); then
  say "a clean root needs the rights of root"
  exit 1
fi
require_packages "${run_packages[@]}" "${packing_packages[@]}" "${trying_packages[@]}" || exit 1

# mirror_of_this_machine: where apt finds the package with Debian's files.
mirror_of_this_machine() {
  apt-cache policy base-files | grep -oEm1 'https?://[^ ]+'
}

# inside ROOT COMMAND...: runs the command there, in namespaces of its own, with an empty environment.
inside() {
  local place=$1
  shift
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    if [[ -d $0/root/.cache/ccache ]]; then mount --bind "$(ccache -k cache_dir)" "$0/root/.cache/ccache"; fi &&
    exec chroot "$0" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive "$@"' "$place" "$@"
}

if [[ ! -e $base.done ]]; then
  say "making a base system"
  rm -rf -- "$base"
  if ! debootstrap --variant=minbase bookworm "$base" "${DEBIAN_MIRROR:-$(mirror_of_this_machine)}" >"$base.log" 2>&1 ||
     ! inside "$base" apt-get update >>"$base.log" 2>&1; then
    tail -n 20 -- "$base.log" >&2
    exit 1
  fi
  touch -- "$base.done"
fi

passed=0
failed=0
only=" ${*:2} "
# trial NAME SCRIPT: runs the script in a fresh copy of the base system that has the packages in /packages.
trial() {
  local place=$roots/$1 log=$roots/$1.log
  if [[ $only != "  " && $only != *" $1 "* ]]; then return; fi
  rm -rf -- "$place"
  cp -a -- "$base" "$place"
  cp -L -- /etc/resolv.conf "$place/etc/resolv.conf"
  cp -r -- "$packages" "$place/packages"
  mkdir -- "$place/root/tests"
  cp -r -- "$root/examples" "$place/root/"
  cp -r -- "$root/tests/consumer" "$place/root/tests/"
  if command -v ccache >/dev/null; then mkdir -p -- "$place/root/.cache/ccache"; fi # what was compiled before
  if inside "$place" bash -euxc "cd /root; $2" >"$log" 2>&1; then
    passed=$((passed + 1))
    printf 'packages.%s: passed\n' "$1"
    rm -rf -- "$place"
  else
    failed=$((failed + 1))
    tail -n 30 -- "$log"
    printf 'packages.%s: FAILED (%s)\n' "$1" "$log"
  fi
}

install='apt-get install -y --no-install-recommends'
release='release count examples/wages.csv --epsilon 1 --delta 1e-6 --output -'
epsilon='echo "{\"mechanism\": \"gaussian\", \"standard_deviation\": 50, \"sensitivity\": 1, \"count\": 1000}"'
smoke="
import modicum
wages = modicum.release('mean', 'examples/wages.csv', select=['wage'], bounds={'wage': (0, 60)}, epsilon=1, delta=1e-6)
assert wages.certificate['guarantee'] == 'proved' and 0 < wages.column('value')['wage'] < 60, wages
assert abs(modicum.subsampled_gaussian(standard_deviation=1, sampling_rate=0.01, count=1000).epsilon(1e-5) - 1.828237) < 1e-6
print(modicum.__file__)"

if [[ ${1-} ]] || "$root/scripts/make_packages.sh"; then
  trial program "$install man-db /packages/modicum_*.deb
    modicum --version; modicum $release; $epsilon | modicum epsilon - --delta 1e-6
    test -e /usr/share/bash-completion/completions/modicum
    man --warnings -E UTF-8 -l /usr/share/man/man1/modicum-release-mean.1.gz | grep -q bounds
    for page in \$(dpkg -L modicum | grep man1/); do zcat \$page | head -1 | grep -q '^.TH'; done
    apt-get purge -y modicum; ! test -e /usr/bin/modicum"
  trial library "$install g++ cmake ninja-build /packages/libmodicum-dev_*.deb
    cmake -S tests/consumer -B made -G Ninja; cmake --build made; cd made; ./consumer"
  trial python "$install /packages/python3-modicum_*.deb
    python3 -c \"$smoke\""
  # What the wheel takes from the system is what it says itself; numpy stands for what pip would bring.
  trial wheel "$install python3-venv python3-numpy
    python3 -m venv --system-site-packages venv; venv/bin/pip install --no-index /packages/*.whl
    ! venv/bin/python -c 'import modicum' 2>said; grep -o 'apt-get install .*' said
    $install \$(grep -o 'apt-get install .*' said | cut -d' ' -f3-)
    venv/bin/python -c \"$smoke\"; venv/bin/modicum $release"
  trial source "if [[ -d .cache/ccache ]]; then $install ccache; fi
    tar -xzf /packages/modicum-*.tar.gz; cd modicum-*
    ./modicum --version; ./modicum $release"
else
  failed=1
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))

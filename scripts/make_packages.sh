#!/bin/bash
# Makes the packages of the commit that is checked out, in build/packages or the folder given:
#
#   modicum-VERSION.tar.gz                   the sources, which build by themselves
#   modicum_*.deb, libmodicum-dev_*.deb,     program; library, headers and what CMake reads;
#   python3-modicum_*.deb                    package for Debian's Python
#   modicum-VERSION-cp311-*.whl              package for an environment of Debian's Python
#
# Everything is built from the unpacked source archive. DEBFULLNAME and DEBEMAIL name the maintainer
# of the Debian packages.

set -euo pipefail
exec </dev/null
root=$(CDPATH='' cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
# shellcheck source=scripts/prepare.sh
source "$root/scripts/prepare.sh"
if [[ ${1-} == -* ]] || (($# > 1)); then
  echo "usage: scripts/make_packages.sh [FOLDER]" >&2
  exit 2
fi
mkdir -p -- "$root/build" "${1:-$root/build/packages}"
output=$(CDPATH='' cd -P -- "${1:-$root/build/packages}" && pwd)

require_packages "${run_packages[@]}" "${python_packages[@]}" "${packing_packages[@]}"
if [[ $(git -C "$root" status --porcelain) ]]; then
  say "packing the last commit, without what was changed since"
fi

version=$(sed -n 's/^project(modicum VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
maintainer="${DEBFULLNAME:-Modicum contributors} <${DEBEMAIL:-nobody@modicum.invalid}>"
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct) # the same commit makes the same files
export SOURCE_DATE_EPOCH

name=modicum-$version
work=$root/build/packing
log=$root/build/packing.log
tree=$work/$name
rm -rf -- "$work"
rm -f -- "$output"/{,lib}modicum*.{deb,whl,tar.gz} "$output"/python3-modicum_*.deb
mkdir -p -- "$work"
git -C "$root" archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$output/$name.tar.gz"
tar -xzf "$output/$name.tar.gz" -C "$work"

cp -r -- "$tree/packaging/debian" "$tree/debian"
sed -i "s/@MAINTAINER@/$maintainer/" "$tree/debian/control"
cat >"$tree/debian/changelog" <<END
modicum ($version-1) unstable; urgency=medium

  * Version $version; changelog.gz beside this file tells what is new.

 -- $maintainer  $(date -uRd "@$SOURCE_DATE_EPOCH")
END

say "building the packages"
if ! (cd -- "$tree" && dpkg-buildpackage --build=binary --no-sign) >"$log" 2>&1; then
  tail -n 40 -- "$log" >&2
  say "could not build the packages; the whole log is $log"
  exit 1
fi
lintian --fail-on error "$work"/*.changes >&2
mv -- "$work"/*.deb "$tree"/wheel/*.whl "$output/"
rm -rf -- "$work"
(cd -- "$output" && ls -1sh -- *.tar.gz *.deb *.whl) >&2

# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by ./modicum, ./test and others: installs packages, configures and builds.
# Everything here writes to standard error or to a log, never to standard output.
# Needs: $root, the absolute path of the repository.

# What building and running the program takes.
run_packages=(
  g++ cmake ninja-build
  libeigen3-dev libopenblas-openmp-dev liblapacke-dev libflint-dev libflint-arb-dev
  libfmt-dev nlohmann-json3-dev libcli11-dev libsodium-dev zlib1g-dev
  libsqlite3-dev libpq-dev libcpp-httplib-dev pkg-config
)
# What the Python package takes beyond that.
python_packages=(python3-dev pybind11-dev)
# What making packages takes beyond both (scripts/make_packages.sh), and trying them (./test --packages).
packing_packages=(debhelper dh-python lintian git)
trying_packages=(debootstrap)
# What the tests take beyond programs and the Python package.
test_packages=(
  make libgtest-dev librapidcheck-dev python3 clang-14 libclang-rt-14-dev nodejs
  python3-numpy python3-sklearn python3-matplotlib python3-pandas
  python3-dask python3-distributed
  python3-pip python3-venv mypy postgresql
  python3-sphinx python3-myst-parser furo
  python3-nbclient python3-nbformat python3-ipykernel
  chromium chromium-driver
)

# say TEXT: one line that stays.
say() { printf 'modicum: %s\n' "$1" >&2; }

# progress TEXT: a line that the next one overwrites; silent unless on a terminal.
progress() { if [[ -t 2 ]]; then printf '\r\033[Kmodicum: %s' "$1" >&2; fi; }
end_progress() { if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi; }

# require_packages NAME...: installs what is missing, or says how to.
require_packages() {
  command -v dpkg-query >/dev/null || return 0 # not Debian: CMake will name what it misses
  local -A present=()
  local -a missing=()
  local name status
  while read -r name status; do
    if [[ $status == installed ]]; then present[$name]=1; fi
  done < <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
  for name in "$@"; do
    if [[ ! ${present[$name]-} ]]; then missing+=("$name"); fi
  done
  if ((${#missing[@]} == 0)); then return 0; fi

  if ((EUID != 0)); then
    printf 'sudo apt-get install %s\n' "${missing[*]}" >&2
    return 1
  fi
  say "installing ${missing[*]}"
  local log=$root/build/packages.log
  local -a apt_get=(env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=600)
  if ! { "${apt_get[@]}" update
         "${apt_get[@]}" install --no-install-recommends "${missing[@]}"; } \
         >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    say "could not install the packages; the whole log is $log"
    return 1
  fi
}

# build_preset PRESET [CMAKE_OPTION...]: configures and builds build/PRESET.
build_preset() {
  local preset=$1 directory=$root/build/$1 log=$root/build/$1.log
  shift
  # A build folder that came from elsewhere knows wrong paths.
  local cache=$directory/CMakeCache.txt
  if [[ -e $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf -- "$directory"
  fi

  progress "configuring ($preset)"
  local -a configure=(cmake --preset "$preset" "$@")
  if ! (cd -- "$root" && "${configure[@]}") >"$log" 2>&1 </dev/null; then
    # An interrupted configuration can leave half a cache behind: once more from nothing.
    rm -rf -- "$cache" "$directory/CMakeFiles"
    if ! (cd -- "$root" && "${configure[@]}") >"$log" 2>&1 </dev/null; then
      end_progress
      cat -- "$log" >&2
      say "could not configure the preset $preset"
      return 1
    fi
  fi

  : >"$log"
  if ! (cd -- "$root" &&
        NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" -j "$(nproc)") \
        2>&1 </dev/null | show_steps "$preset" "$log"; then
    end_progress
    grep -v '^\[[0-9]*/[0-9]*\] ' -- "$log" | tail -n 200 >&2
    say "could not build the preset $preset; the whole log is $log"
    return 1
  fi
  end_progress
}

# show_steps PRESET LOG: appends its input to LOG and shows how far it is: on a terminal one line with
# ninja's counter and what is built, else a line for every tenth.
show_steps() {
  local line what tenth shown=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$2"
    if [[ ! $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then continue; fi
    if [[ -t 2 ]]; then
      what=${BASH_REMATCH[3]##*/}
      progress "building ($1) ${BASH_REMATCH[1]}/${BASH_REMATCH[2]} ${what%.o}"
      continue
    fi
    tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    if ((tenth > shown && BASH_REMATCH[2] >= 10)); then
      shown=$tenth
      say "building ($1): ${shown}0 %"
    fi
  done
}

#!/bin/sh
# Fetches the libtorch that the trainer is linked with, and points `.libtorch` at it.
#
#   scripts/libtorch.sh
#
# The files go into a folder of the user's cache, so that every checkout shares them and
# `cargo clean` leaves them alone:
#
#   ${GIUTHI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/giuthi}/libtorch-2.13.0-cpu
#
# They come out of the PyTorch wheel, through pip, because pip already knows the user's package
# index, proxy and certificates. Only the CPU libraries are kept. Running the script again when
# all is in place costs a few milliseconds and changes nothing.
#
# A libtorch of your own (a CUDA build, say) wins: set LIBTORCH, or LIBTORCH_USE_PYTORCH=1.
set -eu
umask 022

# The one version that the `tch` release in Cargo.toml accepts. Change them together.
version=2.13.0
name=libtorch-$version-cpu

# Requirement and SHA-256 of each wheel. The two small ones are here because libtorch_cpu.so
# names their libraries; without CUDA nothing in them is called.
torch_wheel="torch==$version"
torch_hash=60fcdcb2f3876e21146cb4524ef06397d727ca9ad5f020818547e25075fe3cb7
cupti_wheel=nvidia-cuda-cupti==13.0.85
cupti_hash=4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8
cudart_wheel=nvidia-cuda-runtime==13.0.96
cudart_hash=7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548

# Every library that is kept, with its size in bytes: enough to notice a damaged copy in no time.
libraries="libtorch_cpu.so:438418417 libtorch.so:89185 libc10.so:1623185 libgomp.so.1:254009 libcupti.so.13:4152208 libcudart.so.13:704288"

say() { printf '%s\n' "libtorch: $*"; }
die() {
    for line in "$@"; do printf '%s\n' "libtorch: $line" >&2; done
    exit 1
}
by_hand() {
    die "$1" \
        "Bring PyTorch $version yourself, then build in one of these two ways:" \
        "  LIBTORCH=/path/to/libtorch   (the folder that holds include/ and lib/), or" \
        "  LIBTORCH_USE_PYTORCH=1       (with torch==$version installed in the Python in use)"
}

case "${1-}" in
    "") ;;
    -h | --help)
        sed -n '2,/^set -eu/{/^#/!d;s/^# \{0,1\}//;p;}' "$0"
        exit 0
        ;;
    *) die "unknown argument '$1'; the only ones are -h and --help" ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd -P)
link=$root/.libtorch

# The user's own libtorch. The order is that of torch-sys: LIBTORCH_USE_PYTORCH first, set to
# anything at all, then LIBTORCH.

# Warns about a version that torch-sys refuses only after a long compile, or with an error that
# does not say what to do. $1 is what was found, $2 where.
refuse_other_version() {
    case "$1" in
        "" | "$version" | "$version"+*) return 0 ;;
    esac
    if [ -n "${LIBTORCH_BYPASS_VERSION_CHECK+set}" ]; then
        say "$2 is PyTorch $1, not $version; LIBTORCH_BYPASS_VERSION_CHECK is set, so going on"
        return 0
    fi
    die "$2 is PyTorch $1, but the trainer needs exactly $version" \
        "Point to a $version, or unset ${3} to have the CPU version fetched"
}

if [ -n "${LIBTORCH_USE_PYTORCH+set}" ]; then
    python=python3
    [ -z "${VIRTUAL_ENV+set}" ] || python=python
    found=$("$python" -c 'from importlib.metadata import version; print(version("torch"))' 2>/dev/null) ||
        die "LIBTORCH_USE_PYTORCH is set, but '$python' has no package torch" \
            "Install torch==$version there, or unset LIBTORCH_USE_PYTORCH (any value counts as set, 0 too)"
    refuse_other_version "$found" "the torch of '$python'" LIBTORCH_USE_PYTORCH
    say "LIBTORCH_USE_PYTORCH is set: using the PyTorch of '$python' ($found), nothing to fetch"
    exit 0
fi

if [ -n "${LIBTORCH+set}" ] && [ "$LIBTORCH" != "$link" ]; then
    libraries_in=${LIBTORCH_LIB:-$LIBTORCH}/lib
    headers_in=${LIBTORCH_INCLUDE:-$LIBTORCH}/include
    for folder in "$libraries_in" "$headers_in"; do
        [ -d "$folder" ] || die "LIBTORCH is set to '$LIBTORCH', but there is no folder '$folder'" \
            "Correct it, or unset LIBTORCH to have PyTorch $version for CPU fetched"
    done
    found=
    if [ -f "$LIBTORCH/build-version" ]; then
        found=$(head -n 1 "$LIBTORCH/build-version")
    else
        # The numbers have moved between headers over the releases; older ones keep them deeper.
        for header in torch/headeronly/version.h torch/version.h torch/csrc/api/include/torch/version.h; do
            [ -f "$headers_in/$header" ] || continue
            found=$(awk '$1 == "#define" && $2 ~ /^TORCH_VERSION_(MAJOR|MINOR|PATCH)$/ { v = v dot $3; dot = "." }
                         END { print v }' "$headers_in/$header")
            [ -z "$found" ] || break
        done
    fi
    refuse_other_version "$found" "LIBTORCH='$LIBTORCH'" LIBTORCH
    say "LIBTORCH is set: using '$LIBTORCH' (${found:-version unknown}), nothing to fetch"
    exit 0
fi

# Our own copy.

if [ -n "${GIUTHI_CACHE:-}" ]; then
    cache=$GIUTHI_CACHE
elif [ -n "${XDG_CACHE_HOME:-}" ]; then
    cache=$XDG_CACHE_HOME/giuthi
elif [ -n "${HOME:-}" ]; then
    cache=$HOME/.cache/giuthi
else
    die "none of GIUTHI_CACHE, XDG_CACHE_HOME and HOME is set, so there is no place for the files"
fi

size_of() { wc -c 2>/dev/null <"$1" || echo 0; }

# Whether folder $1 holds everything. build-version is written last of all.
whole() {
    [ -f "$1/build-version" ] && [ -f "$1/include/torch/csrc/api/include/torch/torch.h" ] || return 1
    for entry in $libraries; do
        [ -f "$1/lib/${entry%:*}" ] || return 1
        [ "$(size_of "$1/lib/${entry%:*}")" -eq "${entry#*:}" ] || return 1
    done
}

point_link() {
    [ "$(readlink "$link" 2>/dev/null)" != "$1" ] || return 0
    if [ -L "$link" ]; then
        say ".libtorch pointed to '$(readlink "$link")'; it now points to '$1'"
    elif [ -e "$link" ]; then
        die "'$link' is in the way: move it, or name it in LIBTORCH if it is a libtorch of yours"
    fi
    # Made aside and renamed over: a build that runs meanwhile never finds the link missing.
    ln -s "$1" "$link.$$"
    mv -fT "$link.$$" "$link"
}

platform="$(uname -s) $(uname -m)"
[ "$platform" = "Linux x86_64" ] ||
    by_hand "this script covers Linux on x86_64 only, and this is $platform"

mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] ||
    die "cannot write to '$cache'; set GIUTHI_CACHE to a folder that can be written"
cache=$(cd "$cache" && pwd -P)
target=$cache/$name

if whole "$target"; then
    point_link "$target"
    say "$version (CPU) is in place: $target"
    exit 0
fi

getconf GNU_LIBC_VERSION >/dev/null 2>&1 ||
    by_hand "the ready-made libtorch needs glibc, which this system does not have"
command -v python3 >/dev/null 2>&1 ||
    by_hand "this script needs python3 with pip, and there is no python3"
python3 -m pip --version >/dev/null 2>&1 ||
    by_hand "this script needs python3 with pip, and 'python3 -m pip' does not work here"

# pip's own output, past the capture of its messages.
exec 3>&1

# One at a time; who comes second waits and finds the work done. The kernel drops the lock with
# the last process that holds it, so a killed run leaves nothing to clear away.
exec 9>"$cache/$name.lock"
lock() { python3 -c "import fcntl, sys; fcntl.flock(9, int(sys.argv[1], 0))" "$1" 2>/dev/null; }
if ! lock 6; then # LOCK_EX | LOCK_NB
    say "another run is fetching it; waiting for that to end"
    lock 2 || die "cannot lock '$cache/$name.lock'" # LOCK_EX
fi
if whole "$target"; then
    point_link "$target"
    say "$version (CPU) is in place: $target"
    exit 0
fi

work=$cache/$name.part
wheels=$work/wheels
mkdir -p "$wheels"
rm -rf "$work/tmp" "$work/unpacked" "$work/damaged"
mkdir "$work/tmp"
trap 'rm -rf "$work/tmp" "$work/unpacked"' EXIT
trap 'say "stopped; wheels that arrived whole are kept for the next run" >&2; exit 130' INT TERM HUP

# The file in $wheels whose contents have SHA-256 $1, if there is one.
wheel_with() {
    for file in "$wheels"/*.whl; do
        [ -f "$file" ] || continue
        sum=$(sha256sum "$file")
        if [ "${sum%% *}" = "$1" ]; then
            printf '%s\n' "$file"
            return 0
        fi
    done
    return 1
}

need_space() {
    free=$(df -Pk "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
    [ "$free" -ge "$1" ] ||
        die "not enough disk space: $1 MB are needed for a while in '$cache', $free MB are free" \
            "Make room, or set GIUTHI_CACHE to a folder on another disk"
}

# Newer pips take up a broken download where it stopped; older ones begin that wheel again.
resume=
if python3 -m pip download --help | grep -q -- --resume-retries; then resume="--resume-retries=20"; fi
# The bar redraws itself, which makes a mess of a log file.
progress="--quiet --progress-bar=off"
if [ -t 1 ]; then progress=--progress-bar=on; fi

fetch() { # requirement, SHA-256, size in words
    if wheel_with "$2" >/dev/null; then
        say "$1: already here"
        return 0
    fi
    say "$1: downloading $3"
    printf '%s --hash=sha256:%s\n' "$1" "$2" >"$work/tmp/requirement.txt"
    # TMPDIR: pip's own choice may be a small memory disk. No cache: it would hold a second
    # copy for good. The platform tags are spelt out so that any Python can fetch for 3.11.
    # The messages go into a variable, not a file: on a full disk a file would stay empty.
    # shellcheck disable=SC2086 # words, not one argument
    if messages=$(TMPDIR=$work/tmp PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 \
        python3 -m pip download $progress --no-cache-dir $resume \
        --no-deps --require-hashes --only-binary=:all: --implementation cp --python-version 3.11 \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 \
        --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        --dest "$wheels" --requirement "$work/tmp/requirement.txt" 2>&1 >&3); then
        wheel_with "$2" >/dev/null || die "$1: pip reported success, but its file does not have the expected SHA-256"
        return 0
    fi
    printf '%s\n' "$messages" >&2
    case "$(printf '%s' "$messages" | tr '[:upper:]' '[:lower:]')" in
        *"do not match the hashes"*)
            die "$1: the package index served a file other than the expected one; it was thrown away" \
                "Damaged on the way: run this again. The same once more: do not trust that index"
            ;;
        *"no space left"*)
            die "the disk with '$cache' is full" \
                "Make room, or set GIUTHI_CACHE to a folder on another disk"
            ;;
        *retrying* | *connection* | *"timed out"* | *timeout* | *"name resolution"* | *incomplete* | *ssl*)
            die "$1: the package index could not be reached, or the connection broke" \
                "Check network and proxy (pip's usual settings count) and run this again: whole wheels are kept"
            ;;
        *"no matching distribution"*)
            by_hand "$1: the package index that pip uses does not have it (or pip is too old: python3 -m pip install --upgrade pip)"
            ;;
    esac
    die "$1: pip could not download it; its messages are above"
}

if wheel_with "$torch_hash" >/dev/null; then need_space 550; else need_space 1150; fi
say "fetching libtorch $version (CPU) into $target"
fetch "$cupti_wheel" "$cupti_hash" "11 MB"
fetch "$cudart_wheel" "$cudart_hash" "2 MB"
fetch "$torch_wheel" "$torch_hash" "527 MB, the large one"

say "unpacking"
# shellcheck disable=SC2086 # one argument a library
python3 - "$work/unpacked" "$wheels" $libraries <<'PYTHON' ||
import pathlib, shutil, sys, zipfile

target, wheels = map(pathlib.Path, sys.argv[1:3])
libraries = {entry.split(":")[0] for entry in sys.argv[3:]}
for wheel in wheels.glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            path = pathlib.PurePosixPath(member.filename)
            if member.is_dir() or ".." in path.parts:
                continue
            if path.parts[:2] == ("torch", "include"):
                to = target.joinpath(*path.parts[1:])
            elif path.name in libraries and path.parent.name == "lib":
                to = target / "lib" / path.name
            else:
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, open(to, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
PYTHON
    die "unpacking into '$work' failed; the last line above says why"
# torch-sys reads this file, and so can check what it was given.
printf '%s\n' "$version+cpu" >"$work/unpacked/build-version"
whole "$work/unpacked" || die "the wheels did not hold the expected files; please report this"

if [ -e "$target" ]; then mv "$target" "$work/damaged"; fi
mv "$work/unpacked" "$target"
rm -rf "$work"
point_link "$target"
say "$version (CPU) is ready: $target"

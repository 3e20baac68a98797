#!/bin/sh
# Puts exported networks before programs that share no code with ours: tract (Rust), the ONNX checker, ONNX Runtime,
# NumPy by the recipes of data/README.md, and PyTorch where there is one.
#
#   scripts/interop.sh PROGRAMS WORK
#
# PROGRAMS is the folder of the built programs, WORK one to write into; a virtual environment is made there. TORCH chooses
# a PyTorch 2.13: a Python that has it (and NumPy), or `pip` to have it installed into that environment (2.5 GB).
# Networks of every width that is unlike another: small ones, fitted on the spot.
set -eu

programs=$(cd "$1" && pwd -P)
mkdir -p "$2"
work=$(cd "$2" && pwd -P)
root=$(cd "$(dirname "$0")/.." && pwd -P)
say() { printf '%s\n' "interop: $*"; }

say "building the reader with tract (minutes, the first time)"
CARGO_TARGET_DIR="$work/tract" ${CARGO:-cargo} build --locked --quiet --manifest-path "$root/train/interop/Cargo.toml"

python=$work/venv/bin/python
[ -x "$python" ] || python3 -m venv "$work/venv"
"$python" -m pip install --quiet --disable-pip-version-check \
    numpy==2.4.6 safetensors==0.8.0 onnx==1.23.2 onnxruntime==1.32.0
torch=${TORCH:-}
if [ "$torch" = pip ]; then
    "$python" -m pip install --quiet --disable-pip-version-check torch==2.13.0
    torch=$python
fi
[ -n "$torch" ] || say "without PyTorch: TORCH=PYTHON names a Python that has torch 2.13, TORCH=pip installs it"

for case in 2x5x4:17,5 2x6x6:64,16 2x8x8:128,32 2x10x9:33,50; do
    variant=${case%:*}
    net=$work/$variant
    rm -rf "$net"
    mkdir -p "$net"
    "$programs/giuthi" selfplay --variant "$variant" --games 300 --agent ab:depth=1 --seed 1 --out "$net/games" \
        >"$net/log" 2>&1 || { cat "$net/log" >&2; exit 1; }
    "$programs/giuthi" train fit "$net/games" --layers "${case#*:}" --epochs 3 --seed 1 --out "$net/net.safetensors" \
        >>"$net/log" 2>&1 || { cat "$net/log" >&2; exit 1; }
    "$programs/giuthi" train export "$net/net.safetensors" --onnx "$net/net.onnx" --torchscript "$net/net.pt" \
        --quantised "$net/net.giuthiq" --values "$net/values.csv"
    "$work/tract/debug/giuthi-interop" "$net/values.csv" "$net/net.onnx"
    "$python" "$root/train/python/check_export.py" "$net/values.csv" \
        "$net/net.safetensors" "$net/net.onnx" "$net/net.giuthiq"
    if [ -n "$torch" ]; then
        "$torch" "$root/train/python/check_export.py" "$net/values.csv" "$net/net.pt"
    fi
done
say "all readers agree"

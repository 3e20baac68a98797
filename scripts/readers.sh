#!/bin/sh
# Has a fresh dataset read by pandas, Polars and DuckDB, and compares what they find with what self-play says of it.
#
#   scripts/readers.sh PROGRAMS WORK
#
# PROGRAMS holds the built programs; WORK keeps a Python environment and the dataset.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
programs=$1
work=$2

python=$work/venv/bin/python
mkdir -p "$work"
[ -x "$python" ] || python3 -m venv "$work/venv"
"$python" -m pip install --quiet --disable-pip-version-check pandas polars duckdb zstandard

rm -rf "$work/games"
"$programs/giuthi-selfplay" --variant 2x8x8 --games 3000 --agent ab:depth=1 --seed 1 --out "$work/games" >/dev/null
"$programs/giuthi-selfplay" verify "$work/games"
"$python" "$root/selfplay/python/check_readers.py" "$programs/giuthi-selfplay" "$work/games"

#!/bin/sh
# The whole line once, small: self-play by a searcher, a network fitted to its games, and a tournament in which the
# same search with that network meets its teacher. Everything goes into data/demo.
#
#   scripts/demo.sh [FOLDER OF THE PROGRAMS]
set -eu
cd "$(dirname "$0")/.."
programs=${1:-target/release}
out=data/demo
variant=2x6x4
games=5000
teacher=ab:depth=3

stage() { printf '\n== %s\n' "$*" >&2; }

mkdir -p "$out"
stage "1/3 self-play: $games games of $variant by $teacher -> $out/games"
"$programs/giuthi" selfplay --variant $variant --games $games --agent $teacher --seed 1 --out "$out/games"

stage "2/3 training: a value network for the player to move -> $out/net.safetensors"
"$programs/giuthi" train fit "$out/games" --seed 1 --force --out "$out/net.safetensors"

stage "3/3 tournament: everybody against everybody, both seats of every opening -> $out/tournament"
rm -rf "$out/tournament"
"$programs/giuthi" eval tournament --variant $variant --games 1000 --seed 1 --decided off --out "$out/tournament" \
    --agent random --agent greedy --agent ab:depth=1 --agent $teacher \
    --agent "net@$teacher,net=$out/net.safetensors"

stage "done, to look at in a browser: $out/tournament/report.html; \`net\` is $teacher with the trained network instead of the material count"

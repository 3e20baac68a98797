#!/bin/sh
# A dataset made in eight shards, two at a time, by GNU parallel or, where that is not installed, by xargs. One of them is
# killed with -9; the same line repeated makes what is missing. Put together, it must be byte for byte the dataset of one
# run alone.
#
#   scripts/parallel.sh [FOLDER OF THE PROGRAMS [DIR]]
#
# Everything is made in DIR, a new folder, or else in a temporary one that is removed.
set -eu

die() { printf 'parallel.sh: %s\n' "$*" >&2; exit 1; }
say() { printf '== %s\n' "$*"; }

programs=$(cd "${1:-target/release}" && pwd -P)
selfplay=$programs/giuthi-selfplay
[ -x "$selfplay" ] || die "$selfplay is missing"
if [ $# -gt 1 ]; then
    mkdir "$2"
    dir=$(cd "$2" && pwd -P)
else
    dir=$(cd "$(mktemp -d)" && pwd -P)
    trap 'rm -rf "$dir"' EXIT
    trap 'exit 1' HUP INT TERM
fi
cd "$dir"
flags='--variant 2x8x8 --games 2400 --part-games 15 --agent ab:depth=3 --compress zstd --seed 1 --threads 1'

# All shards, two at a time. Those that are finished are skipped.
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    by='GNU parallel'
    # shellcheck disable=SC2086
    shards() { parallel -j2 "$selfplay" $flags --shard '{}/8' --out "$dir/shard-{}" ::: 0 1 2 3 4 5 6 7; }
else
    by='xargs (GNU parallel is not installed)'
    # shellcheck disable=SC2086
    shards() { seq 0 7 | xargs -P2 -I'{}' "$selfplay" $flags --shard '{}/8' --out "$dir/shard-{}"; }
fi

# Kills the run of shard 3 once a part of it is there: it is to lose work, and not all of it.
kill_one() {
    until [ -e "$dir/shard-3/part-00003.csv.zst" ]; do
        kill -0 "$1" 2>/dev/null || return 1
        sleep 0.02
    done
    # The program itself, and not the shell that starts it.
    pid=$(pgrep -f -- "^$selfplay .*--out $dir/shard-3\$") || return 1
    kill -9 "$pid" && [ ! -e "$dir/shard-3/manifest.json" ]
}

say "8 shards by $by, shard 3 killed with -9"
killed=no
for _ in 1 2 3 4 5 6 7 8; do
    rm -rf "$dir"/shard-*
    shards >"$dir/first.log" 2>&1 &
    first=$!
    if kill_one "$first"; then killed=yes; fi
    status=0
    wait "$first" || status=$?
    [ "$killed" = no ] || break
    # On a busy machine it may be finished before it is found: then once more.
done
[ "$killed" = yes ] || die "shard 3 was never caught before its end"
[ "$status" -ne 0 ] || die "a shard was killed, and all is said to be well"
kept=$(find shard-3 -name 'part-*' | wc -l)
[ ! -e shard-3/manifest.json ] || die "shard 3 is killed and finished"
if "$selfplay" merge shard-* --out games --verify >/dev/null 2>merge.log; then die "merged without shard 3"; fi
tail -1 merge.log

say "exit code $status, $((kept)) of 20 parts of shard 3 are there; the same line again"
shards >second.log 2>&1 || { cat second.log >&2; die "the second run failed"; }
"$selfplay" merge shard-* --out games --verify >/dev/null 2>&1 || die "the shards cannot be merged"
"$selfplay" verify games 2>/dev/null

say "one run alone"
# shellcheck disable=SC2086
"$selfplay" $flags --out alone >/dev/null 2>&1
if command -v sha256sum >/dev/null; then sum=sha256sum; else sum='shasum -a 256'; fi
of() { (cd "$1" && $sum -- part-* manifest.json | $sum | cut -d' ' -f1); }
[ "$(find alone -name 'part-*' | wc -l)" -eq 160 ] || die "160 parts were asked for"
[ "$(of alone)" = "$(of games)" ] || die "the datasets differ: $(of alone) alone, $(of games) in shards"
say "the same bytes: SHA-256 of all $(of games)"

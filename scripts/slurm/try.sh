#!/bin/bash
# Tries the jobs beside this file on a cluster of this one machine: a dataset in an array of eight tasks, one of which is
# killed with -9 and requeued; put together, it must be byte for byte the dataset of one machine alone. And a fit that
# waits for the array, that of the requeued task included.
#
#   scripts/slurm/try.sh [FOLDER OF THE PROGRAMS [DIR [MORE FLAGS FOR SELF-PLAY]]]
#
# Needs what one-machine.sh needs. Everything is made in DIR, a new folder, or else in a temporary one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
programs=$(cd "${1:-target/release}" && pwd -P)
dir=${2:-$(mktemp -d)}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)
export GIUTHI=$programs/giuthi
flags=(--variant 2x8x8 --games 8000 --part-games 100 --agent ab:depth=3 --seed 1 "${@:3}")

say() { printf '== %s\n' "$*"; }
die() { printf 'try: %s\n' "$*" >&2; exit 1; }
finish() { "$here/one-machine.sh" stop "$dir/cluster"; }
trap finish EXIT
trap 'exit 1' HUP INT TERM

# Waits until a job, or a task ARRAY_N, is in a state.
reaches() {
    for _ in $(seq 3000); do
        states=$(squeue -h -r -t all -j "$1" -o %T | sort -u | tr '\n' ' ')
        case "$states" in "$2 ") return 0 ;; *FAILED* | *CANCELLED*) [[ $2 == FAILED ]] || return 1 ;; esac
        sleep 0.2
    done
    return 1
}

"$here/one-machine.sh" start "$dir/cluster"
export SLURM_CONF=$dir/cluster/slurm.conf
cd "$dir"

say "an array of 8 tasks"
array=$(sbatch --parsable --array=0-7 "$here/selfplay.sbatch" "$dir/data" "${flags[@]}")
fit=$(sbatch --parsable --dependency="afterany:$array" "$here/fit.sbatch" "$dir/data" --seed 1 --epochs 2)

say "kill -9 for the self-play of task 1"
for _ in $(seq 600); do
    pid=$(pgrep -f -- "giuthi-selfplay.*--out $dir/data/shard-1\$" | head -1 || true)
    # Once it has finished a part: it is to lose work, and not all of it.
    if [ -n "$pid" ] && compgen -G "$dir/data/shard-1/part-*" >/dev/null; then break; fi
    sleep 0.1
done
[ -n "$pid" ] || die "task 1 never ran"
kill -9 "$pid"
reaches "${array}_1" FAILED || die "task 1 was killed, and is not said to have failed"
kept=$(find "$dir/data/shard-1" -name 'part-*' | wc -l)
[ ! -e "$dir/data/shard-1/manifest.json" ] || die "task 1 was killed after it had finished"
say "task 1 is FAILED with $kept part(s) of 10; requeued"
scontrol requeue "${array}_1"
# Slurm lets a requeued task wait for two minutes.
scontrol update JobId="${array}_1" StartTime=now || true
for task in $(seq 0 7); do
    reaches "${array}_$task" COMPLETED || die "task $task: $(squeue -h -r -t all -j "${array}_$task" -o %T)"
done
squeue -r -t all -j "$array" -o '%.12i %.10T %.8M %.4r' || true

say "one machine alone"
"$GIUTHI" selfplay "${flags[@]}" --out "$dir/alone" >/dev/null
say "the fit that waited"
if ! reaches "$fit" COMPLETED; then
    squeue -h -r -t all -j "$fit" -o '%i %T %r'
    cat "$dir"/giuthi-fit-*.log
    die "the fit did not complete"
fi
tail -2 "$dir"/giuthi-fit-*.log

say "SHA-256 of all parts and the manifest"
(cd "$dir/alone" && sha256sum -- part-* manifest.json | sha256sum)
(cd "$dir/data/games" && sha256sum -- part-* manifest.json | sha256sum)
diff -r "$dir/alone" "$dir/data/games" || die "the datasets differ"
say "the same bytes"

#!/bin/sh
# A Slurm cluster of this one machine, to try the jobs beside this file: controller, node and munge, all on 127.0.0.1,
# without systemd, with every file of theirs in one folder.
#
#   scripts/slurm/one-machine.sh start DIR    start it; then `export SLURM_CONF=DIR/slurm.conf`
#   scripts/slurm/one-machine.sh stop DIR     stop its three daemons, by their pid files
#
# Debian: apt-get install slurm-wlm munge. Run it as root: slurmd starts tasks as the users who submit them.
set -eu

die() { printf 'one-machine: %s\n' "$*" >&2; exit 1; }
[ $# -eq 2 ] || die "usage: one-machine.sh start|stop DIR"
what=$1
case $2 in /*) dir=$2 ;; *) dir=$PWD/$2 ;; esac

# Stops a daemon by its pid file: told to end, and killed where it has not done so in ten seconds.
stop() {
    file=$dir/$1.pid
    [ -s "$file" ] || return 0
    pid=$(cat "$file")
    # Somebody else's process may have the number by now.
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ]; then
        kill "$pid" 2>/dev/null || true
        for _ in $(seq 100); do
            [ -d "/proc/$pid" ] || break
            sleep 0.1
        done
        [ ! -d "/proc/$pid" ] || kill -9 "$pid" 2>/dev/null || true
    fi
    rm -f "$file"
}

# Waits for something to become true.
wait_for() {
    name=$1
    shift
    for _ in $(seq 300); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.1
    done
    die "$name does not answer; see $dir/*.log"
}

case $what in
stop)
    stop slurmd
    stop slurmctld
    stop munged
    ;;
start)
    for program in munged slurmctld slurmd sinfo; do
        command -v "$program" >/dev/null || die "$program is missing: apt-get install slurm-wlm munge"
    done
    [ "$(id -u)" = 0 ] || die "run it as root"
    [ ! -s "$dir/munged.pid" ] || die "$dir: a cluster runs there already; stop it first"
    # munge trusts nobody who could change its files, so no folder on the way may be writable by everybody.
    mkdir -p "$dir/state" "$dir/spool"
    chmod 755 "$dir"
    (umask 077 && dd if=/dev/urandom of="$dir/munge.key" bs=128 count=1 2>/dev/null)
    host=$(hostname -s)
    cores=$(nproc)
    cat >"$dir/slurm.conf" <<END
ClusterName=giuthi
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${SLURMCTLD_PORT:-26817}
SlurmdPort=${SLURMD_PORT:-26818}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
JobRequeue=1
MinJobAge=86400
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
    SLURM_CONF=$dir/slurm.conf
    export SLURM_CONF
    munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
        --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" || die "munged: see $dir/munged.log"
    slurmctld -f "$SLURM_CONF" || die "slurmctld: see $dir/slurmctld.log"
    wait_for slurmctld scontrol ping
    slurmd -f "$SLURM_CONF" || die "slurmd: see $dir/slurmd.log"
    wait_for slurmd sh -c "sinfo -h -o %T | grep -q idle"
    printf 'one-machine: a cluster of %s core(s) runs; export SLURM_CONF=%s\n' "$cores" "$SLURM_CONF"
    ;;
*) die "usage: one-machine.sh start|stop DIR" ;;
esac

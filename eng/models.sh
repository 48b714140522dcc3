#!/usr/bin/env bash
# usage: eng/models.sh [--long]     checks the protocol models of docs/models with spin.
#
#   (none)   small worlds and every mutant     about 4 minutes, 2 cores, 1.5 GB
#   --long   larger worlds too                 about 50 minutes, 3 GB
#
# A model without a switch must hold; with a mutant's switch it must fail: a model that cannot fail proves nothing. Worlds
# too large to visit whole are searched for five minutes each (states are marked in a bit table): nothing may be found.
# The last line is  N held, N mutants found, N failed ; the exit code is 0 when nothing failed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$top/eng/setup.sh"

long=
case ${1:-} in
    "") ;;
    --long) long=yes ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
esac

require_spin || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# verify EXPECTATION MEGABYTES STORAGE MODEL SWITCHES...   writes one line of verdict; runs in a folder of its own.
# EXPECTATION: holds (all states visited, no error), fails (an error found), search (no error found within search_seconds).
verify() {
    local expected=$1 memory=$2 storage=$3 model=$4 folder found verdict states began=$SECONDS
    shift 4
    folder=$(mktemp -d "$work/XXXXXX")
    cd "$folder" || return 1
    if ! spin -a "$@" "$top/docs/models/$model" >spin.log 2>&1 ||
        ! gcc -O1 -w -DSAFETY ${storage//,/ } -DMEMLIM="$memory" -o pan pan.c >gcc.log 2>&1; then
        echo "FAILED  $model $*: does not build: $(cat spin.log gcc.log 2>/dev/null | head -n 3)"
        return
    fi
    if [ "$expected" = search ]; then
        timeout --signal=INT "$search_seconds" ./pan -m1000000 -w33 >pan.log 2>&1 # interrupted, it reports what it has visited
    else
        ./pan -m1000000 -w22 >pan.log 2>&1
    fi
    found=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' pan.log)
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
    if grep -qE 'out of memory|max search depth too small|reached -DMEMLIM|search not completed|interrupted' pan.log &&
        [ "$expected" = holds ]; then
        verdict="FAILED  $model $*: search not completed ($(grep -m 1 -E 'memory|depth' pan.log))"
    elif [ "$expected" = holds ] && [ "$found" = 0 ]; then
        verdict="held    $model $*: $states states, $((SECONDS - began)) s"
    elif [ "$expected" = search ] && [ "$found" = 0 ] && [ -n "$states" ]; then
        verdict="held    $model $*: searched $states states, $((SECONDS - began)) s"
    elif [ "$expected" = fails ] && [ "${found:-0}" != 0 ]; then
        verdict="found   $model $*: $(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' pan.log | head -n 1)"
    elif [ "$expected" = fails ]; then
        verdict="FAILED  $model $*: the mutant was not found"
    else
        verdict="FAILED  $model $*: $(grep -m 1 '^pan:' pan.log)"
        cp "$model.trail" "$logs/" 2>/dev/null
    fi
    cd "$top" && rm -rf "$folder"
    echo "$verdict"
}
export -f verify
search_seconds=${IPC_MODEL_SECONDS:-300}
export work top logs search_seconds

jobs=$work/jobs
{
    # The largest first, so that the two cores end together.
    echo "holds 1500 -DCOLLAPSE ring.pml"
    echo "holds 1500 -DCOLLAPSE waiter.pml -DSLEEPERS=1"
    echo "holds 1500 -DCOLLAPSE waiter.pml -DPUBLISHERS=1"
    echo "holds 1500 -DCOLLAPSE waiter.pml -DSLEEPERS=1 -DMESSAGES=1 -DUNREGISTERED"
    echo "holds 1500 -DCOLLAPSE waiter.pml -DSLEEPERS=1 -DMESSAGES=1 -DNO_MEMBARRIER"
    echo "holds 1500 -DCOLLAPSE region.pml"
    echo "holds 1500 -DCOLLAPSE listener.pml"
    echo "holds 1500 -DCOLLAPSE listener.pml -DCLIENTS=1 -DMESSAGES=2"
    for mutant in WALK_ONCE NO_LINE_TO_SPARE NO_REPAIR NO_ZERO_ON_SHRINK WANTED_ONCE WANTED_BEFORE_FLAG \
        KEEP_BATCH SILENT_TAKEOVER; do
        echo "fails 1500 -DCOLLAPSE ring.pml -D$mutant"
    done
    for mutant in NO_BARRIER PLAIN_WAKE POLITE_RECOVERY NO_RECHECK "NO_MEMBARRIER -DUNTIMED"; do
        echo "fails 1500 -DCOLLAPSE waiter.pml -DPUBLISHERS=1 -D$mutant"
    done
    for mutant in BLIND_UNLINK LEAVE_UNLOCKED KEEP_RETIRED LATE_BYTE; do
        echo "fails 1500 -DCOLLAPSE region.pml -D$mutant"
    done
    for mutant in NO_BARRIER ARM_BLIND BELL_FIRST LOOK_FIRST POLITE_RECOVERY SILENT_RECOVERY BIT_FIRST RETURN_UNSEEN \
        SLEEP_UNARMED; do
        echo "fails 1500 -DCOLLAPSE listener.pml -D$mutant"
    done
    echo "fails 1500 -DCOLLAPSE listener.pml -DCLIENTS=1 -DMESSAGES=2 -DHOLD_BACK"
    echo "holds 1500 -DCOLLAPSE slot.pml"
    for mutant in STATE_ONLY LINK_UNLOCKED LEAVE_ASKING PLAIN_FREE; do
        echo "fails 1500 -DCOLLAPSE slot.pml -D$mutant"
    done
    echo "holds 1500 -DCOLLAPSE queue.pml"
    echo "holds 1500 -DCOLLAPSE queue.pml -DSTOPPED -DSLOTS=4 -DOTHERS=1 -DRECEIVERS=1 -DDEATHS=0"
    for mutant in NO_SKIPPED ORPHANS_FIRST QUIET_RECOVERY POLITE_RECOVERY UNFLAGGED "CLEARED_LATE -DDEATHS=2 -DRECOVERER_DEATHS=0" \
        "SAME_LAP -DOTHERS=1 -DRECEIVERS=1 -DMORTAL=3" "NO_HELP -DOTHERS=1 -DRECEIVERS=1 -DMORTAL=3" \
        "QUIET_ABANDON -DABANDONS=1 -DONE_OWNER -DDEATHS=0"; do
        echo "fails 1500 -DCOLLAPSE queue.pml -D$mutant"
    done
    echo "holds 1500 -DCOLLAPSE growth.pml -DRECEIVERS=1"
    echo "holds 1500 -DCOLLAPSE growth.pml -DOTHERS=0"
    echo "holds 1500 -DCOLLAPSE growth.pml -DRECEIVERS=1 -DSEGMENTS=3"
    echo "holds 1500 -DCOLLAPSE growth.pml -DRECEIVERS=1 -DSLOTS=2"
    echo "holds 1500 -DCOLLAPSE growth.pml -DRECEIVERS=1 -DOTHERS=0 -DHOLD=2"
    echo "holds 1500 -DCOLLAPSE growth.pml -DRECEIVERS=1 -DSLOTS=2 -DHOLD=1"
    echo "holds 1500 -DCOLLAPSE growth.pml -DRECEIVERS=1 -DOTHERS=0 -DDEATHS=1"
    for mutant in SEND_BLIND SEAL_LAST_TURN SEAL_FREE LINK_LATE LEAVE_SKIPPED FORGET_SKIPPED REUSE_EARLY \
        "MOVE_SILENTLY -DOTHERS=0 -DHOLD=2" "GROW_SILENTLY -DSLOTS=2 -DHOLD=1"; do
        echo "fails 1500 -DCOLLAPSE growth.pml -DRECEIVERS=1 -D$mutant"
    done
    echo "fails 1500 -DCOLLAPSE growth.pml -DTAKE_BLIND"
    # Found sooner from the other end.
    echo "fails 1500 -DCOLLAPSE,-DREVERSE,-DT_REVERSE growth.pml -DSEGMENTS=3 -DMESSAGES=4 -DOTHERS=0 -DHOLD=2 -DGIVES_UP -DEMPTY_BLIND"
    for world in "" -DPOLICY=EVICT -DPOLICY=LOSSY "-DLATE -DOLDEST" "-DPOLICY=EVICT -DNEXT=RELIABLE -DOTHERS=0" "-DMESSAGES=2 -DDEATHS=1"; do
        echo "holds 1500 -DCOLLAPSE topic.pml $world"
    done
    for mutant in "JOIN_EARLY -DLATE" "SCAN_FIRST -DLATE" "JOIN_SILENTLY -DLATE" "NO_CHECK -DPOLICY=LOSSY" "SLEEP_ON_SPACE -DPOLICY=LOSSY" \
        "OLDEST_TRUSTED -DLATE -DOLDEST" "RELEASE_BLIND -DPOLICY=EVICT" "EVICT_ANYBODY -DPOLICY=EVICT -DNEXT=RELIABLE -DOTHERS=0" \
        "UNDO_WRITING -DMESSAGES=2 -DDEATHS=1" "DEAD_HOLDS -DMESSAGES=2 -DDEATHS=1" "QUIET_GAP -DABANDONS=1 -DOTHERS=0"; do
        echo "fails 1500 -DCOLLAPSE topic.pml -D$mutant"
    done
    echo "holds 1500 -DCOLLAPSE pool.pml"
    for mutant in FREE_FIRST COPY_LATE NO_LOAN_LAP NO_GENERATION SWEEP_FIRST PUBLISH_LATE NOT_WRITING TORN_NAME "HOLDER_LATE -DSLOTS=2"; do
        echo "fails 1500 -DCOLLAPSE pool.pml -D$mutant"
    done
    for world in "" "-DLATE -DOLDEST" "-DRELIABLE -DABANDONS=0" "-DDEATHS=1 -DABANDONS=0"; do
        echo "holds 1500 -DCOLLAPSE reclaim.pml $world"
    done
    for mutant in UNMARKED COUNT_GAPS KEEP_MARK COUNT_LOOK "COUNT_BEFORE -DLATE -DOLDEST" NO_CHECK RECLAIM_BLIND \
        "ANY_LAP -DRELIABLE -DABANDONS=0" "RECLAIM_AHEAD -DRELIABLE -DABANDONS=0"; do
        echo "fails 1500 -DCOLLAPSE reclaim.pml -D$mutant"
    done
    echo "holds 1500 -DCOLLAPSE pages.pml"
    for mutant in PRESENT_FIRST CLAIM_LATE NO_LOCK CLAIMED_FIRST LOWER_LATE NO_SETTLE SETTLE_BLIND; do
        echo "fails 1500 -DCOLLAPSE pages.pml -D$mutant"
    done
    if [ -n "$long" ]; then
        echo "holds 3000 -DCOLLAPSE queue.pml -DDROP"
        echo "holds 3000 -DCOLLAPSE queue.pml -DOTHERS=1 -DRECEIVERS=1 -DMORTAL=3"
        echo "holds 3000 -DCOLLAPSE queue.pml -DOTHERS=1 -DONE_OWNER -DDEATHS=0"
        echo "holds 3000 -DCOLLAPSE queue.pml -DOTHERS=1 -DDEATHS=0"
        echo "holds 3000 -DCOLLAPSE growth.pml -DRECEIVERS=1 -DDEATHS=1 -DMESSAGES=2 -DOTHERS=2"
        echo "search 3000 -DBITSTATE queue.pml -DOTHERS=1"
        echo "search 3000 -DBITSTATE queue.pml -DDEATHS=2"
        echo "search 3000 -DBITSTATE growth.pml"
        echo "search 3000 -DBITSTATE growth.pml -DRECEIVERS=1 -DDEATHS=1"
        echo "search 3000 -DBITSTATE growth.pml -DSEGMENTS=3 -DMESSAGES=4 -DOTHERS=0 -DHOLD=2 -DGIVES_UP"
        echo "search 3000 -DBITSTATE topic.pml -DPOLICY=EVICT -DABANDONS=1 -DDEATHS=1"
        echo "holds 3000 -DCOLLAPSE pool.pml -DTOPIC"
        echo "search 3000 -DBITSTATE pool.pml -DSLOTS=2 -DOTHERS=2"
        echo "holds 3000 -DCOLLAPSE reclaim.pml -DMESSAGES=3"
        echo "holds 3000 -DCOLLAPSE reclaim.pml -DRELIABLE -DDEATHS=1 -DABANDONS=0 -DRECLAIMS=1"
        echo "search 3000 -DBITSTATE reclaim.pml -DRELIABLE -DDEATHS=1 -DMESSAGES=3"
        echo "holds 3000 -DCOLLAPSE region.pml -DROUNDS=2"
        echo "holds 6000 -DCOLLAPSE region.pml -DACTORS=4 -DDEATHS=1"
        echo "holds 3000 -DCOLLAPSE waiter.pml -DSLEEPERS=1 -DNO_MEMBARRIER"
        echo "holds 3000 -DCOLLAPSE waiter.pml -DPUBLISHERS=1 -DNO_MEMBARRIER"
        echo "holds 3000 -DCOLLAPSE waiter.pml -DSLEEPERS=1 -DUNREGISTERED"
        echo "search 3000 -DBITSTATE waiter.pml"
        echo "search 3000 -DBITSTATE listener.pml -DMESSAGES=2"
        echo "search 3000 -DBITSTATE listener.pml -DLENDS=2"
        echo "search 3000 -DBITSTATE ring.pml -DDEATHS=2"
        echo "search 3000 -DBITSTATE ring.pml -DRECORDS=4"
        echo "search 3000 -DBITSTATE ring.pml -DLINES=6"
    fi
} >"$jobs"

xargs -P 2 -I{} bash -c 'verify {}' <"$jobs" | tee "$logs/models.log"

held=$(grep -c '^held ' "$logs/models.log")
found=$(grep -c '^found ' "$logs/models.log")
expected=$(wc -l <"$jobs")
failed=$((expected - held - found))
say "$held held, $found mutants found, $failed failed"
[ $failed = 0 ]

#!/usr/bin/env bash
# usage: bench/matrix.sh [--quick | --full] [--only 'PATTERN'] [--json FILE] [--csv FILE] [--docs] [--list]
#
#   --quick         5 rounds a cell (default)                  under 5 minutes after the build
#   --full          every cell that makes sense, 15 rounds     half an hour or more after the build (an estimate)
#   --only PATTERN  cells whose name matches, e.g. 'ring/*' or '*/request/1/*'; several with commas between
#   --json FILE     the whole run; --csv FILE one line a cell
#   --docs          writes docs/performance-matrix.md, docs/guide/choosing.md, the charts and the page from this one run
#   --list          the cells, and what each rule leaves out; measures nothing
#   --from FILE     measures nothing: takes a run that --json has written
#
# Builds, then measures cells of transport, serializer, shape, mode, batch, pair and wait; two processes always, each on a core of its own.
# Run it on a machine that does nothing else. The exit code is 1 when a cell failed. docs/performance.md says how to read it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"

case " $* " in
    *" --help "* | *" -h "*) sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
arguments=()
while [ $# -gt 0 ]; do # a file's name means what it means where the caller stands
    case $1 in
        --json | --csv | --from | --out)
            [ -n "${2:-}" ] || { warn "$1 wants a file"; exit 2; }
            arguments+=("$1" "$(realpath -m "$2")")
            shift
            ;;
        *) arguments+=("$1") ;;
    esac
    shift
done

cd "$top" && _require_dotnet || exit 1
run_logged "building" "$logs/matrix-build.log" 1800 dotnet build bench/Ipc.Cells/Ipc.Cells.csproj -c Release -m:2 -nodeReuse:false -v:minimal -tl:off ||
    { show_failure "building" "$logs/matrix-build.log"; exit 1; }
. "$top/eng/programs.sh"

bench/Ipc.Cells/bin/Release/net10.0/Ipc.Cells ${arguments[@]+"${arguments[@]}"}

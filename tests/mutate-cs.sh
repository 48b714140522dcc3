#!/usr/bin/env bash
# usage: tests/mutate-cs.sh [--long | --only N]   takes one step of the C# library away at a time: a named test must notice.
#
#   (none)   a dozen mutants, of every part          ten seconds
#   --long   all of them                             about a minute and a half
#   --only N shows what the test says of mutant N
#
# All mutants are compiled into one copy of Ipc.Core, each beside the original, and IPC_MUTANT chooses one at run time. So there is one build; the
# test program is the one that is built already (eng/build.sh). Ends with a table; the exit code is 1 when a mutant survived, when an edit found
# not exactly one place, or when a test fails without any mutant. tests/mutants-cs.sh has the list.
#
# What is not here: a release or acquire made plain is the same instruction on x64, and no tool looks at C# as ThreadSanitizer looks
# at C. The C half's mutants (tests/mutate.sh) stand for both: eng/check-code.sh sees to it that the labels are the same, and only Platform/Atomic.cs may order.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"

mode=short only=
case ${1:-} in
    "") ;;
    --long) mode=long ;;
    --only) mode=only only=${2:?} ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
esac

configuration=Release
[ -d "$top/tests/Ipc.Core.Tests/bin/Release/net10.0" ] || configuration=Debug
built=$top/tests/Ipc.Core.Tests/bin/$configuration/net10.0
[ -f "$built/Ipc.Core.Tests.dll" ] || { warn "build first: eng/build.sh"; exit 1; }

work=$(mktemp -d)
regions=$(mktemp -d "${IPC_DIR:-/dev/shm}/ipc-test.XXXXXX") || exit 1
trap 'rm -rf "$work" "$regions"' EXIT
export IPC_DIR=$regions IPC_MUTANT=0

mkdir -p "$work/tree/src" "$work/tree/nuget" "$work/bin"
cp "$top"/{Directory.Build.props,Directory.Build.targets,Directory.Packages.props,.editorconfig} "$work/tree/"
cp -r "$top/src/Ipc.Core" "$work/tree/src/"
cp "$top/nuget/Package.props" "$work/tree/nuget/"
rm -rf "$work/tree/src/Ipc.Core/bin"
source=$work/tree/src/Ipc.Core

cat >"$source/Mutants.cs" <<'END'
namespace Ipc;

internal static class Mutants
{
    private static readonly int s_on = int.Parse(System.Environment.GetEnvironmentVariable("IPC_MUTANT") ?? "0");

    public static bool On(int number) => number == s_on;

    private static readonly object s_gate = new();
    private static nint s_place;
    private static bool s_isMet;
    private static int s_meetings;
    private static int s_alone;

    public static unsafe bool Store(ulong* at, ulong value) => Meet((nint)at, () => Atomic.StoreRelease(ref *at, value));

    public static unsafe bool Store(uint* at, uint value) => Meet((nint)at, () => Atomic.StoreRelease(ref *at, value));

    /// <summary>
    /// Instead of a CAS that has looked already: who comes here waits a moment for another one that has seen the same, and both store before either
    /// goes on. Left to chance, two meet in every run on one machine and in none on another.
    /// </summary>
    private static bool Meet(nint at, System.Action store)
    {
        lock (s_gate)
        {
            if (s_place == at && !s_isMet)
            {
                s_isMet = true;
                store();
                int meeting = s_meetings;
                System.Threading.Monitor.PulseAll(s_gate);
                while (s_meetings == meeting)
                    System.Threading.Monitor.Wait(s_gate);
            }
            else if (s_place != 0 || s_alone == 500) // a second in all, for tests in which nobody else comes
            {
                store();
            }
            else
            {
                s_place = at;
                System.Threading.Monitor.Wait(s_gate, 2);
                store();
                s_alone += s_isMet ? 0 : 1;
                s_place = 0;
                s_isMet = false;
                s_meetings++;
                System.Threading.Monitor.PulseAll(s_gate);
            }
        }

        return true;
    }
}
END

count=0 survived=0 table=() labels=() whats=() tests=() shorts=()

edit() { # FILE ORIGINAL REPLACEMENT: exactly one place, or the mutant is told to be wrong
    local text rest
    text=$(cat "$source/$1"; printf x)
    text=${text%x}
    rest=${text#*"$2"}
    if [ "$rest" = "$text" ]; then
        table+=("$(printf '%3d %-12s %-62s NOTHING TO EDIT in %s' "$count" "${labels[$count]}" "${whats[$count]}" "$1")")
    elif [ "${rest#*"$2"}" != "$rest" ]; then
        table+=("$(printf '%3d %-12s %-62s MORE THAN ONE PLACE in %s' "$count" "${labels[$count]}" "${whats[$count]}" "$1")")
    else
        printf '%s' "${text%%"$2"*}$3$rest" >"$source/$1"
        return 0
    fi
    survived=$((survived + 1))
    tests[count]=
    return 1
}

note() { # LABEL WHAT TEST [short]
    count=$((count + 1))
    labels[count]=$1 whats[count]=$2 tests[count]=$3 shorts[count]=${4:-}
}

# expression FILE ORIGINAL MUTANT LABEL WHAT TEST [short]; statement likewise, an empty MUTANT being a step that is left out.
expression() { note "${@:4}"; edit "$1" "$2" "(Mutants.On($count) ? ($3) : ($2))"; }
statement() { note "${@:4}"; edit "$1" "$2" "if (Mutants.On($count)) { $3 } else { $2"$'\n'"}"; }

. "$top/tests/mutants-cs.sh"

compile() {
    cd "$work" && dotnet build "$source/Ipc.Core.csproj" -c Release -f net10.0 --no-restore -p:RunAnalyzers=false -p:EnforceCodeStyleInBuild=false \
        -p:TreatWarningsAsErrors=false -p:GenerateDocumentationFile=false -nodeReuse:false -maxcpucount:1 -v:q -nologo -tl:off -o "$work/core"
}
export -f compile
export work source
run_logged "compiling $count mutants" "$logs/mutate-cs-build.log" 300 bash -c compile ||
    { show_failure "compiling the mutants" "$logs/mutate-cs-build.log"; exit 1; }
cp -r "$built/." "$work/bin/"
cp "$work/core/Ipc.Core.dll" "$work/bin/"

run_tests() { # SECONDS TEST...
    local seconds=$1 arguments=() test
    shift
    for test in "$@"; do arguments+=(-method "*.$test"); done
    timeout --kill-after=5 "$seconds" dotnet "$work/bin/Ipc.Core.Tests.dll" "${arguments[@]}" -noColor >"$work/run.log" 2>&1 </dev/null
}

chosen=()
for ((i = 1; i <= count; i++)); do
    case $mode in
        short) [ -n "${shorts[i]}" ] && chosen+=("$i") ;;
        long) chosen+=("$i") ;;
        only) [ "$i" = "$only" ] && chosen+=("$i") ;;
    esac
done

# Without a mutant every test that is used passes, and its time says how long one with a mutant may take.
all=()
for i in "${chosen[@]}"; do [ -z "${tests[i]}" ] || all+=("${tests[i]}"); done
mapfile -t all < <(printf '%s\n' "${all[@]}" | sort -u)
began=$SECONDS
run_tests 120 "${all[@]}" || { warn "the tests fail without any mutant:"; cat "$work/run.log"; exit 1; }
ran=$(grep -oE 'Total: [0-9]+' "$work/run.log" | grep -oE '[0-9]+')
[ "${ran:-0}" -ge ${#all[@]} ] || { warn "of ${#all[@]} tests only ${ran:-0} were found"; exit 1; }
limit=$((SECONDS - began + 10)) # one test against all of them
say "  ${#all[@]} tests pass without a mutant"

for i in "${chosen[@]}"; do
    [ -n "${tests[i]}" ] || continue
    code=0
    for _ in 1 2 3; do # some tests need two threads to meet, which they may not do in one run
        IPC_MUTANT=$i run_tests $limit "${tests[i]}" || code=$?
        [ $code = 0 ] || break
    done
    if [ $code = 0 ]; then
        verdict=SURVIVED
        survived=$((survived + 1))
    elif [ $code = 124 ] || [ $code = 137 ]; then
        verdict="caught: it hangs"
    else
        verdict="caught: $(grep -A1 -m1 '\[FAIL\]' "$work/run.log" | tail -n 1 | sed 's/^ *//' | cut -c 1-60)"
    fi
    say "$(printf '%3d %-12s %-62s %s' "$i" "${labels[i]}" "${whats[i]}" "$verdict")"
    [ "$mode" != only ] || cat "$work/run.log"
done

for line in ${table[@]+"${table[@]}"}; do say "$line"; done
say "${#chosen[@]} mutants, $survived survived"
[ $survived = 0 ]

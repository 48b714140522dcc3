#!/usr/bin/env bash
# usage: tests/mutate-cs.sh [--long | --only N] [--subject LIBRARY]   takes one step of the C# libraries away at a time: a named test must notice.
#
#   (none)   two dozen mutants, of every part        half a minute
#   --long   all of them                             eight minutes
#   --only N shows what the test says of mutant N
#   --subject Ipc.Core | Ipc.Rpc | OfficeAddin.Core: of that library only
#
# The subjects are the libraries of which tests/mutants-cs.sh (Ipc.Core), tests/mutants-rpc-cs.sh (Ipc.Rpc) and tests/mutants-addin-cs.sh (the core of the
# spreadsheet add-in) have the mutants. All of a library's are compiled into one copy of it, each beside the original, and IPC_MUTANT chooses one at run time. So
# there is one build; the test programs are those that are built already (eng/build.sh). Ends with a table; the exit code is 1 when a mutant survived, when an
# edit found not exactly one place, or when a test fails without any mutant.
#
# What is not here: a release or acquire made plain is the same instruction on x64, and no tool looks at C# as ThreadSanitizer looks
# at C. The C half's mutants (tests/mutate.sh) stand for both: tests/Ipc.Architecture.Tests sees to it that the labels are the same, and only Platform/Atomic.cs may order.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"

mode=short only='' chosen_subject=''
while [ $# -gt 0 ]; do
    case $1 in
        --long) mode=long ;;
        --only) mode=only only=${2:?}; shift ;;
        --subject) chosen_subject=${2:?}; shift ;;
        *) sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; [ "$1" = --help ]; exit ;;
    esac
    shift
done

configuration=Release
[ -d "$top/tests/Ipc.Core.Tests/bin/Release/net10.0" ] || configuration=Debug

work=$(mktemp -d)
regions=$(mktemp -d "${IPC_DIR:-/dev/shm}/ipc-test.XXXXXX") || exit 1
trap 'rm -rf "$work" "$regions"' EXIT
export IPC_DIR=$regions IPC_MUTANT=0
cp "$top/Directory.Build.props" "$work/"

# Test programs look for their peers in the repository that they are in: one that has nothing else.
mkdir -p "$work/top/tests"
touch "$work/top/Ipc.sln"
ln -s "$top/build" "$work/top/build"
mkdir -p "$work/top/tests/peers/cs" && ln -s "$top/tests/peers/cs/Ipc.Peer" "$work/top/tests/peers/cs/Ipc.Peer"

count=0 survived=0 table=() labels=() whats=() tests=() shorts=() subjects=() source='' subject=''
declare -A programs=()

# begin_subject ASSEMBLY FOLDER NAMESPACE TESTS REFERENCE...   what follows are mutants of this library, to be noticed by tests/TESTS. It is compiled by
# a project of its own, for one framework, against what those tests were built with.
begin_subject() {
    local folder=$top/$2 namespace=$3 built=$top/tests/$4/bin/$configuration/net10.0 linked reference references=
    subject=$1 source=$work/tree/$1
    [ -f "$built/$4.dll" ] || { warn "build first: eng/build.sh"; exit 1; }
    programs[$subject]=$work/top/tests/$4/bin/$configuration/net10.0/$4.dll
    mkdir -p "$source" "${programs[$subject]%/*}"
    cp -r "$built/." "${programs[$subject]%/*}/"
    echo "${programs[$subject]%/*}" >"$source/for"
    cp -r "$folder/." "$source/"
    # what it compiles of another library
    for linked in $(sed -n 's|.*<Compile Include="\(\.\./[^";*]*\)".*|\1|p' "$folder"/*.csproj); do cp "$folder/$linked" "$source/"; done
    rm -rf "$source/bin" "$source/obj" "$source"/*.csproj
    for reference in "${@:5}"; do references+="<Reference Include=\"$built/$reference.dll\" />"; done
    cat >"$source/$subject.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <TargetFramework>net10.0</TargetFramework>
    <RootNamespace>$namespace</RootNamespace>
    <AllowUnsafeBlocks>true</AllowUnsafeBlocks>
    <RunAnalyzers>false</RunAnalyzers>
    <EnforceCodeStyleInBuild>false</EnforceCodeStyleInBuild>
    <TreatWarningsAsErrors>false</TreatWarningsAsErrors>
    <WarningLevel>0</WarningLevel>
  </PropertyGroup>
  <ItemGroup>$references</ItemGroup>
  <ItemGroup>$(grep -h '<InternalsVisibleTo' "$folder"/*.csproj)</ItemGroup>
</Project>
END
    cat >"$source/Mutants.cs" <<END
namespace $namespace;

internal static partial class Mutants
{
    private static readonly int s_on = int.Parse(System.Environment.GetEnvironmentVariable("IPC_MUTANT") ?? "0");

    public static bool On(int number) => number == s_on;
}
END
}

begin_subject Ipc.Core src/Ipc.Core Ipc Ipc.Core.Tests
cat >"$source/Meetings.cs" <<'END'
namespace Ipc;

internal static partial class Mutants
{
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
    labels[count]=$1 whats[count]=$2 tests[count]=$3 shorts[count]=${4:-} subjects[count]=$subject
}

# expression FILE ORIGINAL MUTANT LABEL WHAT TEST [short]; statement likewise, an empty MUTANT being a step that is left out.
expression() { note "${@:4}"; edit "$1" "$2" "(Mutants.On($count) ? ($3) : ($2))"; }
statement() { note "${@:4}"; edit "$1" "$2" "if (Mutants.On($count)) { $3 } else { $2"$'\n'"}"; }

. "$top/tests/mutants-cs.sh"
begin_subject Ipc.Rpc src/Ipc.Rpc Ipc.Rpc Ipc.Rpc.Tests Ipc.Core
. "$top/tests/mutants-rpc-cs.sh"
begin_subject OfficeAddin.Core samples/OfficeAddin/Core OfficeAddin OfficeAddin.Tests Ipc.Core Ipc.Rpc OfficeAddin.Contract
. "$top/tests/mutants-addin-cs.sh"

compile() {
    local each
    cd "$work/tree" || return
    for each in ${chosen_subject:-*}; do
        dotnet build "$each/$each.csproj" -c Release -nodeReuse:false -maxcpucount:1 -v:q -nologo -tl:off -o "$work/built/$each" || return
        cp "$work/built/$each/$each.dll" "$(cat "$each/for")/" || return
    done
}
export -f compile
export work chosen_subject
run_logged "compiling $count mutants" "$logs/mutate-cs-build.log" 300 bash -c compile ||
    { show_failure "compiling the mutants" "$logs/mutate-cs-build.log"; exit 1; }

run_tests() { # SUBJECT SECONDS TEST...
    local program=${programs[$1]} seconds=$2 arguments=() test
    shift 2
    for test in "$@"; do arguments+=(-method "*.$test"); done
    timeout --kill-after=5 "$seconds" dotnet "$program" "${arguments[@]}" -noColor -xml "$work/run.xml" >"$work/run.log" 2>&1 </dev/null
}

# How long a test may take with a mutant: four times as long as it took without one (its cases one after another), and twelve seconds to begin and to end.
limit_of() { # CLASS.METHOD, after a run of it
    tr '\n' ' ' <"$work/run.xml" | grep -oE "<test [^>]*type=\"[^\"]*\\.${1%.*}\" method=\"${1##*.}\"[^>]*" | grep -oE ' time="[0-9.]*"' |
        awk -F'"' '{ sum += $2 } END { print int(4 * sum) + 12 }'
}

chosen=()
for ((i = 1; i <= count; i++)); do
    [ "${chosen_subject:-${subjects[i]}}" = "${subjects[i]}" ] || continue
    case $mode in
        short) [ -n "${shorts[i]}" ] && chosen+=("$i") ;;
        long) chosen+=("$i") ;;
        only) [ "$i" = "$only" ] && chosen+=("$i") ;;
    esac
done

# Without a mutant every test that is used passes.
declare -A limits=()
for each in "${!programs[@]}"; do
    all=()
    for i in "${chosen[@]}"; do [ -z "${tests[i]}" ] || [ "${subjects[i]}" != "$each" ] || all+=("${tests[i]}"); done
    [ ${#all[@]} != 0 ] || continue
    mapfile -t all < <(printf '%s\n' "${all[@]}" | sort -u)
    run_tests "$each" 240 "${all[@]}" || { warn "the tests of $each fail without any mutant:"; cat "$work/run.log"; exit 1; }
    ran=$(grep -oE 'Total: [0-9]+' "$work/run.log" | grep -oE '[0-9]+')
    [ "${ran:-0}" -ge ${#all[@]} ] || { warn "of ${#all[@]} tests of $each only ${ran:-0} were found"; exit 1; }
    for test in "${all[@]}"; do limits[$test]=$(limit_of "${test/\*/[A-Za-z0-9_]*}"); done
    say "  ${#all[@]} tests of $each pass without a mutant"
done

for i in "${chosen[@]}"; do
    [ -n "${tests[i]}" ] || continue
    code=0
    for _ in 1 2 3; do # some tests need two threads to meet, which they may not do in one run
        IPC_MUTANT=$i run_tests "${subjects[i]}" "${limits[${tests[i]}]}" "${tests[i]}" || code=$?
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

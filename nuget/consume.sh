#!/usr/bin/env bash
# usage: nuget/consume.sh [--keep]     makes the packages and uses them as a stranger would
#
# Packs everything into a folder feed in a temporary directory, checks what is in the packages, and builds and runs fresh projects outside
# the repository (consumers/README.md) that know nothing but that feed and the feeds of this machine. Each talks to a program of the repository.
# A few minutes on two cores. --keep leaves the directory where it is and says where. IPC_VERSION=0.2.0 does it with packages of another version.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"
keep=
case ${1:-} in
    --keep) keep=yes ;;
    "") ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
require build || exit 1
work=$(mktemp -d)
IPC_DIR=$(mktemp -d /dev/shm/ipc-test-consume.XXXXXX)
export IPC_DIR
servers=()
clean_up() {
    local pid
    for pid in ${servers[@]+"${servers[@]}"}; do kill -KILL "$pid" 2>/dev/null; done
    rm -rf "$IPC_DIR"
    [ -n "$keep" ] && say "kept: $work" || rm -rf "$work"
}
trap clean_up EXIT
trap '_stop_work; exit 143' TERM INT
all=0 good=0

# must TITLE COMMAND...   without this there is nothing to try.
must() {
    local title=$1 log=$logs/consume-${1// /-}.log
    shift
    run_logged "$title" "$log" 1200 "$@" || { show_failure "$title" "$log"; say "consumers ok: 0 of 0"; exit 1; }
}

# consumer NAME COMMAND...   one that counts; the last line that it prints is its result.
consumer() {
    local name=$1 log=$logs/consume-$1.log code=0
    shift
    all=$((all + 1))
    timeout --kill-after=5 600 "$@" >"$log" 2>&1 </dev/null || code=$?
    if [ $code = 0 ]; then
        good=$((good + 1))
        say "  $name: ok: $(tail -n 1 "$log")"
    else
        show_failure "$name (exit code $code)" "$log" 20
    fi
}

left_out() { say "  $1: left out: $2"; }

# A peer that prints a line when it is ready and ends with its standard input, which descriptor NUMBER keeps open.
serve() { # NUMBER COMMAND...
    local number=$1 ready=$work/ready$1
    shift
    mkfifo "$work/input$number" "$ready"
    "$@" <"$work/input$number" >"$ready" 2>"$work/errors$number" &
    servers+=($!)
    eval "exec $number>\"\$work/input$number\" 9<\"\$ready\""
    read -r -t 60 _ <&9 || { say "the peer is not ready: $*"; exit 1; }
}

# The version stands once, in Directory.Build.props. The other one has what the two need that share a process, for one framework.
packed_version=${IPC_VERSION:-$(sed -n 's:.*<Version>\(.*\)</Version>.*:\1:p' "$top/Directory.Build.props")}
IFS=.- read -r major minor patch _ <<<"$packed_version"
[[ $patch =~ ^[0-9]+$ ]] || { say "not MAJOR.MINOR.PATCH: $packed_version"; exit 1; }
other_version=$major.$minor.$((patch + 1))
pack_other() { # PROJECT
    dotnet pack "src/$1" -c Release -p:Version=$other_version -p:LibraryFrameworks=net10.0 -p:RunAnalyzers=false -p:EnablePackageValidation=false \
        -p:PackageOutputPath="$work/feed" --artifacts-path "$top/build/nuget-other" -m:2 -nodeReuse:false -v:minimal -tl:off
}
pack_others() { pack_other Ipc.Core && pack_other Ipc.Rpc; }

# Ipc's packages come from the folder and from nowhere else; what they need comes from where this machine gets it, out of its cache if it is there.
configure_feeds() {
    local source
    {
        echo '<configuration>'
        echo "  <packageSources><add key=\"the folder\" value=\"$work/feed\" /></packageSources>"
        echo '  <packageSourceMapping>'
        echo '    <packageSource key="the folder"><package pattern="Ipc.*" /></packageSource>'
        dotnet nuget list source | sed -n 's/^ *[0-9][0-9]*\. *\(.*\) \[Enabled\]$/\1/p' | while IFS= read -r source; do
            echo "    <packageSource key=\"$source\"><package pattern=\"*\" /></packageSource>"
        done
        echo '  </packageSourceMapping>'
        echo "  <fallbackPackageFolders><add key=\"cache\" value=\"$(dotnet nuget locals global-packages -l | sed 's/^global-packages: //')\" /></fallbackPackageFolders>"
        echo '</configuration>'
    } >"$work/nuget.config"
}

# .NET Framework's stand-in. Its netstandard.dll is in a package of tools that needs fifty others: that one file is taken out of it, once.
prepare_mono() {
    local facade=/usr/lib/mono/4.5/Facades/netstandard.dll
    offer mono-runtime:/usr/bin/mono-sgen libmono-system4.0-cil:/usr/lib/mono/4.5/System.dll libmono-system-core4.0-cil:/usr/lib/mono/4.5/System.Core.dll
    command -v mono >/dev/null || return 1
    if [ ! -f $facade ]; then
        facade=$top/build/mono/netstandard.dll
        [ -f "$facade" ] || (
            mkdir -p "$work/mono" "$top/build/mono" && cd "$work/mono" && apt-get download mono-devel &&
                dpkg-deb --fsys-tarfile mono-devel_*.deb | tar x ./usr/lib/mono/4.5/Facades/netstandard.dll &&
                cp usr/lib/mono/4.5/Facades/netstandard.dll "$facade"
        ) >>"$logs/setup.log" 2>&1 || return 1
    fi
    mono_path=$(dirname "$facade")
}

program() { echo "$work/projects/$1/bin/Release/$2"; } # FOLDER FRAMEWORK/FILE

cd "$top" || exit 1
export top work packed_version other_version
export -f pack_other pack_others
must "peers of the repository" cmake --preset native -DCMAKE_BUILD_TYPE=Release
must "peers of the repository, built" cmake --build build/native -j 2 --target peer quickstart_server
must "packing" nuget/pack.sh "$work/feed"
must "packing another version" bash -c pack_others
consumer contents nuget/check-packages.sh "$work/feed"

cache=$(dotnet nuget locals global-packages -l | sed 's/^global-packages: //')
configure_feeds
cp -R nuget/consumers/dotnet "$work/projects"
sed -i "s:>VERSION<:>$packed_version<:; s:>OTHER_VERSION<:>$other_version<:" "$work/projects/Directory.Build.props"
cp -R nuget/consumers/c-nuget "$work/c-nuget" && cp nuget/consumers/c-pkgconfig/echo.c "$work/c-nuget"
cd "$work/projects" || exit 1
must "restoring the fresh projects" dotnet restore Consumers.slnx -v:quiet -tl:off
# A project that does not build is one consumer that fails, below: its program is not there.
run_logged "building the fresh projects" "$logs/consume-build.log" 900 dotnet build Consumers.slnx -c Release --no-restore -m:2 -nodeReuse:false -v:minimal -tl:off ||
    show_failure "building the fresh projects" "$logs/consume-build.log"

publish() { # PROJECT: then runs what was published
    dotnet publish "$1" -c Release -o "$work/$1" -nodeReuse:false -v:quiet -tl:off && timeout 60 "$work/$1/$1" quotes
}
use_the_tool() {
    dotnet tool install Ipc.Tool --tool-path "$work/tools" --version "$packed_version" --configfile "$work/nuget.config" &&
        "$work/tools/ipc" ls --json >"$work/ls.json" && grep -q '"quotes"' "$work/ls.json" && echo "ipc ls shows the peer: $("$work/tools/ipc" --version)"
}
build_c() {
    cmake -S "$work/c-nuget" -B "$work/c-nuget/build" -G Ninja -Dipc_DIR="$(echo "$work"/projects/packages/ipc.native/*/build/native)" &&
        cmake --build "$work/c-nuget/build" && timeout 30 "$work/c-nuget/build/echo" echo
}
export -f publish use_the_tool build_c

serve 7 "$top/build/native/samples/QuickStart/cpp/quickstart_server"
serve 8 "$top/build/native/tests/native/peer" listen echo
consumer net10 dotnet "$(program Net10 net10.0/Net10.dll)" quotes
consumer net8 dotnet "$(program Net8 net8.0/Net8.dll)" quotes
consumer netstandard2.0-library dotnet "$(program LibraryUser net10.0/LibraryUser.dll)" quotes
consumer hosting dotnet "$(program Hosting net10.0/Hosting.dll)" quotes
consumer serializers dotnet "$(program Serializers net10.0/Serializers.dll)" quotes
consumer serializers-net8 dotnet "$(program Serializers net8.0/Serializers.dll)" quotes
consumer native-binding dotnet "$(program Native net10.0/Native.dll)" echo
consumer two-versions dotnet "$(program TwoVersions/Host net10.0/Host.dll)" "$(program TwoVersions/Old net10.0/Old.dll)" "$(program TwoVersions/New net10.0/New.dll)" quotes
if prepare_mono; then
    consumer net472 env MONO_PATH="$mono_path" mono "$(program Framework net472/Framework.exe)" quotes
    consumer net472-native-binding env MONO_PATH="$mono_path" mono "$(program Native net472/Native.exe)" echo
else
    left_out net472 "it was built; mono, which runs it here, is not to be had"
fi
consumer trimmed bash -c "publish Trimmed"
consumer machine-code bash -c "publish MachineCode"
consumer tool bash -c use_the_tool
consumer c-nuget bash -c build_c

exec 7>&- 8>&-
for pid in "${servers[@]}"; do
    wait "$pid" || { say "  a peer ended with exit code $?"; all=$((all + 1)); }
done
servers=()

if find "$IPC_DIR" -mindepth 1 | grep .; then
    say "  FAILED: the consumers left this in shared memory"
    all=$((all + 1))
fi
say "consumers ok: $good of $all"
[ $good = $all ]

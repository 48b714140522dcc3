# Sourced by the scripts of this folder, which build what they measure.
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"
. "$top/eng/setup.sh"

# bench_begin PROJECT TARGET...   at the top of the repository: builds TARGETs of C and C++ and the C# PROJECT ('' for none). The regions are in a folder of their own from here on
# (eng/programs.sh): what a failed run leaves behind goes with it.
bench_begin() {
    local project=$1
    shift
    cd "$top" && require build || exit 1
    build_native() { cmake --preset native -DCMAKE_BUILD_TYPE=Release && cmake --build build/native -j 2 --target "$@"; }
    export -f build_native
    run_logged "building C and C++" "$logs/bench-native.log" 1200 bash -c 'build_native "$@"' - "$@" || { show_failure "building C and C++" "$logs/bench-native.log"; exit 1; }
    [ -z "$project" ] || run_logged "building C#" "$logs/bench-dotnet.log" 1200 dotnet build "$project" -c Release -m:2 -nodeReuse:false -v:minimal -tl:off ||
        { show_failure "building C#" "$logs/bench-dotnet.log"; exit 1; }
    . "$top/eng/programs.sh"
}

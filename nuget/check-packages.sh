#!/usr/bin/env bash
# usage: nuget/check-packages.sh FOLDER     are the packages in FOLDER what contents/ says?
#
# contents/PACKAGE.txt lists every file and every dependency of a package: a change of it is a change for its users, and is reviewed as one.
# After a wanted change, IPC_UPDATE_PACKAGES=1 writes the lists. The rules below hold whatever the lists say.
set -u
folder=$(cd "${1:?usage: nuget/check-packages.sh FOLDER}" && pwd) || exit 2
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top/nuget" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 count=0
complain() { printf '%s\n' "$*"; bad=1; }
mkdir -p contents

dependencies() { # NUSPEC: "FRAMEWORK: ID VERSION" for each; "FRAMEWORK: nothing" for a framework without any
    tr -d '\r\n' <"$1" | sed 's/<\(group\|dependency\|frameworkReference\|\/group\)/\n<\1/g' | awk '
        function value(name) { return match($0, name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3) : "" }
        /^<group/ { if (group && !any) print group ": nothing"; group = value("targetFramework"); any = 0; if ($0 ~ /\/>/) { print group ": nothing"; group = "" } }
        /^<(dependency|frameworkReference)/ { print group ": " value("id") value("name") " " value("version"); any = 1 }'
}

for package in "$folder"/Ipc.*.nupkg; do
    case $(basename "$package") in Ipc.*."${other_version:-none}".nupkg) continue ;; esac # of consume.sh: for one framework, and not all of them
    count=$((count + 1))
    name=$(basename "$package" | sed -E 's/\.[0-9]+\.[0-9]+\.[0-9]+.*$//')
    mkdir "$work/$name" "$work/$name.symbols"
    (cd "$work/$name" && cmake -E tar xf "$package") || complain "$name cannot be opened"
    {
        (cd "$work/$name" && find . -type f -printf '%P\n' | grep -vE '^(_rels/|package/|\[Content_Types\]|.*\.nuspec$)' | LC_ALL=C sort)
        dependencies "$work/$name/$name.nuspec" | sed 's/^/needs for /' | sed -E "s/ (Ipc\.[A-Za-z.]+) [0-9].*/ \1, the same version/"
    } >"$work/list"
    [ -z "${IPC_UPDATE_PACKAGES:-}" ] || cp "$work/list" "contents/$name.txt"
    if [ ! -f "contents/$name.txt" ]; then
        complain "$name: no list nuget/contents/$name.txt; IPC_UPDATE_PACKAGES=1 writes it"
    elif ! diff "contents/$name.txt" "$work/list" >"$work/difference"; then
        complain "$name: not what nuget/contents/$name.txt says; if that is wanted: IPC_UPDATE_PACKAGES=1"$'\n'"$(cat "$work/difference")"
    fi

    # What every package has, and what none has.
    for file in README.md LICENSE icon.png; do
        [ -s "$work/$name/$file" ] || complain "$name has no $file"
    done
    [ "$(stat -c %s "$work/$name/icon.png" 2>/dev/null || echo 99999)" -lt 10240 ] || complain "$name: the icon has 10 KiB or more"
    [ "$(wc -l <"$work/$name/README.md")" -gt 10 ] || complain "$name: its README says next to nothing"
    grep -q '<license type="expression">MIT</license>' "$work/$name/$name.nuspec" || complain "$name does not name its licence"
    ! grep -qE '<(repository|projectUrl)' "$work/$name/$name.nuspec" || complain "$name names a place on the net"
    (cd "$work/$name.symbols" && cmake -E tar xf "${package%.nupkg}.snupkg") || complain "$name has no symbols"
    while IFS= read -r assembly; do
        [ -f "$work/$name.symbols/${assembly%.dll}.pdb" ] || complain "$name: $assembly has no symbols"
        [ -f "$work/$name/${assembly%.dll}.xml" ] || complain "$name: $assembly has no documents"
    done < <(cd "$work/$name" && find lib -name '*.dll' 2>/dev/null)
    found=$(grep -rlaF -e "$top" "$work/$name" "$work/$name.symbols")
    [ -z "$found" ] || complain "$name knows where it was built: ${found//"$work/"/}"

    # Under Core, Rpc and Native there is the framework and nothing else; two packages of its makers where it lacks spans and asynchronous streams.
    case $name in
        Ipc.Core | Ipc.Rpc | Ipc.Native)
            found=$(grep '^needs' "$work/list" | grep -vE ': (nothing|Ipc\.Core, the same version)$' |
                grep -vE '^needs for (\.NETStandard2\.0: System\.Memory|[^:]*: Microsoft\.Bcl\.AsyncInterfaces) ')
            [ -z "$found" ] || complain "$name needs more than the framework: $found"
            ;;
    esac
done
[ $count -ge 4 ] || complain "only $count packages in $folder"
[ $bad = 0 ] && echo "$count packages are what their lists say"
exit $bad

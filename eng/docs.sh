#!/usr/bin/env bash
# usage: eng/docs.sh [--serve] [Debug|Release]     builds artifacts/site: the documents, the C# API out of what eng/build.sh has built, and the C and C++ API
# out of the headers. --serve then shows it at http://localhost:8080 (opened as files it has no search: browsers do not let pages read files).
# docfx (.config/dotnet-tools.json) and doxygen make it; a warning of theirs is an error. Exit code 77: one of them is neither here nor to be had.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
. "$top/eng/setup.sh"
serve= configuration=Release
for argument in "$@"; do
    case $argument in
        --serve) serve=yes ;;
        Debug | Release) configuration=$argument ;;
        *) warn "usage: eng/docs.sh [--serve] [Debug|Release]"; exit 2 ;;
    esac
done
export configuration stage=$top/build/site site=$top/artifacts/site

# The documents where they are in the repository, with the files that they link to. A link to a folder, which the site does not have, becomes its text.
stage_documents() {
    local page folder target
    git ls-files -co --exclude-standard '*.md' ':!*/AnalyzerReleases.*' ':!nuget/templates' ':!docs/site' | while read -r page; do
        folder=$(dirname "$page")
        cp --parents "$page" "$stage"
        grep -oE '\]\([^)#: ]+' "$page" | cut -c3- | sort -u | while read -r target; do
            if [ -d "$folder/$target" ]; then
                sed -i "s|\[\([^]]*\)\]($target)|\1|g" "$stage/$page"
            elif [ -f "$folder/$target" ] && [[ $target != *.md ]]; then
                cp --parents "$(realpath --relative-to=. "$folder/$target")" "$stage"
            fi
        done
    done
}

list_pages() { # FOLDER PATTERN   a table of contents out of the titles of its pages
    local page
    for page in "$1"/$2; do
        sed -n "1s/'/''/g; 1s|^# \(.*\)|- { name: '\1', href: $(basename "$page") }|p" "$page"
    done >"$stage/$1/toc.yml"
}

build_site() {
    set -e
    rm -rf "$stage" "$site"
    mkdir -p "$stage/assemblies"
    doxygen docs/site/Doxyfile
    sed -i 's|<div id="projectname">Ipc|<div id="projectname"><a href="../index.html">Ipc</a>|' "$stage"/cpp/*.html
    stage_documents
    sed 's|](\.\./\.\./|](|g; s|](\.\./|](docs/|g' docs/site/index.md >"$stage/index.md"
    cp -r docs/site/docfx.json docs/site/template nuget/icon.png "$stage"
    cp docs/site/nav.yml "$stage/toc.yml"
    cp docs/site/toc.yml "$stage/docs/toc.yml"
    list_pages docs/diagnostics 'IPC*.md'
    list_pages docs/adr '0*[1-9]*.md'
    cp tests/Ipc.Docs.Tests/bin/"$configuration"/net10.0/*.{dll,xml} src/Ipc.Native/bin/"$configuration"/net10.0/Ipc.Native.{dll,xml} "$stage/assemblies"
    dotnet docfx "$stage/docfx.json" --warningsAsErrors --disableGitFeatures
    rm "$site"/public/*.map # two thirds of it: for who debugs docfx
}

cd "$top" || exit 1
_require_dotnet || exit 1
offer doxygen:/usr/bin/doxygen
command -v doxygen >/dev/null && dotnet tool restore >>"$logs/setup.log" 2>&1 || { warn "docfx or doxygen is neither here nor to be had: no site"; exit 77; }
export -f stage_documents list_pages build_site
run_logged "building the site" "$logs/docs.log" 600 bash -c build_site || { show_failure "building the site" "$logs/docs.log"; exit 1; }
[ -n "$serve" ] || { say "  artifacts/site is built; to read it: eng/docs.sh --serve"; exit; }
exec dotnet docfx serve "$site"

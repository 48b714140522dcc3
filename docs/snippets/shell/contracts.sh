#!/usr/bin/env bash
# usage: contracts.sh PROJECT-FOLDER    the commands of docs/guide/contracts.md
set -eu
cd "$1"
# snippet: update
dotnet build -p:IpcUpdateContracts=true
# end-snippet

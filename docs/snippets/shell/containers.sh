#!/usr/bin/env bash
# The commands of docs/guide/containers.md.
set -eu
# snippet: room
df -h "${IPC_DIR:-/dev/shm}"                # how much there is
ls -l "${IPC_DIR:-/dev/shm/ipc-$(id -u)}"   # what lies there: one file for each structure
# end-snippet

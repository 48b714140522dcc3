#!/usr/bin/env bash
# usage: tests/users.sh      needs root, setpriv (util-linux) and what eng/build.sh has built
#
# Programs of two users, and of a third who is hostile, in a machine directory of their own, in both languages: {C#, C} x {C#, C}. The users need no accounts.
# The tests are Ipc.Interop.Tests, Users* (UsersRpcTests: calls, in C# and C++); this runs them alone, shows what fails or is left out, and ends with `users: N passed, M failed`.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../eng/common.sh"

configuration=Release
[ -d "$top/tests/Ipc.Interop.Tests/bin/Release/net10.0" ] || configuration=Debug
program=$top/tests/Ipc.Interop.Tests/bin/$configuration/net10.0/Ipc.Interop.Tests.dll
export IPC_NATIVE_BUILD=${IPC_NATIVE_BUILD:-$top/build/native}
[ -f "$program" ] && [ -x "$IPC_NATIVE_BUILD/tests/native/peer" ] || { warn "build first: eng/build.sh"; exit 2; }
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
    say "  left out: only root, with setpriv, can start programs as two users"
    say "users: 0 passed, 0 failed"
    exit 0
fi

shown=$(dotnet "$program" -noLogo -noColor -class '*.UsersTests' -class '*.UsersHostileTests' -class '*.UsersRpcTests' 2>&1)
code=$?
counts=$(sed -n 's/.*Total: \([0-9]*\), Errors: \([0-9]*\), Failed: \([0-9]*\), Skipped: \([0-9]*\).*/\1 \2 \3 \4/p' <<<"$shown")
read -r total errors failed skipped <<<"${counts:-0 1 0 0}"
failed=$((failed + errors)) # an error is a test class that could not begin
[ $failed = 0 ] && [ $code = 0 ] || sed -n '/\[FAIL\]/,$p' <<<"$shown"
grep '\[SKIP\]' <<<"$shown"
passed=$((total - failed - skipped))
[ "$total" != 0 ] || { warn "no test ran: $shown"; passed=0 failed=1; }
say "users: $passed passed, $failed failed"
[ $failed = 0 ] && [ $code = 0 ]

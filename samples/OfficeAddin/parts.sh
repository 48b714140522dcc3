# Sourced by the tests of the add-in: what each part of them compares, and the sums, `compared` and `wrong`.

compared=0 wrong=0
part() { # NAME COMMAND...   the command's last line is "cells compared N, wrong M"
    local name=$1 code=0 output=$logs/office-${1//[^A-Za-z0-9]/-}.log last
    shift
    timeout --kill-after=5 600 "$@" >"$output" 2>&1 || code=$?
    sed -i 's/\r$//' "$output"
    last=$(tail -n 1 "$output")
    if [[ $last =~ ^cells\ compared\ ([0-9]+),\ wrong\ ([0-9]+)$ ]]; then
        compared=$((compared + BASH_REMATCH[1])) wrong=$((wrong + BASH_REMATCH[2]))
        printf '%-46s %s\n' "$name" "$last"
        [ $code != 0 ] || return 0
        [ "${BASH_REMATCH[2]}" != 0 ] || wrong=$((wrong + 1))
    else
        say "$name: exit code $code, nothing compared"
        wrong=$((wrong + 1))
    fi
    sed 's/^/  | /' "$output"
}

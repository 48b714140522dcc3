#!/usr/bin/env bash
# usage: samples/Farm/run.sh [LIMIT]    counts the primes below LIMIT (default: 1000000000) with four workers, of which one is killed every half second and replaced, and one is asked to end
# in good order. With a broker of its own, or with FARM_ADDRESS=amqp://USER:PASSWORD@HOST:PORT/VHOST/SERVICE. After eng/build.sh. The exit code is 0 when the number is right.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
. eng/programs.sh
limit=${1:-1000000000}
farm=samples/Farm/CSharp/bin/Release/net10.0/Farm

# A broker that neither uses nor disturbs one that the machine has: its own home, cookie, directories and ports.
start_broker() {
    local server=/usr/lib/rabbitmq/bin/rabbitmq-server names port names_port
    [ -x $server ] || { echo "there is no rabbitmq-server here (Debian: rabbitmq-server; ./test.sh says how to install it so that no service is started)"; exit 77; }
    names=$(command -v epmd || echo /usr/lib/erlang/bin/epmd)
    port=$(free_port) names_port=$(free_port)
    (umask 077 && echo "$RANDOM$RANDOM$RANDOM$RANDOM" >"$work/.erlang.cookie")
    chmod 400 "$work/.erlang.cookie"
    : >"$work/empty"
    echo '[].' >"$work/plugins"
    printf '%s\n' "listeners.tcp.default = 127.0.0.1:$port" "log.file = false" "log.console.level = error" "disk_free_limit.absolute = 10MB" >"$work/rabbitmq.conf"
    HOME=$work "$names" -address 127.0.0.1 -port "$names_port" >/dev/null 2>&1 &
    HOME=$work ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$names_port RABBITMQ_DIST_PORT=$(free_port) RABBITMQ_NODENAME=farm$$@localhost RABBITMQ_CONFIG_FILE=$work/rabbitmq.conf \
        RABBITMQ_CONF_ENV_FILE=$work/empty RABBITMQ_ENABLED_PLUGINS_FILE=$work/plugins RABBITMQ_MNESIA_BASE=$work/mnesia RABBITMQ_LOG_BASE=$work/log RABBITMQ_PID_FILE=$work/pid \
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="+sbwt none +sbwtdcpu none +sbwtdio none +S 2:2" RUNNING_UNDER_SYSTEMD=1 $server >"$work/broker" 2>&1 &
    local broker=$!
    for _ in {1..600}; do
        ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
        kill -0 $broker 2>/dev/null || { echo "the broker has ended:"; sed 's/^/  /' "$work/broker"; exit 1; }
        sleep 0.2
    done
    address=amqp://127.0.0.1:$port/%2F/farm
}

free_port() { # below those that the system gives to whoever connects
    local port
    while port=$((20000 + RANDOM % 12000)) && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    echo $port
}

if [ -n "${FARM_ADDRESS:-}" ]; then address=$FARM_ADDRESS; else start_broker; fi

workers=() kills=0 number=0
trap 'kill -9 "${workers[@]}" 2>/dev/null; _end_programs' EXIT # disowned: the shell would tell of each that is killed
start() { # SLOT
    number=$((number + 1))
    $farm work "$address" "worker $number" &
    workers[$1]=$!
    disown
}
for slot in 0 1 2 3; do start $slot; done
$farm run "$address" "$limit" &
coordinator=$!
while kill -0 $coordinator 2>/dev/null; do
    sleep 0.5
    if [ $kills = 4 ] && [ -n "${workers[3]:-}" ]; then
        kill -TERM "${workers[3]}" 2>/dev/null # this one finishes what it has in hand
        unset 'workers[3]'
    fi
    slot=$((RANDOM % 3))
    kill -9 "${workers[$slot]}" 2>/dev/null && kills=$((kills + 1))
    start $slot
done
wait $coordinator
code=$?
echo "workers killed: $kills"
exit $code

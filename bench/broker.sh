# Sourced by bench/run.sh: a RabbitMQ broker of its own, with its own home, cookie, directories and ports, so that one that the machine has is neither used nor disturbed.

# broker_start   sets IPC_BENCH_AMQP; without a broker on this machine it says so, and its rows are left out. It ends with the script (eng/programs.sh).
broker_start() {
    local server=/usr/lib/rabbitmq/bin/rabbitmq-server epmd=/usr/bin/epmd home=$work/broker port memory answer
    [ -x $epmd ] || epmd=/usr/lib/erlang/bin/epmd
    [ -x $server ] && [ -x "$epmd" ] || { warn "  no rabbitmq-server here: its rows are left out"; return 0; }
    port=$((20000 + RANDOM % 4000 * 3)) # below those that the system gives to whoever connects
    memory=$(awk '/^MemAvailable:/ { print int($2 / 2048) }' /proc/meminfo) # MB, half of it: above its mark the broker blocks who publishes, and does not say so to it
    [ "${memory:-0}" -gt 400 ] || memory=400
    mkdir -p "$home"
    tr -dc a-z0-9 </dev/urandom | head -c 32 >"$home/.erlang.cookie"
    chmod 400 "$home/.erlang.cookie"
    : >"$home/empty"
    echo '[].' >"$home/plugins"
    cat >"$home/rabbitmq.conf" <<END
listeners.tcp.default = 127.0.0.1:$port
vm_memory_high_watermark.absolute = ${memory}MB
disk_free_limit.absolute = 10MB
log.file = false
log.console = true
log.console.level = warning
END
    in_broker_home() { # LOG COMMAND...   each a child of this script alone
        export HOME=$home RABBITMQ_NODENAME=ipc$$@localhost RABBITMQ_CONFIG_FILE=$home/rabbitmq.conf RABBITMQ_CONF_ENV_FILE=$home/empty RABBITMQ_ENABLED_PLUGINS_FILE=$home/plugins
        export RABBITMQ_MNESIA_BASE=$home/mnesia RABBITMQ_LOG_BASE=$home/log RABBITMQ_PID_FILE=$home/pid RABBITMQ_DIST_PORT=$((port + 1)) ERL_EPMD_PORT=$((port + 2)) ERL_EPMD_ADDRESS=127.0.0.1
        export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="+sbwt none +sbwtdcpu none +sbwtdio none" RUNNING_UNDER_SYSTEMD=1
        exec "${@:2}" >"$home/$1" 2>&1
    }
    (in_broker_home epmd.log "$epmd" -address 127.0.0.1 -port $((port + 2))) &
    (in_broker_home broker.log $server) &
    for _ in {1..1800}; do # 0.1 s each
        answer=$({ exec 5<>"/dev/tcp/127.0.0.1/$port" && printf 'AMQP\0\0\x09\x01' >&5 && timeout 1 head -c 1 <&5; } 2>/dev/null | od -An -tx1)
        if [ -n "$answer" ]; then
            export IPC_BENCH_AMQP=amqp://guest:guest@127.0.0.1:$port
            return 0
        fi
        sleep 0.1
    done
    warn "  the broker does not answer: its rows are left out"
    sed 's/^/    /' "$home/broker.log" | tail -n 20 >&2
}

# broker_alarms   says whether the broker has blocked its publishers meanwhile: figures and failures of its rows are then its memory's.
broker_alarms() {
    grep -s "alarm set" "$work/broker/broker.log" | sed 's/^[^ ]* [^ ]* //; s/\x1b\[[0-9;]*m//g' | while read -r line; do
        warn "  the broker blocked its publishers: $line"
    done
}

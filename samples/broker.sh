# Sourced, after eng/programs.sh, by samples that need a RabbitMQ broker.
#
# start_broker   sets broker, its address without a virtual host; exits with 77 where there is no rabbitmq-server. It ends with the script.

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
    HOME=$work ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$names_port RABBITMQ_DIST_PORT=$(free_port) RABBITMQ_NODENAME=sample$$@localhost RABBITMQ_CONFIG_FILE=$work/rabbitmq.conf \
        RABBITMQ_CONF_ENV_FILE=$work/empty RABBITMQ_ENABLED_PLUGINS_FILE=$work/plugins RABBITMQ_MNESIA_BASE=$work/mnesia RABBITMQ_LOG_BASE=$work/log RABBITMQ_PID_FILE=$work/pid \
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="+sbwt none +sbwtdcpu none +sbwtdio none +S 2:2" RUNNING_UNDER_SYSTEMD=1 $server >"$work/broker" 2>&1 &
    local process=$!
    for _ in {1..600}; do
        ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
        kill -0 $process 2>/dev/null || { echo "the broker has ended:"; sed 's/^/  /' "$work/broker"; exit 1; }
        sleep 0.2
    done
    broker=amqp://127.0.0.1:$port
}

free_port() { # below those that the system gives to whoever connects
    local port
    while port=$((20000 + RANDOM % 12000)) && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    echo $port
}

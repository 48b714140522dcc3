# Sourced by build.sh, test.sh, demo.sh and windows.sh: `require build`, `require test` or `require windows` finds the tools that are needed and, on
# Debian and its relatives, installs the missing ones with apt-get. Silent when nothing is missing.

# tool:package pairs. "test" adds what only the checks need: a second compiler, its sanitizers, its analyzer, a second C
# library, other processors.
_build_tools="gcc:gcc g++:g++ cmake:cmake ninja:ninja-build pkg-config:pkg-config protoc:protobuf-compiler
    timeout:coreutils flock:util-linux"
_test_tools="clang:clang clang-tidy:clang-tidy git:git musl-gcc:musl-tools i686-linux-gnu-gcc:gcc-i686-linux-gnu
    aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu qemu-aarch64:qemu-user qemu-i386:qemu-user"
_windows_tools="x86_64-w64-mingw32-gcc-win32:gcc-mingw-w64-x86-64-win32 x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64-posix wine:wine"

_require_dotnet() {
    local place
    if ! command -v dotnet >/dev/null; then
        for place in "${DOTNET_ROOT:-}" "$HOME/.dotnet" /usr/lib/dotnet /usr/share/dotnet; do
            [ -z "$place" ] || [ ! -x "$place/dotnet" ] || { PATH=$place:$PATH; break; }
        done
    fi
    if ! dotnet --list-sdks 2>/dev/null | grep -q '^10\.'; then
        warn "The .NET SDK 10 is missing. Install it and run this again:"
        warn "  curl -sSL https://dot.net/v1/dotnet-install.sh | bash -s -- --channel 10.0   (into ~/.dotnet)"
        warn "or as https://learn.microsoft.com/dotnet/core/install/linux says for this distribution."
        return 1
    fi
    # Test programs start through their own host executable, which looks for the runtime here.
    [ -n "${DOTNET_ROOT:-}" ] || DOTNET_ROOT=$(dirname "$(readlink -f "$(command -v dotnet)")")
    export PATH DOTNET_ROOT
}

_has_sanitizers() {
    local probe code=0
    probe=$(mktemp -d)
    printf 'int main(void) { return 0; }\n' >"$probe/probe.c"
    printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n ? 0 : 0; }\n' >"$probe/fuzz.c"
    clang -fsanitize=thread -o "$probe/probe" "$probe/probe.c" 2>/dev/null || code=1
    clang -fsanitize=fuzzer,address -o "$probe/fuzz" "$probe/fuzz.c" 2>/dev/null || code=1
    rm -rf "$probe"
    return $code
}

_missing_packages() { # the packages of this level whose tools are not there
    local pair
    for pair in $_build_tools; do
        command -v "${pair%%:*}" >/dev/null || echo "${pair#*:}"
    done
    ! command -v pkg-config >/dev/null || pkg-config --exists protobuf || echo libprotobuf-dev
    if [ "$1" = windows ]; then
        for pair in $_windows_tools; do
            command -v "${pair%%:*}" >/dev/null || echo "${pair#*:}"
        done
        [ -e /usr/lib/wine/wine64 ] || [ -e /usr/lib/x86_64-linux-gnu/wine ] || echo wine64
    fi
    [ "$1" = test ] || return 0
    for pair in $_test_tools; do
        command -v "${pair%%:*}" >/dev/null || echo "${pair#*:}"
    done
    [ -e /usr/i686-linux-gnu/lib/libc.a ] || echo libc6-dev-i386-cross
    [ -e /usr/aarch64-linux-gnu/lib/libc.a ] || echo libc6-dev-arm64-cross
    # Python's protobuf, as the system has it or as the Python of the path does: a witness of the codec's tests.
    python3 -c 'import google.protobuf' 2>/dev/null || /usr/bin/python3 -c 'import google.protobuf' 2>/dev/null || echo python3-protobuf
    # The runtime of sanitizers and fuzzers carries the compiler's version in its name, so it is asked for once the compiler is there.
    ! command -v clang >/dev/null || _has_sanitizers || echo "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
}

_apt() {
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get "$@"
    elif [ -t 0 ]; then
        sudo DEBIAN_FRONTEND=noninteractive apt-get "$@"
    else
        sudo -n DEBIAN_FRONTEND=noninteractive apt-get "$@"
    fi
}

require() {
    local level=$1 missing updated=
    _require_dotnet || return 1
    while missing=$(_missing_packages "$level" | sort -u | tr '\n' ' ') && [ -n "$missing" ]; do
        if ! command -v apt-get >/dev/null || [ "$missing" = "${_tried:-}" ]; then
            warn "Missing here (names of the Debian packages): $missing"
            warn "Install them and run this again."
            return 1
        fi
        _tried=$missing
        say "  installing $missing"
        if [ -z "$updated" ]; then
            updated=yes
            _apt update >"$logs/setup.log" 2>&1 || warn "  apt-get update failed: trying with the lists that are there"
        fi
        # shellcheck disable=SC2086 # a list of words on purpose
        if ! _apt -o DPkg::Lock::Timeout=120 install -y --no-install-recommends $missing >>"$logs/setup.log" 2>&1; then
            tail -n 5 "$logs/setup.log" >&2
            warn "Could not install them. By hand:  sudo apt-get install $missing"
            return 1
        fi
    done
}

# offer PACKAGE:FILE ...    installs what is missing if that is possible; what it is for is left out otherwise.
offer() {
    local pair missing=
    for pair in "$@"; do
        [ -e "${pair#*:}" ] || missing="$missing ${pair%%:*}"
    done
    [ -n "$missing" ] || return 0
    say "  installing$missing"
    # shellcheck disable=SC2086 # a list of words on purpose
    if ! command -v apt-get >/dev/null ||
        ! { _apt update && _apt -o DPkg::Lock::Timeout=120 install -y --no-install-recommends $missing; } >>"$logs/setup.log" 2>&1; then
        warn "  not installed:$missing; what needs them is left out"
    fi
}

_root() { # COMMAND...
    if [ "$(id -u)" = 0 ]; then "$@"; elif [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
}

# The broker whose clients are Ipc.Rpc.RabbitMq and ipc/rpc/amqp.hpp. Its package starts a service of the system, which nobody asked for: the tests start a broker of their own, as a child. So it is
# installed under a policy (policy-rc.d, 101: not allowed) that starts nothing; and where systemd runs not at all, for there the service would begin with the next start of the machine.
offer_rabbitmq() {
    local policy=/usr/sbin/policy-rc.d server=/usr/lib/rabbitmq/bin/rabbitmq-server made=
    offer librabbitmq-dev:/usr/include/amqp_tcp_socket.h # the client of ipc/rpc/amqp.hpp
    [ ! -e $server ] || return 0
    if [ -d /run/systemd/system ]; then
        warn "  rabbitmq-server is not here, and not installed: its package enables a service. What needs it is left out."
        warn "  By hand:  sudo systemctl mask rabbitmq-server epmd.socket epmd.service; sudo apt-get install --no-install-recommends rabbitmq-server"
        return 0
    fi
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' | _root tee $policy >/dev/null && _root chmod 755 $policy && made=yes || return 0
    fi
    offer rabbitmq-server:$server
    [ -z "$made" ] || _root rm -f $policy
}

require_spin() { # the model checker, and the compiler of what it makes: only for long runs and `ctest --preset models`
    command -v spin >/dev/null && command -v gcc >/dev/null || offer spin:/usr/bin/spin gcc:/usr/bin/gcc
    command -v spin >/dev/null && command -v gcc >/dev/null || { warn "By hand:  sudo apt-get install spin gcc"; return 1; }
}

# Mono, the stand-in of .NET Framework: says where its netstandard.dll is (MONO_PATH). That is in a package of tools that needs fifty others: the one file is taken out, once.
offer_mono() {
    local facade=/usr/lib/mono/4.5/Facades/netstandard.dll taken
    offer mono-runtime:/usr/bin/mono-sgen libmono-system4.0-cil:/usr/lib/mono/4.5/System.dll libmono-system-core4.0-cil:/usr/lib/mono/4.5/System.Core.dll
    command -v mono >/dev/null || return 1
    if [ ! -f $facade ] && facade=$top/build/mono/netstandard.dll && [ ! -f "$facade" ]; then
        taken=$(mktemp -d)
        (
            mkdir -p "$top/build/mono" && cd "$taken" && apt-get download mono-devel && dpkg-deb --fsys-tarfile mono-devel_*.deb | tar x ./usr/lib/mono/4.5/Facades/netstandard.dll &&
                cp usr/lib/mono/4.5/Facades/netstandard.dll "$facade"
        ) >>"$logs/setup.log" 2>&1
        rm -rf "$taken"
        [ -f "$facade" ] || return 1
    fi
    dirname "$facade"
}

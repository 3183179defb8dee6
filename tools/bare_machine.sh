#!/usr/bin/env bash
# Proves that the project builds, runs and passes its tests on a machine that has nothing but Debian 12 and rustup.
#   sudo tools/bare_machine.sh DIRECTORY [COMMAND [ARGUMENT...]]
# Installs a minimal Debian into DIRECTORY (unless one is there), clones the last commit into it, and runs there, by
# chroot, tools/setup.sh, `make run` and .ci/run; or else the command given, in the clone. Needs debootstrap and git.
# The host lends what a person would bring along: the Rust toolchain (read-only) and its way to the package sources
# (apt's sources, proxies, certificates, pip's and cargo's configuration). Mounts vanish with the script.
set -eu

usage="usage: tools/bare_machine.sh DIRECTORY [COMMAND [ARGUMENT...]]"
fail() { echo "bare_machine: error: $*" >&2; exit 1; }
say() { echo "bare_machine: $*"; }

[ $# -ge 1 ] || fail "$usage"
[ "$(id -u)" -eq 0 ] || fail "debootstrap, mount and chroot need root"
for tool in debootstrap unshare chroot git; do
    command -v "$tool" >/dev/null || fail "$tool is not installed"
done
if [ -z "${BARE_MACHINE_PRIVATE_MOUNTS:-}" ]; then
    BARE_MACHINE_PRIVATE_MOUNTS=1 exec unshare --mount -- "$0" "$@"
fi

project=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
machine=$(cd "$1" && pwd)
shift
[ "$machine" != / ] || fail "DIRECTORY must not be the root of this machine"
cargo_home=${CARGO_HOME:-$HOME/.cargo}
rustup_home=${RUSTUP_HOME:-$HOME/.rustup}
[ -x "$cargo_home/bin/rustup" ] || fail "no rustup in $cargo_home/bin"

# Copies a configuration file of the host to the same place, or to the second argument, when the host has it.
lend() {
    [ -f "$1" ] || return 0
    install -D --mode=644 "$1" "$machine${2:-$1}"
}

install_debian() {
    if [ -f "$machine/etc/debian_version" ]; then
        say "using the Debian $(cat "$machine/etc/debian_version") in $machine"
        return
    fi
    say "installing a minimal Debian 12 into $machine"
    debootstrap --variant=minbase bookworm "$machine"
}

lend_configuration() {
    lend /etc/resolv.conf
    lend /etc/hosts
    # debootstrap leaves the main suite alone; a real machine has the security suite too.
    if [ -f /etc/apt/sources.list.d/debian.sources ]; then
        rm -f "$machine/etc/apt/sources.list"
        lend /etc/apt/sources.list.d/debian.sources
    fi
    lend /etc/apt/sources.list
    apt-config dump Acquire --format '%f "%v";%n' | grep -v -e '^Acquire::IndexTargets' -e ' "";$' \
        >"$machine/etc/apt/apt.conf.d/99host" || true
    for certificate in /usr/local/share/ca-certificates/*.crt; do
        lend "$certificate"
    done
    lend /etc/pip.conf
    lend "$HOME/.config/pip/pip.conf" /root/.config/pip/pip.conf
    lend "$cargo_home/config.toml" /root/.cargo/config.toml
}

clone_project() {
    rm -rf "$machine/root/project"
    git -c safe.directory='*' clone --quiet --no-hardlinks "$project" "$machine/root/project"
    say "cloned $(git -C "$machine/root/project" log -1 --format='%h %s')"
}

mount_all() {
    mkdir -p "$machine/root/.rustup" "$machine/root/.cargo/bin"
    mount -t proc proc "$machine/proc"
    mount --rbind /dev "$machine/dev"
    for pair in "$rustup_home:/root/.rustup" "$cargo_home/bin:/root/.cargo/bin"; do
        mount --bind "${pair%%:*}" "$machine${pair##*:}"
        mount -o remount,bind,ro "$machine${pair##*:}"
    done
}

# Runs a command in the clone with the environment of a fresh login; only proxy settings are kept.
inside() {
    local kept=() name
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        if [ -n "${!name:-}" ]; then kept+=("$name=${!name}"); fi
    done
    say "== $*"
    chroot "$machine" /usr/bin/env -i "${kept[@]}" HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
        PATH=/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        /bin/sh -c 'cd /root/project && exec "$@"' sh "$@" </dev/null
}

install_debian
lend_configuration
clone_project
mount_all
if [ $# -gt 0 ]; then
    inside "$@"
else
    inside tools/setup.sh
    inside make run
    inside env CI=true bash .ci/run
fi

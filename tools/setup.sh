#!/bin/sh
# Makes a Debian machine ready to build: checks the Rust toolchain, then installs the system packages that are missing.
# Safe to run any number of times; with nothing to do it only looks, and takes a fraction of a second.
set -eu

# llvm-22-tools brings lit and FileCheck, mlir-22-tools mlir-opt and mlir-tblgen. bindgen loads libclang; the one C++
# file is compiled by clang++-22; Rust links with gcc. pip fetches the example model over HTTPS.
packages="llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools clang-22 libclang-22-dev
          gcc libc6-dev make python3 python3-pip ca-certificates"
rust_major=1 rust_minor=95

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: error: %s\n' "$1" >&2
    shift
    for line in "$@"; do printf 'setup:        %s\n' "$line" >&2; done
    exit 1
}

check_rust() {
    PATH="$PATH:${CARGO_HOME:-${HOME:-/root}/.cargo}/bin"
    { command -v cargo && command -v rustc; } >/dev/null || fail "cargo is not installed" \
        "install Rust $rust_major.$rust_minor or later with rustup: https://rustup.rs (it needs curl and ca-certificates)"

    version=$(rustc --version) || fail "rustc is there but does not run; see its message above" \
        "with rustup: rustup default stable"
    number=${version#rustc }
    major=${number%%.*} rest=${number#*.}
    minor=${rest%%.*}
    case $major$minor in
        '' | *[!0-9]*) fail "cannot read the version in '$version'" ;;
    esac
    if [ "$major" -lt $rust_major ] || { [ "$major" -eq $rust_major ] && [ "$minor" -lt $rust_minor ]; }; then
        fail "Rust $rust_major.$rust_minor or later is needed, found '$version'" "with rustup: rustup update stable"
    fi
    # `make test` calls both; rustup's minimal profile has neither.
    for component in rustfmt clippy-driver; do
        "$component" --version >/dev/null || fail "$component does not run; see its message above" \
            "with rustup: rustup component add rustfmt clippy"
    done
}

# Prints the packages of the list that are not installed. dpkg-query's status says only that some name is unknown to it.
missing_packages() {
    # shellcheck disable=SC2086 # the list is split into words
    installed=" $(dpkg-query --show --showformat='${db:Status-Status}:${Package} ' $packages 2>/dev/null || true)"
    for package in $packages; do
        case $installed in
            *" installed:$package "*) ;;
            *) printf '%s ' "$package" ;;
        esac
    done
}

# Prints the packages among the arguments that apt knows no version of.
unavailable_packages() {
    for package in "$@"; do
        candidate=$(LC_ALL=C apt-cache policy "$package" | sed -n 's/^  Candidate: //p')
        case $candidate in
            '' | '(none)') printf '%s ' "$package" ;;
        esac
    done
}

install_packages() {
    if [ "$(id -u)" -eq 0 ]; then
        as_root="env"
    elif command -v sudo >/dev/null; then
        as_root="sudo env"
        say "apt-get needs root: using sudo"
    else
        fail "not root, and sudo is not installed" "as root, run: apt-get install $*"
    fi

    say "updating the package lists"
    $as_root apt-get update || fail "apt-get update failed; see its message above"

    unavailable=$(unavailable_packages "$@")
    [ -z "$unavailable" ] || fail "apt knows no package: $unavailable" \
        "Debian 12 carries LLVM 22 in the suite bookworm-security: is it among apt's sources?"

    say "installing: $*"
    $as_root DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@" ||
        fail "apt-get install failed; see its message above"
}

{ command -v dpkg-query && command -v apt-get; } >/dev/null ||
    fail "this is not a Debian system (no apt-get): install by hand what these packages hold:" "$packages"

check_rust
missing=$(missing_packages)
if [ -n "$missing" ]; then
    say "missing packages: $missing"
    # shellcheck disable=SC2086 # the list is split into words
    install_packages $missing
    missing=$(missing_packages)
    [ -z "$missing" ] || fail "still not installed: $missing"
fi
say "ready"

#!/usr/bin/env bash
# Times the resolution of a circuit of 1,000 operations against 10,000 contracts and 50,000 kernel maps.
# Fails when preparing the resolver and resolving together take a second or more. Building the registry is printed only.
#   tools/bench/resolve_speed.sh
set -eu
cd "$(dirname "$0")/../.."

times=$(CKE_SWEEP=1 cargo test --release --locked -p cke-contracts --test scale -- --nocapture | grep ' s$')
echo "$times"
awk '$1 == "both:" { found = 1; slow = $2 >= 1 } END { exit !found || slow }' <<<"$times" ||
    { echo "resolve_speed: error: resolving takes a second or more" >&2; exit 1; }

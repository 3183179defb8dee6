#!/usr/bin/env bash
# Compares the speed of cke-opt with mlir-opt's on the same work: parse, verify and print 100,000 generic operations.
# The runs alternate, so that a disturbance of the machine meets both. Fails when cke-opt needs over 1.1 times as long.
#   tools/bench/opt_speed.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/../.."

rounds=${1:-9}
limit=1.1
mlir_opt=${MLIR_SYS_220_PREFIX:-/usr/lib/llvm-22}/bin/mlir-opt
cke_opt=${CKE_BIN_DIR:-${CARGO_TARGET_DIR:-target}/release}/cke-opt
scratch=build/bench
input=$scratch/generic_100k.mlir

for tool in "$mlir_opt" "$cke_opt"; do
    [ -x "$tool" ] || { echo "opt_speed: error: no $tool" >&2; exit 1; }
done

# 100 functions of 1000 operations of a dialect that nobody has registered.
mkdir -p "$scratch"
awk 'BEGIN {
    for (f = 0; f < 100; f++) {
        printf "func.func @f%d(%%0: f32, %%1: f32) -> f32 {\n", f
        for (i = 2; i < 1002; i++)
            printf "  %%%d = \"bench.add\"(%%%d, %%%d) {index = %d : i64} : (f32, f32) -> f32\n", i, i - 1, i - 2, i
        printf "  return %%1001 : f32\n}\n"
    }
}' >"$input"

# Microseconds that one run of a tool takes.
measure() {
    local start=${EPOCHREALTIME/./}
    "$1" --allow-unregistered-dialect "$input" -o "$scratch/$2.out"
    echo $((${EPOCHREALTIME/./} - start)) >>"$scratch/$2.times"
}

rm -f "$scratch"/*.times
for ((round = 0; round < rounds; round++)); do
    measure "$mlir_opt" mlir-opt
    measure "$cke_opt" cke-opt
done
cmp "$scratch/mlir-opt.out" "$scratch/cke-opt.out"

statistics() { sort -n "$scratch/$1.times" | awk '{t[NR] = $1} END {print t[1], t[int((NR + 1) / 2)]}'; }
read -r mlir_min mlir_median <<<"$(statistics mlir-opt)"
read -r cke_min cke_median <<<"$(statistics cke-opt)"
awk -v mm="$mlir_min" -v md="$mlir_median" -v cm="$cke_min" -v cd="$cke_median" -v n="$rounds" -v limit=$limit 'BEGIN {
    printf "%-10s %12s %12s   (%d rounds)\n", "", "min", "median", n
    printf "%-10s %9.1f ms %9.1f ms\n", "mlir-opt", mm / 1000, md / 1000
    printf "%-10s %9.1f ms %9.1f ms\n", "cke-opt", cm / 1000, cd / 1000
    printf "%-10s %12.3f %12.3f\n", "ratio", cm / mm, cd / md
    # The minimum is what the machine disturbed least.
    if (cm / mm > limit) { printf "opt_speed: error: cke-opt is slower than %s times mlir-opt\n", limit; exit 1 }
}'

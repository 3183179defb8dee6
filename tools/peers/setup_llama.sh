#!/bin/sh
# Builds llama.cpp from the source that llama-cpp-python carries, into a virtual environment of its own. Takes minutes.
#   tools/peers/setup_llama.sh [DIRECTORY]     (default build/venv-llama)
set -eu
cd "$(dirname "$0")/../.."
venv=${1:-build/venv-llama}
[ -x "$venv/bin/python" ] && "$venv/bin/python" -c 'import llama_cpp, gguf' 2>/dev/null && exit 0

for tool in g++ python3; do
    command -v "$tool" >/dev/null || { echo "setup_llama: error: no $tool (apt-get install g++ python3-venv)" >&2; exit 1; }
done
python3 -m venv "$venv" || { echo "setup_llama: error: no venv (apt-get install python3-venv)" >&2; exit 1; }

# Only the libraries: no tests, tools or server. For this machine's instruction set.
export CMAKE_ARGS="-DGGML_NATIVE=ON -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
    -DLLAMA_BUILD_SERVER=OFF -DLLAMA_OPENSSL=OFF"
"$venv/bin/python" -m pip install --no-binary llama-cpp-python llama-cpp-python==0.3.36 gguf==0.19.0

"""lit's configuration. `make test` runs the suite; so does plain `lit lit-tests`, once the tools are built.

The tools are taken from $CKE_BIN_DIR or else from target/: of release and debug, the one built last.
"""

import os
import pathlib

import lit.formats

root = pathlib.Path(__file__).resolve().parent.parent
llvm = pathlib.Path(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"))


def find_tools():
    """The directory that holds the cke-opt to be tested."""
    if "CKE_BIN_DIR" in os.environ:
        candidates = [pathlib.Path(os.environ["CKE_BIN_DIR"]).absolute()]
    else:
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target")).absolute()
        candidates = [target / "release", target / "debug"]
    found = [directory for directory in candidates if (directory / "cke-opt").exists()]
    if not found:
        places = ", ".join(map(str, candidates))
        lit_config.fatal(f"no cke-opt in {places}: run `cargo build`, or set CKE_BIN_DIR")
    return max(found, key=lambda directory: (directory / "cke-opt").stat().st_mtime)


config.name = "cke"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".td", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = str(root / "lit-tests")
config.test_exec_root = str(root / "build/lit")

config.environment["PATH"] = os.pathsep.join([str(find_tools()), str(llvm / "bin"), os.environ["PATH"]])
config.substitutions.append(("%mlir_include", str(llvm / "include")))
config.substitutions.append(("%root", str(root)))

# A small circuit at each level, made on the fly so that no level can go stale. The instruction set is fixed: what a test
# sees does not depend on the machine.
inputs = root / "lit-tests/Inputs"
graph = f"cat {inputs}/registry.mlir {inputs}/tiny.mlir"
for name, passes in {
    "resolved": "--resolve-contracts",
    "lowered": "--resolve-contracts --lower-graph --plan-memory",
    "call": "--resolve-contracts --lower-graph --plan-memory --lower-to-call",
    "llvm": "--cke-cpu=isa=x86-64-v3",
}.items():
    config.substitutions.append((f"%make_{name}", f"{graph} | cke-opt {passes}"))
config.substitutions.append(("%make_graph", graph))
config.substitutions.append(("%inputs", str(inputs)))
# A test's file with the registry at the start of each of its parts.
config.substitutions.append(("%with_registry", f"sed '/^.. -----$/r {inputs}/registry.mlir'"))

# Real inputs that not every checkout has. A test that needs one says `// REQUIRES: corpus` or `// REQUIRES: model`.
corpus = pathlib.Path(os.environ.get("CKE_CORPUS", root.parent / "shared/corpus")).absolute()
if corpus.is_dir():
    config.available_features.add("corpus")
    config.substitutions.append(("%corpus", str(corpus)))

model = root / "build/models/SmolLM2-135M-Instruct.Q4_1.gguf"
if model.is_file():
    config.available_features.add("model")
    config.substitutions.append(("%model", str(model)))

#!/usr/bin/env python3
"""Runs every check of the project and closes with one line: `N passed, N failed, N skipped`.

The counts are those of `cargo test` and of lit. A step that fails without naming a failed test (a lint, a stale page, a
build error, a crash) counts as one failure, so the closing line never says `0 failed` on a red run.
The exit status is 0 only when every step passed.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LLVM = pathlib.Path(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"))
LIT_RESULTS = ROOT / "build/lit/results.json"

CARGO_RESULT = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;")
LIT_PASSED = {"PASS", "FLAKYPASS", "XFAIL"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


@dataclass
class Counts:
    """What the test runners have said so far."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, passed: int, failed: int, skipped: int) -> None:
        self.passed += passed
        self.failed += failed
        self.skipped += skipped


@dataclass
class Run:
    """The counts and the names of the steps that failed."""

    counts: Counts = field(default_factory=Counts)
    failed_steps: list[str] = field(default_factory=list)

    def step(self, name: str, command: list, count=None, **environment: str) -> bool:
        """Runs one command, showing its output as it comes. `count` is called with each line and at the end with None."""
        print(f"== {name}: {shlex.join(map(str, command))}", flush=True)
        failed_before = self.counts.failed
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=ROOT,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if count else None,
            text=True,
            errors="replace",
        )
        if count:
            for line in process.stdout:
                print(line, end="", flush=True)
                count(self.counts, line)
        passed = process.wait() == 0
        if count:
            count(self.counts, None)
        if not passed:
            self.failed_steps.append(name)
            if self.counts.failed == failed_before:
                self.counts.failed += 1
        return passed


def count_cargo(counts: Counts, line: str | None) -> None:
    """Adds up the result line of each test binary."""
    if line and (match := CARGO_RESULT.search(line)):
        counts.add(*map(int, match.groups()))


def count_lit(counts: Counts, line: str | None) -> None:
    """Reads lit's own record of the run, once it has ended."""
    if line is None and LIT_RESULTS.exists():
        codes = [test["code"] for test in json.loads(LIT_RESULTS.read_text())["tests"]]
        passed = sum(code in LIT_PASSED for code in codes)
        skipped = sum(code in LIT_SKIPPED for code in codes)
        counts.add(passed, len(codes) - passed - skipped, skipped)


def run_all() -> Run:
    """All steps, cheap ones first. One profile (dev, with its overflow checks) serves lints, tests and tools."""
    run = Run()
    fresh = ROOT / "build/reference"
    LIT_RESULTS.parent.mkdir(parents=True, exist_ok=True)
    LIT_RESULTS.unlink(missing_ok=True)

    run.step("format", ["cargo", "fmt", "--all", "--check"])
    if run.step("reference pages", ["tools/reference_docs.sh", fresh]):
        for page in sorted(fresh.glob("*.md")):
            if not run.step("fresh page", ["diff", "-u", f"docs/reference/{page.name}", page]):
                print("   the page is stale: run `make docs` and commit the result")
    run.step("lint", ["cargo", "clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
    run.step("rustdoc", ["cargo", "doc", "--workspace", "--no-deps", "--locked"], RUSTDOCFLAGS="-D warnings")
    if run.step("build", ["cargo", "build", "--workspace", "--all-targets", "--locked"]):
        run.step("test", ["cargo", "test", "--workspace", "--no-fail-fast", "--locked"], count_cargo, INSTA_UPDATE="no")
        run.step(
            "lit",
            [LLVM / "bin/lit", "-v", "-o", LIT_RESULTS, "lit-tests"],
            count_lit,
            CKE_BIN_DIR=str(TARGET / "debug"),
        )
    return run


def main() -> int:
    if os.environ.get("CI"):
        # Nothing is rebuilt there, so nothing is gained from what incremental builds write.
        os.environ.setdefault("CARGO_INCREMENTAL", "0")
    run = run_all()
    if run.failed_steps:
        print(f"failed: {', '.join(run.failed_steps)}")
    print(f"{run.counts.passed} passed, {run.counts.failed} failed, {run.counts.skipped} skipped", flush=True)
    return 1 if run.failed_steps else 0


if __name__ == "__main__":
    sys.exit(main())

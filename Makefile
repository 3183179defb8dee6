# The commands of the project. `make` alone lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# A shell that rustup's installer has not touched yet does not know where cargo is.
export PATH := $(PATH):$(HOME)/.cargo/bin

EXAMPLE_MODEL := build/models/SmolLM2-135M-Instruct.Q4_1.gguf
MODEL ?= $(EXAMPLE_MODEL)
PROMPT ?= The capital of France is
N ?= 48
# The prompt reaches the shell through the environment, so that it may hold any character.
export PROMPT

.PHONY: help run test bench sweep docs fmt clean setup model

help: ## list the commands
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16
	@echo 'Variables of run: MODEL=$(MODEL) N=$(N) PROMPT="..."'

setup:
	@tools/setup.sh

model: setup
	@tools/fetch_model.sh

run: $(if $(filter $(EXAMPLE_MODEL),$(MODEL)),model,setup) ## compile the model and continue PROMPT by N tokens
	cargo build --release --locked
	@$${CARGO_TARGET_DIR:-target}/release/cke run '$(MODEL)' -p "$$PROMPT" -n $(N) --greedy

test: model ## every check: format, lints, documentation, tests
	@python3 tools/run_tests.py

bench: setup ## speed of cke-opt beside mlir-opt
	cargo build --release --locked -p cke-opt
	@tools/bench/opt_speed.sh

sweep: model ## the long tests
	CKE_SWEEP=1 cargo test --workspace --release --locked

docs: setup ## write the reference pages of the dialects anew
	@tools/reference_docs.sh docs/reference

fmt: ## format the Rust code
	cargo fmt --all

clean: ## remove all that was built or fetched
	rm -rf target build

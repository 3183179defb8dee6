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

.PHONY: help run test bench sweep peers docs fmt clean setup model

help: ## list the commands
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16
	@echo 'Variables of run: MODEL=$(MODEL) N=$(N) PROMPT="..."'

setup:
	@tools/setup.sh

model: setup
	@tools/fetch_model.sh

run: $(if $(filter $(EXAMPLE_MODEL),$(MODEL)),model,setup) ## compile the model and continue PROMPT by N tokens
	cargo build --release --locked -p cke
	@$${CARGO_TARGET_DIR:-target}/release/cke run '$(MODEL)' -p "$$PROMPT" -n $(N) --greedy

test: model ## every check: format, lints, documentation, tests
	@python3 tools/run_tests.py

bench: setup ## speed of cke-opt beside mlir-opt, and of resolving against a large registry
	cargo build --release --locked -p cke-opt
	@tools/bench/opt_speed.sh
	@tools/bench/resolve_speed.sh

sweep: model ## the long tests
	CKE_SWEEP=1 cargo test --workspace --release --locked

# llama.cpp on the same weights, expanded to F32 so that it computes in F32.
EXPANDED_MODEL := build/models/SmolLM2-135M-Instruct.F32.gguf
LLAMA_PYTHON := build/venv-llama/bin/python

peers: model ## greedy tokens of llama.cpp, to compare with
	@tools/peers/setup_llama.sh
	@[ -f $(EXPANDED_MODEL) ] || $(LLAMA_PYTHON) tools/peers/expand_gguf.py $(EXAMPLE_MODEL) $(EXPANDED_MODEL)
	@mkdir -p build/peers
	$(LLAMA_PYTHON) tools/peers/llama_greedy.py $(EXPANDED_MODEL) tools/peers/prompts.txt > build/peers/llama_f32.jsonl
	@$(LLAMA_PYTHON) tools/peers/f64_check.py $(EXPANDED_MODEL) build/peers/llama_f32.jsonl

docs: setup ## write the reference pages of the dialects and the schemas of the file formats anew
	@tools/reference_docs.sh docs/reference
	cargo run --locked -q -p cke-contracts --example schemas -- contracts/schemas

fmt: ## format the Rust code
	cargo fmt --all

clean: ## remove all that was built or fetched
	rm -rf target build

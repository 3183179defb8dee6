#!/usr/bin/env python3
"""Greedy token streams of llama.cpp in plain F32, one JSON line a prompt.

    llama_greedy.py MODEL.F32.gguf PROMPTS.txt [-n TOKENS] > STREAMS.jsonl

A line holds the prompt, `prompt_ids`, the generated `ids` and, for each of them, `gaps`: by how much its logit exceeds the
second best. Where two programs differ at a gap below the rounding noise of both, neither is wrong. `first_logits` are the
five best (id, logit) pairs after the prompt. `settings` is what decides the arithmetic.

Needs llama-cpp-python: in this interpreter, or in the one that CKE_LLAMA_PYTHON names.
"""

import argparse
import json
import os
import pathlib
import sys

try:
    import llama_cpp
    import numpy
except ImportError as error:
    python = os.environ.pop("CKE_LLAMA_PYTHON", None)
    if python is None:
        sys.exit(f"llama_greedy: error: {error}; set CKE_LLAMA_PYTHON to a Python that has llama-cpp-python")
    os.execvp(python, [python, *sys.argv])

# Keys, values, scores and sums stay in F32: no flash attention, whose kernel has an order of its own, and no F16 cache.
SETTINGS = {
    "n_threads": 1,
    "n_threads_batch": 1,
    "type_k": llama_cpp.GGML_TYPE_F32,
    "type_v": llama_cpp.GGML_TYPE_F32,
    "flash_attn": False,
    "n_ctx": 512,
    "n_gpu_layers": 0,
}


def logits_of(model: llama_cpp.Llama) -> numpy.ndarray:
    """A copy of the logits of the last evaluated token."""
    pointer = llama_cpp.llama_get_logits_ith(model.ctx, -1)
    return numpy.ctypeslib.as_array(pointer, shape=(model.n_vocab(),)).copy()


def best(logits: numpy.ndarray, count: int) -> list:
    """The `count` best (id, logit) pairs; of equal logits the lower id first."""
    order = numpy.argsort(-logits, kind="stable")[:count]
    return [(int(token), float(logits[token])) for token in order]


def continue_prompt(model: llama_cpp.Llama, prompt: str, tokens: int) -> dict:
    """Evaluates the prompt, then one token at a time. An end-of-text token is a token like any other."""
    model.reset()
    prompt_ids = model.tokenize(prompt.encode(), add_bos=True, special=False)
    model.eval(prompt_ids)
    ids, gaps, first = [], [], []
    for step in range(tokens):
        logits = logits_of(model)
        first = first or best(logits, 5)
        (token, top), (_, second) = best(logits, 2)
        ids.append(token)
        gaps.append(top - second)
        if step + 1 < tokens:
            model.eval([token])
    return {"prompt": prompt, "prompt_ids": prompt_ids, "ids": ids, "gaps": gaps, "first_logits": first}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a GGUF file with F32 weights (see expand_gguf.py)")
    parser.add_argument("prompts", type=pathlib.Path, help="a text file, one prompt a line")
    parser.add_argument("-n", type=int, default=24, help="tokens to generate (24)")
    arguments = parser.parse_args()

    model = llama_cpp.Llama(arguments.model, verbose=False, **SETTINGS)
    settings = SETTINGS | {"llama_cpp_python": llama_cpp.__version__, "weights": "f32"}
    for prompt in arguments.prompts.read_text().splitlines():
        print(json.dumps(continue_prompt(model, prompt, arguments.n) | {"settings": settings}), flush=True)


if __name__ == "__main__":
    main()

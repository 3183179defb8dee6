#!/usr/bin/env python3
"""Judges streams of greedy tokens by a plain evaluation of the model in F64.

    f64_check.py MODEL.F32.gguf STREAMS.jsonl

For each stream of llama_greedy.py: do the tokens agree, and how far are its gaps and first logits from the F64 values?
Written straight from the definition of the architecture (numpy, no cache), to be read rather than to be fast.
"""

import json
import pathlib
import sys

import gguf
import numpy as np


class Llama:
    """A model of the llama family: weights in F64, rotary pairs interleaved, grouped key and value heads."""

    def __init__(self, path: str) -> None:
        reader = gguf.GGUFReader(path)
        self.weights = {
            tensor.name: np.array(tensor.data, dtype=np.float64).reshape([int(n) for n in reversed(tensor.shape)])
            for tensor in reader.tensors
        }
        get = lambda key: reader.fields["llama." + key].contents()
        self.heads, self.kv_heads = get("attention.head_count"), get("attention.head_count_kv")
        self.layers, self.base = get("block_count"), get("rope.freq_base")
        self.epsilon = get("attention.layer_norm_rms_epsilon")
        self.embedding = self.weights["token_embd.weight"]
        self.head_dim = self.embedding.shape[1] // self.heads

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self.epsilon) * self.weights[name]

    def rotate(self, x: np.ndarray) -> np.ndarray:
        """Turns the pair (2i, 2i+1) of each head at position p by the angle p * base^(-2i / head_dim)."""
        pair = np.arange(self.head_dim // 2)
        angle = np.arange(len(x))[:, None, None] * self.base ** (-2.0 * pair / self.head_dim)
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = np.empty_like(x)
        turned[..., 0::2] = even * np.cos(angle) - odd * np.sin(angle)
        turned[..., 1::2] = even * np.sin(angle) + odd * np.cos(angle)
        return turned

    def attention(self, x: np.ndarray, block: str) -> np.ndarray:
        rows = len(x)
        project = lambda name, heads: (x @ self.weights[f"{block}.attn_{name}.weight"].T).reshape(rows, heads, -1)
        shared = self.heads // self.kv_heads
        q = self.rotate(project("q", self.heads))
        k = self.rotate(project("k", self.kv_heads)).repeat(shared, axis=1)
        v = project("v", self.kv_heads).repeat(shared, axis=1)
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(self.head_dim)
        scores += np.triu(np.full((rows, rows), -np.inf), 1)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = np.einsum("hqk,khd->qhd", weights, v).reshape(rows, -1)
        return mixed @ self.weights[f"{block}.attn_output.weight"].T

    def feed_forward(self, x: np.ndarray, block: str) -> np.ndarray:
        gate = x @ self.weights[f"{block}.ffn_gate.weight"].T
        up = x @ self.weights[f"{block}.ffn_up.weight"].T
        return (gate / (1 + np.exp(-gate)) * up) @ self.weights[f"{block}.ffn_down.weight"].T

    def logits(self, ids: list) -> np.ndarray:
        """The logits after each of the tokens."""
        x = self.embedding[ids]
        for layer in range(self.layers):
            block = f"blk.{layer}"
            x = x + self.attention(self.norm(x, f"{block}.attn_norm.weight"), block)
            x = x + self.feed_forward(self.norm(x, f"{block}.ffn_norm.weight"), block)
        return self.norm(x, "output_norm.weight") @ self.weights.get("output.weight", self.embedding).T


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit("usage: f64_check.py MODEL.F32.gguf STREAMS.jsonl")
    model, agree = Llama(sys.argv[1]), True
    for line in pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines():
        stream = json.loads(line)
        logits = model.logits(stream["prompt_ids"] + stream["ids"])[len(stream["prompt_ids"]) - 1 : -1]
        same = np.array_equal(logits.argmax(axis=-1), stream["ids"])
        second, best = np.sort(logits, axis=-1)[:, -2:].T
        gap_error = np.max(np.abs(best - second - stream["gaps"]))
        logit_error = max(abs(logits[0, token] - value) for token, value in stream["first_logits"])
        print(
            f"tokens {'agree' if same else 'DIFFER'}, gaps within {gap_error:.1e}, "
            f"first logits within {logit_error:.1e}: {stream['prompt']!r}"
        )
        agree = agree and same
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())

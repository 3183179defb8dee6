#!/usr/bin/env python3
"""Multiplies by ggml's own kernels: ggml_linear.py LIBGGML_CPU KIND N K ROWS W X Y

KIND is `q4_dot`, `q6_dot` (one output at a time), `q4_gemv` or `q4_gemm` (eight rows of the weight in a block). W holds
packed weights, X fp32 rows; Y becomes fp32 rows. Only the library is needed, no package.
"""
import ctypes
import pathlib
import sys

BLOCK = 256
QUANTISED, QUANTISED_FOUR = 292, 1168  # bytes of a block of one activation row, and of four side by side


def main():
    library, kind, n, k, rows, w_file, x_file, y_file = sys.argv[1:]
    n, k, rows = int(n), int(k), int(rows)
    base = pathlib.Path(library).with_name("libggml-base.so")
    ctypes.CDLL(str(base), mode=ctypes.RTLD_GLOBAL)
    ggml = ctypes.CDLL(library)
    ggml.ggml_cpu_init()
    w = ctypes.create_string_buffer(pathlib.Path(w_file).read_bytes())
    x = ctypes.create_string_buffer(pathlib.Path(x_file).read_bytes())
    y = (ctypes.c_float * (n * rows))()
    address, size, integer = ctypes.addressof, ctypes.c_size_t, ctypes.c_int

    def at(buffer, offset):
        return ctypes.c_void_p(address(buffer) + offset)

    def quantise(row):
        out = ctypes.create_string_buffer(k // BLOCK * QUANTISED)
        ggml.quantize_row_q8_K(at(x, row * k * 4), out, ctypes.c_int64(k))
        return out

    if kind in ("q4_dot", "q6_dot"):
        dot, width = {"q4_dot": (ggml.ggml_vec_dot_q4_K_q8_K, 144), "q6_dot": (ggml.ggml_vec_dot_q6_K_q8_K, 210)}[kind]
        for row in range(rows):
            codes = quantise(row)
            for column in range(n):
                weights = at(w, column * (k // BLOCK) * width)
                dot(integer(k), at(y, 4 * (row * n + column)), size(0), weights, size(0), codes, size(0), integer(1))
    elif kind == "q4_gemv":
        for row in range(rows):
            ggml.ggml_gemv_q4_K_8x8_q8_K(integer(k), at(y, 4 * row * n), size(n), w, quantise(row), integer(1), integer(n))
    elif kind == "q4_gemm":
        codes = ctypes.create_string_buffer(rows // 4 * (k // BLOCK) * QUANTISED_FOUR)
        for group in range(rows // 4):
            out = at(codes, group * (k // BLOCK) * QUANTISED_FOUR)
            ggml.ggml_quantize_mat_q8_K_4x8(at(x, group * 4 * k * 4), out, ctypes.c_int64(k))
        ggml.ggml_gemm_q4_K_8x8_q8_K(integer(k), y, size(n), w, codes, integer(rows), integer(n))
    else:
        sys.exit(f"ggml_linear: unknown kind '{kind}'")
    pathlib.Path(y_file).write_bytes(bytes(y))


main()

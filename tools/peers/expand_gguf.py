#!/usr/bin/env python3
"""Writes a GGUF file whose tensors are all F32, and whose metadata (the tokenizer too) is that of the source.

    expand_gguf.py SOURCE.gguf TARGET.gguf

ggml rounds activations to 8 bits before it multiplies them by quantised weights. With the weights expanded it computes in
F32, so its tokens can be compared with those of a program that expands the same weights. Needs the PyPI package gguf.
"""

import os
import sys

import gguf
from gguf.quants import dequantize

# Facts about the quantised file that are no longer true.
REPLACED = {"general.file_type", "general.quantization_version"}


def copy_metadata(reader: gguf.GGUFReader, writer: gguf.GGUFWriter) -> None:
    """Copies every key but those that the writer makes itself."""
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture" or field.name in REPLACED:
            continue
        kind = field.types[0]
        element = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), kind, sub_type=element)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def expand(source: str, target: str) -> None:
    """Writes `target` under another name first, so that a file of that name is always whole."""
    reader = gguf.GGUFReader(source)
    partial = target + ".partial"
    writer = gguf.GGUFWriter(partial, reader.fields["general.architecture"].contents())
    copy_metadata(reader, writer)
    for tensor in reader.tensors:
        shape = [int(extent) for extent in reversed(tensor.shape)]
        writer.add_tensor_info(tensor.name, shape, "float32", 4 * int(tensor.n_elements), gguf.GGMLQuantizationType.F32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for tensor in reader.tensors:
        shape = [int(extent) for extent in reversed(tensor.shape)]
        writer.write_tensor_data(
            dequantize(tensor.data, tensor.tensor_type).astype("float32", copy=False).reshape(shape)
        )
    writer.close()
    os.replace(partial, target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: expand_gguf.py SOURCE.gguf TARGET.gguf")
    expand(sys.argv[1], sys.argv[2])

"""Blocks of ggml's quantised types: tensors rounded to them, for make_gguf.py, and blocks.json, what blocks mean.

The Python package `gguf` widens all of them and writes the types with 32 values. The K types are rounded here, plainly:
scales from the extremes, each value to the nearest step. llama.cpp searches for better scales; any that fit in the bits
will do for a test.
"""
import hashlib
import json
import pathlib

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type

HERE = pathlib.Path(__file__).resolve().parent


# --- Rounding to blocks -----------------------------------------------------------------------------------------------

def f16(values):
    return np.asarray(values, dtype=np.float16)


def inverse(values):
    return np.divide(1.0, values, out=np.zeros_like(values), where=values != 0)


def pack_6_bit(scales, minima):
    """[blocks, 8] and [blocks, 8] of 6 bits -> [blocks, 12] bytes."""
    s, m = scales.astype(np.uint8), minima.astype(np.uint8)
    low = [s[:, :4] | (s[:, 4:] >> 4) << 6, m[:, :4] | (m[:, 4:] >> 4) << 6, (s[:, 4:] & 15) | (m[:, 4:] & 15) << 4]
    return np.concatenate(low, 1)


def q4_k_or_q5_k(rows, bits):
    parts = rows.reshape(-1, 8, 32).astype(np.float64)
    most = 2**bits - 1
    minima = np.maximum(-parts.min(2), 0)                     # y = d sc q - dmin mn, so a block's minimum is -dmin mn
    steps = (parts.max(2) + minima) / most
    d, dmin = f16(steps.max(1) / 63), f16(minima.max(1) / 63)
    sc = np.clip(np.rint(steps * inverse(d.astype(np.float64))[:, None]), 0, 63)
    mn = np.clip(np.rint(minima * inverse(dmin.astype(np.float64))[:, None]), 0, 63)
    step, least = (d.astype(np.float64)[:, None] * sc)[..., None], (dmin.astype(np.float64)[:, None] * mn)[..., None]
    q = np.clip(np.rint((parts + least) * inverse(step)), 0, most).astype(np.uint8)
    nibbles = ((q[:, 0::2] & 15) | (q[:, 1::2] & 15) << 4).reshape(-1, 128)
    high = np.bitwise_or.reduce((q >> 4 & 1) << np.arange(8, dtype=np.uint8)[:, None], 1)
    head = [d[:, None].view(np.uint8), dmin[:, None].view(np.uint8), pack_6_bit(sc, mn)]
    return np.concatenate(head + ([high] if bits == 5 else []) + [nibbles], 1)


def q6_k(rows):
    parts = rows.reshape(-1, 16, 16).astype(np.float64)
    steps = np.abs(parts).max(2) / 31
    d = f16(steps.max(1) / 127)
    sc = np.clip(np.rint(steps * inverse(d.astype(np.float64))[:, None]), 0, 127)
    step = (d.astype(np.float64)[:, None] * sc)[..., None]
    q = (np.clip(np.rint(parts * inverse(step)), -32, 31) + 32).astype(np.uint8).reshape(-1, 2, 4, 32)
    low = np.concatenate([(q[:, :, :2] & 15) | (q[:, :, 2:] & 15) << 4], 2).reshape(-1, 128)
    high = np.bitwise_or.reduce((q >> 4) << np.arange(0, 8, 2, dtype=np.uint8)[:, None], 2).reshape(-1, 64)
    return np.concatenate([low, high, sc.astype(np.int8).view(np.uint8), d[:, None].view(np.uint8)], 1)


# A value may move by half a step of its type or a little more, seen from the tensor's largest.
FAR_OFF = {Type.BF16: 0.004, Type.Q8_0: 0.005, Type.Q6_K: 0.04, Type.Q5_0: 0.07, Type.Q5_1: 0.04, Type.Q5_K: 0.06,
           Type.Q4_0: 0.14, Type.Q4_1: 0.07, Type.Q4_K: 0.1}


def stored(rows, kind):
    """Rows as bytes of this type: [..., rows, bytes of a row]."""
    if kind in (Type.Q4_K, Type.Q5_K, Type.Q6_K):
        blocks = q6_k(rows) if kind == Type.Q6_K else q4_k_or_q5_k(rows, 4 if kind == Type.Q4_K else 5)
        data = np.ascontiguousarray(blocks).reshape(*rows.shape[:-1], -1)
    else:
        data = gguf.quantize(rows, kind)
    # A wrong packing is seen as values that are nowhere near.
    far_off = np.abs(gguf.dequantize(data, kind) - rows).max() / np.abs(rows).max()
    assert far_off < FAR_OFF[kind], (kind, far_off)
    return data.view(np.uint8)


# --- blocks.json ------------------------------------------------------------------------------------------------------

# Values that the description of the types gives for the block b[i] = (37 i + 11) mod 256 with d = 0.25 and m = -0.5:
# the sum, and the first 16 digits of the values' sha256.
DESCRIBED = {
    Type.Q4_0: (-5.25, "f99e3784e0737ee0"), Type.Q4_1: (45.25, "0ee2945e56200e2c"),
    Type.Q5_0: (3.75, "6f1f55ba08ac1ae2"), Type.Q5_1: (110.25, "b4177dd99b035425"),
    Type.Q8_0: (-44.0, "80b32ca43926d21e"), Type.Q4_K: (18890, "0f1aae0d11324bbe"),
    Type.Q5_K: (34334, "22c1ae7800786487"), Type.Q6_K: (1153, "8b3c99074bfdb17b"),
}
# (d, m) as f16 bits. Full fractions, so that an order of multiplications that rounds elsewhere shows.
SCALES = {
    "plain": (0x2d55, 0x3aab), "negative": (0xb7ff, 0xbbff), "subnormal": (0x0001, 0x83ff), "largest": (0x7bff, 0xfbff),
    "zero": (0x8000, 0x0000), "infinite": (0x7c00, 0x3c00), "not a number": (0x3c00, 0x7e00),
}


def with_scales(block, kind, d, m):
    block = block.copy()
    if kind == Type.Q6_K:
        block[208:210] = np.array([d], np.uint16).view(np.uint8)
    else:
        block[0:2] = np.array([d], np.uint16).view(np.uint8)
    if kind in (Type.Q4_1, Type.Q5_1, Type.Q4_K, Type.Q5_K):
        block[2:4] = np.array([m], np.uint16).view(np.uint8)
    return block


def make_blocks_json():
    lines = []
    draw = np.random.Generator(np.random.PCG64(29))
    for kind, (total, digest) in DESCRIBED.items():
        size = gguf.GGML_QUANT_SIZES[kind][1]
        counted = ((37 * np.arange(size) + 11) % 256).astype(np.uint8)
        cases = {"described": with_scales(counted, kind, 0x3400, 0xb800)}
        for name, (d, m) in SCALES.items():
            cases[name] = with_scales(draw.integers(0, 256, size, dtype=np.uint8), kind, d, m)
        for name, block in cases.items():
            with np.errstate(all="ignore"):
                values = gguf.dequantize(block, kind).astype("<f4")
            if name == "described":
                assert values.sum() == total and hashlib.sha256(values.tobytes()).hexdigest()[:16] == digest, kind
            lines.append(json.dumps({"type": kind.name.lower(), "scales": name, "block": block.tobytes().hex(),
                                     "values": values.tobytes().hex()}))
    (HERE / "blocks.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"blocks.json: {len(lines)} blocks, {(HERE / 'blocks.json').stat().st_size:,} bytes")

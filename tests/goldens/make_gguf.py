"""Makes the GGUF files of the goldens, and blocks.json. README.md describes them.

    python make_gguf.py [NAME ...]     all files, or those of the named folders (blocks.json is a name too)
    python make_gguf.py --check        reads again with transformers what it can read, and compares the logits

A model.gguf holds the very numbers of the model.safetensors beside it, under the names, in the order and with the keys
that llama.cpp's converter gives them. Where a reader could miss what changes (permuted rows, transposed matrices, a
tensor of divisors), the script first makes the mistake itself and demands that the logits show it.
"""
import json
import math
import os
import sys
from importlib.metadata import version

os.environ.setdefault("TQDM_DISABLE", "1")

import make_goldens as goldens  # sets OMP_NUM_THREADS before torch is imported
import gguf
import numpy as np
import torch
import transformers
from gguf import GGMLQuantizationType as Type
from gguf_blocks import make_blocks_json, stored
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig

HERE = goldens.HERE
SAME = 1e-5  # of the largest logit: two orders of the same sums


# --- Names and rows ---------------------------------------------------------------------------------------------------

NAMES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "self_attn.q_a_proj": "attn_q_a", "self_attn.q_a_layernorm": "attn_q_a_norm", "self_attn.q_b_proj": "attn_q_b",
    "self_attn.kv_a_proj_with_mqa": "attn_kv_a_mqa", "self_attn.kv_a_layernorm": "attn_kv_a_norm",
    "self_attn.kv_b_proj": "attn_kv_b",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}


def gguf_name(name):
    stem, kind = name.rsplit(".", 1)
    if stem.startswith("model.layers."):
        _, _, layer, rest = stem.split(".", 3)
        return f"blk.{layer}.{NAMES[rest]}.{kind}"
    return f"{NAMES[stem]}.{kind}"


def permuted(rows, heads):
    """Row i + s * d/2 of each head of d rows becomes row 2i + s: pairs that were half a head apart lie side by side."""
    return np.ascontiguousarray(rows.reshape(heads, 2, -1, *rows.shape[1:]).swapaxes(1, 2)).reshape(rows.shape)


def restored(rows, heads):
    return np.ascontiguousarray(rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2)).reshape(rows.shape)


def key_and_value_parts(kv_b, config):
    """kv_b [heads * (nope + v), latent] -> attn_k_b [heads, latent, nope], turned over, attn_v_b [heads, v, latent]."""
    nope = config["qk_nope_head_dim"]
    heads = kv_b.reshape(config["num_attention_heads"], nope + config["v_head_dim"], -1)
    return np.ascontiguousarray(heads[:, :nope].swapaxes(1, 2)), np.ascontiguousarray(heads[:, nope:])


# --- Tensors and keys of a checkpoint ---------------------------------------------------------------------------------

ARCHITECTURES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "deepseek_v2": "deepseek2"}


def gguf_tensors(tensors, config, legacy=False):
    """{GGUF name: array} in f32, from the tensors of a checkpoint."""
    found = {}
    for name, tensor in tensors.items():
        rows, at = tensor.float().numpy(), gguf_name(name)
        if config["model_type"] == "llama" and ".attn_q." in at:
            rows = permuted(rows, config["num_attention_heads"])
        if config["model_type"] == "llama" and ".attn_k." in at:
            rows = permuted(rows, config["num_key_value_heads"])
        if ".attn_kv_b." in at and not legacy:
            key, value = key_and_value_parts(rows, config)
            found[at.replace("kv_b", "k_b")], found[at.replace("kv_b", "v_b")] = key, value
        else:
            found[at] = rows
    rope = config["rope_parameters"]
    if rope["rope_type"] == "llama3":
        found["rope_freqs.weight"] = llama3_divisors(rope, config["head_dim"])
    return found


def llama3_divisors(rope, dim):
    """What each pair's frequency is divided by: the only place where a GGUF file keeps llama3 scaling."""
    divisors = []
    for pair in range(dim // 2):
        turns = rope["original_max_position_embeddings"] * rope["rope_theta"] ** (-2 * pair / dim) / (2 * math.pi)
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        kept = min(max((turns - low) / (high - low), 0.0), 1.0)
        divisors.append(1 / ((1 - kept) / rope["factor"] + kept))
    return np.array(divisors, dtype=np.float32)


def put(writer, key, value):
    add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string,
           list: writer.add_array}
    add[type(value)](key, value)


def gguf_keys(config, legacy=False, arrays=False):
    """{key behind the architecture's name: value}. `arrays`: per layer what may be told per layer."""
    layers, heads = config["num_hidden_layers"], config["num_attention_heads"]
    per_layer = (lambda value: [value] * layers) if arrays else (lambda value: value)
    keys = {"vocab_size": config["vocab_size"], "context_length": config["max_position_embeddings"],
            "embedding_length": config["hidden_size"], "block_count": layers,
            "feed_forward_length": per_layer(config["intermediate_size"]), "attention.head_count": per_layer(heads),
            "attention.head_count_kv": per_layer(config["num_key_value_heads"]),
            "attention.layer_norm_rms_epsilon": config["rms_norm_eps"]}
    if config["model_type"] == "deepseek_v2":
        keys |= latent_keys(config, legacy)
    elif "head_dim" in config:
        keys |= {"attention.key_length": config["head_dim"], "attention.value_length": config["head_dim"],
                 "rope.dimension_count": config["head_dim"]}
    rope = config["rope_parameters"]
    keys["rope.freq_base"] = rope["rope_theta"]
    if rope["rope_type"] in ("linear", "yarn"):
        keys |= {"rope.scaling.type": rope["rope_type"], "rope.scaling.factor": rope["factor"]}
    if rope["rope_type"] == "yarn":
        keys["rope.scaling.original_context_length"] = rope["original_max_position_embeddings"]
    if "mscale_all_dim" in rope:
        keys["rope.scaling.yarn_log_multiplier"] = 0.1 * rope["mscale_all_dim"]
    return keys


def latent_keys(config, legacy):
    latent, rope, v = config["kv_lora_rank"], config["qk_rope_head_dim"], config["v_head_dim"]
    keys = {"attention.kv_lora_rank": latent, "rope.dimension_count": rope,
            "leading_dense_block_count": config["first_k_dense_replace"], "expert_count": config["n_routed_experts"],
            "expert_shared_count": config["n_shared_experts"],
            "expert_feed_forward_length": config["moe_intermediate_size"],
            "expert_weights_scale": config["routed_scaling_factor"], "expert_weights_norm": config["norm_topk_prob"]}
    if config["q_lora_rank"]:
        keys["attention.q_lora_rank"] = config["q_lora_rank"]
    whole = config["qk_nope_head_dim"] + rope
    if legacy:
        return keys | {"attention.key_length": whole, "attention.value_length": v}
    return keys | {"attention.head_count_kv": 1, "attention.key_length": latent + rope,
                   "attention.value_length": latent, "attention.key_length_mla": whole,
                   "attention.value_length_mla": v}


# --- Files ------------------------------------------------------------------------------------------------------------

FILE_TYPES = {"F32": 0, "BF16": 32, "mixed": 15}  # general.file_type: which type most tensors have, for people


def write_gguf(path, architecture, keys, tensors, types=None, file_type="F32"):
    """`types` gives the type of a tensor by name; F32 otherwise. K blocks come as (bytes, type), already made."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type("model")
    writer.add_name(path.parent.name if path.parent.name != HERE.name else path.stem)
    writer.add_file_type(FILE_TYPES[file_type])
    if file_type == "mixed":
        writer.add_quantization_version(2)
    for key, value in keys.items():
        put(writer, f"{architecture}.{key}", value)
    for name, rows in tensors.items():
        kind = (types or {}).get(name, Type.F32)
        if kind in (Type.F32, Type.F16):
            writer.add_tensor(name, rows.astype(np.float32 if kind == Type.F32 else np.float16))
        else:
            writer.add_tensor(name, stored(rows, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    size = path.stat().st_size
    assert size < goldens.BYTES, (path, size)
    print(f"{path.relative_to(HERE)}: {size:,} bytes")


def read_tensors(path):
    """{name: f32 array in the order of a PyTorch shape}, dequantised by the Python package."""
    def rows(tensor):
        return gguf.dequantize(tensor.data, tensor.tensor_type).reshape([int(n) for n in tensor.shape[::-1]])

    return {tensor.name: rows(tensor).copy() for tensor in gguf.GGUFReader(path).tensors}


# transformers reads GGUF files too, and undoes the permutation in its own way. It does not know deepseek2, per-layer
# arrays, rope_freqs, rope.scaling or key_length: the config stands beside most files, and says the rest.
READ_BY_TRANSFORMERS = ("llama-gqa3", "llama-bias", "llama-llama3rope", "llama-yarn", "qwen2", "qwen3", "llama-blocks")


def off_by_transformers(name):
    """How far the logits of transformers' own reading of model.gguf are from the expected ones."""
    folder = HERE / name
    more = dict(config=AutoConfig.from_pretrained(folder)) if (folder / "config.json").exists() else {}
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file="model.gguf", dtype=torch.float32,
                                                 attn_implementation="eager", **more).eval()
    expected = load_file(folder / "expected.safetensors")
    return goldens.far(goldens.logits(model, expected["prompt"].long()), expected["logits"])


# --- Files with the numbers of a checkpoint ---------------------------------------------------------------------------

MIRRORED = {
    "llama-gqa3": {}, "llama-bias": {}, "llama-llama3rope": {}, "llama-linear": dict(arrays=True), "llama-yarn": {},
    "qwen2": {}, "qwen3": {}, "deepseek-v2": {}, "deepseek-v2-qlora": {}, "deepseek-v2-yarn": {},
}
LEGACY = {"deepseek-v2"}  # a second file, legacy.gguf, with attn_kv_b in one piece and without the _mla keys


def make_mirror(name):
    folder = HERE / name
    config = json.loads((folder / "config.json").read_text())
    tensors = load_file(folder / "model.safetensors")
    dtypes = {tensor.dtype for tensor in tensors.values()}
    for legacy in (False, True) if name in LEGACY else (False,):
        found = gguf_tensors(tensors, config, legacy)
        # As converters do, only matrices keep the 16-bit type.
        types = {at: Type.BF16 for at, rows in found.items() if rows.ndim > 1} if torch.bfloat16 in dtypes else {}
        path = folder / ("legacy.gguf" if legacy else "model.gguf")
        write_gguf(path, ARCHITECTURES[config["model_type"]], gguf_keys(config, legacy, **MIRRORED[name]), found, types,
                   "BF16" if types else "F32")
        check_mirror(path, tensors, config, legacy)
    check_visible(folder, config)
    assert name not in READ_BY_TRANSFORMERS or off_by_transformers(name) < SAME, name


def check_mirror(path, tensors, config, legacy):
    """Every number of the checkpoint is in the file, to the bit."""
    written = read_tensors(path)
    for name, rows in gguf_tensors(tensors, config, legacy).items():
        assert written[name].shape == rows.shape and written[name].tobytes() == rows.tobytes(), name


def changed_logits(folder, change, prompt):
    """Logits of the checkpoint after change(name, rows) -> rows of each weight, in the words of Hugging Face."""
    model = goldens.load(folder)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(torch.from_numpy(np.ascontiguousarray(change(name, weight.numpy().copy()))))
    return goldens.logits(model, prompt)


def check_visible(folder, config):
    """A loader that forgets what the file's order means gives other logits."""
    expected = load_file(folder / "expected.safetensors")
    prompt, right = expected["prompt"].long(), expected["logits"]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]

    def wrong(part, work):
        return lambda name, rows: work(rows) if part in name else rows

    mistakes = {}
    if config["model_type"] == "llama":
        mistakes = {"q left permuted": wrong("q_proj.weight", lambda rows: permuted(rows, heads)),
                    "k left permuted": wrong("k_proj.weight", lambda rows: permuted(rows, kv_heads)),
                    "both left permuted": lambda name, rows: permuted(rows, heads) if "q_proj" in name
                    else permuted(rows, kv_heads) if "k_proj" in name else rows}
        if kv_heads > 1:
            mistakes["k restored as if it were one head"] = wrong(
                "k_proj.weight", lambda rows: restored(permuted(rows, kv_heads), 1))
        if config["attention_bias"]:
            mistakes["q bias left permuted"] = wrong("q_proj.bias", lambda rows: permuted(rows, heads))
            mistakes["k bias left permuted"] = wrong("k_proj.bias", lambda rows: permuted(rows, kv_heads))
    elif config["model_type"] in ("qwen2", "qwen3"):
        mistakes = {"q restored though never permuted": wrong("q_proj.weight", lambda rows: restored(rows, heads)),
                    "k restored though never permuted": wrong("k_proj.weight", lambda rows: restored(rows, kv_heads))}
    else:
        nope, v = config["qk_nope_head_dim"], config["v_head_dim"]

        def untransposed(rows):
            # attn_k_b's bytes taken for [nope, latent].
            key, value = key_and_value_parts(rows, config)
            return np.concatenate([key.reshape(heads, nope, -1), value], 1).reshape(rows.shape)

        def values_first(rows):
            parts = rows.reshape(heads, nope + v, -1)
            return np.concatenate([parts[:, nope:], parts[:, :nope]], 1).reshape(rows.shape)

        def heads_last(rows):
            # All heads' key rows, then all heads' value rows.
            parts = rows.reshape(heads, nope + v, -1)
            return np.concatenate([parts[:, :nope].reshape(heads * nope, -1), parts[:, nope:].reshape(heads * v, -1)])

        mistakes = {"attn_k_b not transposed back": wrong("kv_b_proj", untransposed),
                    "values before keys": wrong("kv_b_proj", values_first),
                    "all keys before all values": wrong("kv_b_proj", heads_last)}
    for mistake, change in mistakes.items():
        off = goldens.far(changed_logits(folder, change, prompt), right)
        assert off > goldens.VISIBLE, (folder.name, mistake, off)
    assert goldens.far(changed_logits(folder, lambda name, rows: rows, prompt), right) < SAME


# --- A model of block types -------------------------------------------------------------------------------------------

BLOCKS_CONFIG = goldens.sizes(512, 8, 2, 32, 40, 2, 2000.0, head_dim=8)
BLOCKS_TYPES = {
    "token_embd": Type.Q6_K, "output": Type.Q8_0,
    "blk.0.attn_q": Type.Q4_K, "blk.0.attn_k": Type.Q5_K, "blk.0.attn_v": Type.Q6_K, "blk.0.attn_output": Type.Q4_0,
    "blk.0.ffn_gate": Type.Q4_1, "blk.0.ffn_up": Type.Q5_0, "blk.0.ffn_down": Type.Q5_1,
    "blk.1.attn_q": Type.Q5_K, "blk.1.attn_k": Type.Q4_0, "blk.1.attn_v": Type.F16, "blk.1.attn_output": Type.Q5_1,
    "blk.1.ffn_gate": Type.Q6_K, "blk.1.ffn_up": Type.BF16, "blk.1.ffn_down": Type.Q4_1,
}


def load_blocks(path):
    """A transformers model with the numbers of the file, dequantised and put back in order by this script."""
    model = AutoModelForCausalLM.from_config(LlamaConfig(**BLOCKS_CONFIG), attn_implementation="eager").float().eval()
    written = read_tensors(path)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            rows = written.pop(gguf_name(name))
            if "q_proj" in name or "k_proj" in name:
                heads = "num_attention_heads" if "q_proj" in name else "num_key_value_heads"
                rows = restored(rows, BLOCKS_CONFIG[heads])
            weight.copy_(torch.from_numpy(rows))
    assert not written, written.keys()
    return model


def make_blocks_model():
    name = "llama-blocks"
    (HERE / name).mkdir(exist_ok=True)
    path = HERE / name / "model.gguf"
    for seed in range(1000):
        model = AutoModelForCausalLM.from_config(LlamaConfig(**BLOCKS_CONFIG))
        goldens.redraw(model, seed)
        config = model.config.to_dict() | {"rope_parameters": BLOCKS_CONFIG["rope_parameters"]}
        tensors = gguf_tensors({at: weight.detach() for at, weight in model.named_parameters()}, config)
        types = {f"{at}.weight": kind for at, kind in BLOCKS_TYPES.items()}
        assert all((rows.ndim > 1) == (at in types) for at, rows in tensors.items())
        write_gguf(path, "llama", gguf_keys(config), tensors, types, "mixed")
        stored_model = load_blocks(path)
        prompt = torch.randint(BLOCKS_CONFIG["vocab_size"], (goldens.PROMPT,),
                               generator=torch.Generator().manual_seed(seed))
        found = goldens.expected_values(stored_model, prompt)
        if found is None or len(set(found["greedy"].tolist())) < goldens.GREEDY // 2:
            continue
        for part, heads in (("q_proj", 8), ("k_proj", 2)):  # rows that stay permuted
            with torch.no_grad():
                wrong = load_blocks(path)
                for at, weight in wrong.named_parameters():
                    if part in at:
                        weight.copy_(torch.from_numpy(permuted(weight.numpy().copy(), heads)))
                assert goldens.far(goldens.logits(wrong, prompt), found["logits"]) > goldens.VISIBLE, part
        goldens.save_expected(found, HERE / name, f"gguf {version('gguf')}, seed {seed}")
        assert off_by_transformers(name) < SAME
        return
    sys.exit(f"{name}: no seed will do")


# --- A model whose layers differ --------------------------------------------------------------------------------------

UNEVEN_CONFIG = goldens.sizes(36, 6, 3, 58, 97, 3, 1000.0, head_dim=10)
UNEVEN_LAYERS = [dict(num_attention_heads=4, num_key_value_heads=2, intermediate_size=40),
                 dict(num_attention_heads=6, num_key_value_heads=1, intermediate_size=58),
                 dict(num_attention_heads=6, num_key_value_heads=3, intermediate_size=46)]


def uneven_model():
    """transformers has no such llama; its own layers, each made for the sizes of one layer, are put into one."""
    model = AutoModelForCausalLM.from_config(LlamaConfig(**UNEVEN_CONFIG), attn_implementation="eager").float().eval()
    for index, sizes in enumerate(UNEVEN_LAYERS):
        config = LlamaConfig(**UNEVEN_CONFIG | sizes)
        config._attn_implementation = "eager"
        model.model.layers[index] = type(model.model.layers[index])(config, index)
    return model.float().eval()


def make_uneven_model():
    name = "llama-uneven"
    (HERE / name).mkdir(exist_ok=True)
    keys = gguf_keys(UNEVEN_CONFIG | {"model_type": "llama"})
    keys |= {"feed_forward_length": [sizes["intermediate_size"] for sizes in UNEVEN_LAYERS],
             "attention.head_count": [sizes["num_attention_heads"] for sizes in UNEVEN_LAYERS],
             "attention.head_count_kv": [sizes["num_key_value_heads"] for sizes in UNEVEN_LAYERS]}
    for seed in range(1000):
        model = uneven_model()
        goldens.redraw(model, seed)
        prompt = torch.randint(UNEVEN_CONFIG["vocab_size"], (goldens.PROMPT,),
                               generator=torch.Generator().manual_seed(seed))
        found = goldens.expected_values(model, prompt)
        if found is None or len(set(found["greedy"].tolist())) < goldens.GREEDY // 2:
            continue
        tensors = {}
        for at, weight in model.named_parameters():
            rows = weight.detach().numpy().copy()
            if "q_proj" in at or "k_proj" in at:
                heads = "num_attention_heads" if "q_proj" in at else "num_key_value_heads"
                rows = permuted(rows, UNEVEN_LAYERS[int(at.split(".")[2])][heads])
            tensors[gguf_name(at)] = rows
        write_gguf(HERE / name / "model.gguf", "llama", keys, tensors)
        with torch.no_grad():
            for at, weight in model.named_parameters():
                right = weight.clone()
                weight.copy_(torch.from_numpy(tensors[gguf_name(at)]))  # left permuted
                off = goldens.far(goldens.logits(model, prompt), found["logits"])
                assert off > goldens.VISIBLE if "q_proj" in at or "k_proj" in at else off == 0, (at, off)
                weight.copy_(right)
        return goldens.save_expected(found, HERE / name, f"seed {seed}")
    sys.exit(f"{name}: no seed will do")


# --- A file that kvlab describes but does not run ---------------------------------------------------------------------

def make_experts():
    """One layer with 2 experts, of which 1 is used: Mixtral's form."""
    keys = {"vocab_size": 11, "context_length": 64, "embedding_length": 12, "feed_forward_length": 10, "block_count": 1,
            "attention.head_count": 4, "attention.head_count_kv": 2, "attention.key_length": 6,
            "attention.value_length": 6, "rope.dimension_count": 6, "rope.freq_base": 1000.0,
            "attention.layer_norm_rms_epsilon": 1e-3, "expert_count": 2, "expert_used_count": 1}
    layer = {"attn_norm": (12,), "attn_q": (24, 12), "attn_k": (12, 12), "attn_v": (12, 12), "attn_output": (12, 24),
             "ffn_norm": (12,), "ffn_gate_inp": (2, 12), "ffn_gate_exps": (2, 10, 12), "ffn_up_exps": (2, 10, 12),
             "ffn_down_exps": (2, 12, 10)}
    shapes = {"token_embd": (11, 12)} | {f"blk.0.{at}": shape for at, shape in layer.items()}
    shapes |= {"output_norm": (12,), "output": (11, 12)}
    draw = np.random.Generator(np.random.PCG64(1))
    (HERE / "llama-experts").mkdir(exist_ok=True)
    write_gguf(HERE / "llama-experts" / "model.gguf", "llama", keys,
               {f"{at}.weight": draw.standard_normal(shape, dtype=np.float32) for at, shape in shapes.items()})


# --- All of it --------------------------------------------------------------------------------------------------------

OTHERS = {"llama-blocks": make_blocks_model, "llama-experts": make_experts, "llama-uneven": make_uneven_model,
          "blocks.json": make_blocks_json}


def check():
    for name in READ_BY_TRANSFORMERS:
        print(f"{name}: read by transformers, off by {off_by_transformers(name):.1e}")


def main():
    print(f"gguf {version('gguf')}, transformers {transformers.__version__}, torch {torch.__version__}")
    if sys.argv[1:] == ["--check"]:
        return check()
    for name in sys.argv[1:] or [*MIRRORED, *OTHERS]:
        make_mirror(name) if name in MIRRORED else OTHERS[name]()


if __name__ == "__main__":
    main()

"""Makes the golden checkpoints and what Hugging Face transformers computes from them. README.md describes the files.

    python make_goldens.py [NAME ...]               tiny random checkpoints with expected values, all or the named ones
    python make_goldens.py --check                  loads every golden again and compares its logits
    python make_goldens.py --trained NAME ...       expected values of ../../checkpoints/NAME
    python make_goldens.py --tokenizer FILE.json    tokenizer_cases.json, from a tokenizer of Hugging Face `tokenizers`

Expected values are computed in f32 with eager attention, from the files as written: a bf16 file is widened.
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import zlib

os.environ.setdefault("OMP_NUM_THREADS", "1")

import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import (AutoConfig, AutoModelForCausalLM, DeepseekV2Config, DeepseekV3Config, LlamaConfig,
                          MistralConfig, Qwen2Config, Qwen3Config)

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

HERE = pathlib.Path(__file__).resolve().parent
CHECKPOINTS = HERE.parent.parent / "checkpoints"
PROMPT, SPLIT, GREEDY = 14, 10, 20
BYTES = 300_000     # a folder's limit
VISIBLE = 1e-2      # a mistake moves some logit by at least this much of the largest one
VISIBLE_EPS = 1e-3  # the same for a wrong epsilon, which is a small thing by nature
LEAD = 1e-3         # the best logit leads the second by this much of the largest: no greedy step hangs on rounding


# --- The checkpoints -------------------------------------------------------------------------------------------------
# Sizes are odd on purpose: most are no multiple of 16, those that could be confused differ (model_dim, heads x
# head_dim, hidden_dim, vocab; K and V dims in MLA), and what a reader could guess (theta, eps) is rarely the default.

def sizes(model_dim, heads, kv_heads, hidden_dim, vocab, layers, theta, rope=None, **more):
    # No eos or bos: ids are raw. eps is large, so that using another one shows.
    return dict(hidden_size=model_dim, num_attention_heads=heads, num_key_value_heads=kv_heads,
                intermediate_size=hidden_dim, vocab_size=vocab, num_hidden_layers=layers, rms_norm_eps=1e-3,
                max_position_embeddings=128, bos_token_id=None, eos_token_id=None,
                rope_parameters={"rope_theta": theta, **(rope or {"rope_type": "default"})}, **more)


def latent(model_dim, heads, hidden_dim, vocab, theta, latent_dim, nope, rope_dim, v, q_latent=None, **more):
    # Layers below first_k_dense_replace have a plain feed-forward: no experts anywhere.
    return sizes(model_dim, heads, heads, hidden_dim, vocab, 2, theta, first_k_dense_replace=2, kv_lora_rank=latent_dim,
                 qk_nope_head_dim=nope, qk_rope_head_dim=rope_dim, v_head_dim=v, q_lora_rank=q_latent, **more)


def yarn(**more):
    return dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=32, **more)


LINEAR = dict(rope_type="linear", factor=4.0)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=32)

GOLDENS = {
    "llama-mha": (LlamaConfig, sizes(36, 4, 4, 50, 99, 2, 1000.0, head_dim=10)),
    "llama-gqa3": (LlamaConfig, sizes(42, 6, 2, 58, 101, 3, 10000.0, head_dim=10)),
    "llama-mqa": (LlamaConfig, sizes(42, 7, 1, 60, 103, 2, 500.0, head_dim=8, tie_word_embeddings=True)),
    "llama-llama3rope": (LlamaConfig, sizes(36, 4, 2, 48, 105, 2, 500.0, LLAMA3, head_dim=16)),
    "llama-linear": (LlamaConfig, sizes(27, 3, 1, 40, 107, 2, 1000.0, LINEAR, head_dim=14)),
    "llama-yarn": (LlamaConfig, sizes(36, 4, 2, 56, 109, 2, 100.0, yarn(), head_dim=16)),
    "llama-bias": (LlamaConfig, sizes(30, 6, 3, 46, 111, 2, 1000.0, head_dim=8, attention_bias=True, mlp_bias=True)),
    "mistral-window": (MistralConfig, sizes(36, 4, 2, 54, 113, 3, 1000.0, head_dim=14, sliding_window=5)),
    "qwen2": (Qwen2Config, sizes(54, 9, 3, 62, 115, 2, 2000.0)),
    "qwen2-window-mix": (Qwen2Config, sizes(24, 4, 2, 34, 117, 4, 2000.0, use_sliding_window=True, sliding_window=6,
                                            max_window_layers=2)),
    "qwen3": (Qwen3Config, sizes(30, 6, 2, 42, 119, 2, 2000.0, head_dim=14)),
    "deepseek-v2": (DeepseekV2Config, latent(36, 4, 56, 101, 1000.0, 22, 12, 8, 10)),
    "deepseek-v2-qlora": (DeepseekV2Config, latent(35, 5, 52, 103, 1000.0, 22, 14, 6, 18, q_latent=26)),
    "deepseek-v2-yarn": (DeepseekV2Config, latent(36, 4, 56, 105, 100.0, 22, 10, 16, 14,
                                                  rope=yarn(mscale=0.707, mscale_all_dim=0.707))),
    "deepseek-v3": (DeepseekV3Config, latent(42, 3, 58, 107, 1000.0, 18, 12, 8, 10)),
    "deepseek-v3-qlora": (DeepseekV3Config, latent(35, 5, 52, 109, 1000.0, 22, 14, 6, 10, q_latent=26,
                                                   attention_bias=True)),
    "deepseek-v3-half": (DeepseekV3Config, latent(36, 4, 50, 111, 1000.0, 20, 12, 10, 8, rope_interleave=False)),
    "deepseek-v3-yarn": (DeepseekV3Config, latent(36, 4, 50, 113, 100.0, 18, 12, 16, 10,
                                                  rope=yarn(mscale=1.0, mscale_all_dim=1.0))),
}
BF16 = {"llama-gqa3", "mistral-window", "qwen2", "deepseek-v3"}
SHARDED = {"llama-mqa": "40KB"}
OLD_CONFIG = {"llama-mha"}


def redraw(model, seed):
    """Default initialisation (0.02) makes attention uniform and hides mistakes: these weights make it peaked."""
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=draw)
            # A latent is normed before use. Drawn small, its norm's own epsilon shows.
            if "q_a_proj" in name:
                noise *= 0.1
            if "kv_a_proj" in name:
                noise[:model.config.kv_lora_rank] *= 0.1
            if weight.ndim == 1:
                weight.copy_(1 + 0.3 * noise if "norm" in name else 0.3 * noise)
            elif "embed_tokens" in name:
                weight.copy_(0.5 * noise)
            else:
                peaked = any(part in name for part in ("q_proj", "k_proj", "q_b_proj", "kv_b_proj", "kv_a_proj"))
                weight.copy_((1.6 if peaked else 1.0) / weight.shape[1] ** 0.5 * noise)


def write_checkpoint(name, seed, folder):
    config_class, keys = GOLDENS[name]
    model = AutoModelForCausalLM.from_config(config_class(**keys))
    redraw(model, seed)
    # A square matrix may be transposed unseen. Qwen2 has no head_dim key, so its q and o are square.
    square = [weight for weight in model.parameters() if weight.ndim == 2 and weight.shape[0] == weight.shape[1]]
    assert not square or config_class is Qwen2Config, name
    model.to(torch.bfloat16 if name in BF16 else torch.float32)
    model.save_pretrained(folder, max_shard_size=SHARDED.get(name, "1GB"))
    (folder / "generation_config.json").unlink()
    assert len(list(folder.glob("*.safetensors"))) >= (2 if name in SHARDED else 1)
    if name in OLD_CONFIG:
        new, path = load(folder), folder / "config.json"
        config = json.loads(path.read_text())
        rope = config.pop("rope_parameters")
        config |= {"torch_dtype": config.pop("dtype"), "rope_theta": rope["rope_theta"], "rope_scaling": None}
        del config["transformers_version"]  # that version would not write this
        path.write_text(json.dumps(dict(sorted(config.items())), indent=2) + "\n")
        ids = torch.arange(PROMPT)
        assert torch.equal(logits(load(folder), ids), logits(new, ids))


# --- What transformers computes --------------------------------------------------------------------------------------

def load(folder, **overrides):
    config = AutoConfig.from_pretrained(folder, **overrides)
    return AutoModelForCausalLM.from_pretrained(folder, config=config, dtype=torch.float32,
                                                attn_implementation="eager").eval()


@torch.no_grad()
def logits(model, ids, **more):
    return model(ids[None], **more).logits[0]


def far(a, b):
    return ((a - b).abs().max() / b.abs().max()).item()


@torch.no_grad()
def expected_values(model, prompt):
    """The tensors of expected.safetensors, or None where a greedy step is too close to call."""
    out = model(prompt[None], use_cache=True)
    found = {"prompt": prompt.int(), "logits": out.logits[0]}
    for index, layer in enumerate(out.cache.layers):
        keys, values = layer.keys, layer.values
        if hasattr(model.config, "kv_lora_rank"):
            # This version caches the normed latent as "keys" and the rotated rope key as "values", each one head.
            found[f"latent.{index}"], found[f"rope_key.{index}"] = keys[0, 0], values[0, 0]
            keys, values = model.model.layers[index].self_attn.expand_kv(keys, values)
        found[f"keys.{index}"], found[f"values.{index}"] = keys[0], values[0]
        found[f"first_position.{index}"] = torch.tensor([PROMPT - keys.shape[2]]).int()

    # Greedy by full recomputation: no cache can be wrong here.
    ids, rows = prompt, []
    for _ in range(GREEDY):
        rows.append(logits(model, ids, use_cache=False)[-1])
        best = rows[-1].topk(2).values
        if best[0] - best[1] < LEAD * rows[-1].abs().max():
            return None
        ids = torch.cat([ids, rows[-1].argmax()[None]])
    found["greedy"] = ids[PROMPT:].int()
    if model.config.vocab_size < 200:
        found["greedy_logits"] = torch.stack(rows)

    first = model(prompt[None, :SPLIT], use_cache=True)
    rest = model(prompt[None, SPLIT:], cache=first.cache)
    assert far(torch.cat([first.logits, rest.logits], 1)[0], found["logits"]) < 1e-4, "10 + 4 differs from one pass"
    return {key: value.contiguous() for key, value in sorted(found.items())}


def save_expected(found, folder, about):
    # One key: safetensors writes several in random order, and a remake should be the same file.
    made_by = f"transformers {transformers.__version__}, torch {torch.__version__}, {about}"
    save_file(found, folder / "expected.safetensors", metadata={"made_by": made_by})


# --- A golden is worth keeping if the usual mistakes change its logits ----------------------------------------------

def mistakes(folder, prompt):
    """Yields (mistake, its logits) for what a loader or a kernel could get wrong in this checkpoint."""
    model = load(folder)
    config, attention = model.config, [layer.self_attn for layer in model.model.layers]
    rope, module = config.rope_parameters, sys.modules[type(model).__module__]

    def read_as(**overrides):
        return logits(load(folder, **overrides), prompt)

    # The mask says "one sequence": jumps in position_ids alone would make transformers see several packed ones.
    stretched = dict(position_ids=2 * torch.arange(PROMPT)[None], attention_mask=torch.ones(1, PROMPT).long())
    yield "positions twice as far apart", logits(model, prompt, **stretched)
    yield "theta", read_as(rope_parameters=rope | {"rope_theta": rope["rope_theta"] * 4})
    yield "eps", read_as(rms_norm_eps=1e-6)
    if rope["rope_type"] != "default":
        yield "no rope scaling", read_as(rope_parameters={"rope_type": "default", "rope_theta": rope["rope_theta"]})
    if rope["rope_type"] == "yarn" and "mscale" not in rope:
        yield "no yarn attention factor", read_as(rope_parameters=rope | {"attention_factor": 1.0})
    if "mscale_all_dim" in rope:
        yield "no softmax factor", read_as(rope_parameters=rope | {"mscale": 0.0, "mscale_all_dim": 0.0,
                                                                   "attention_factor": 1.0})
    if 1 < config.num_key_value_heads < config.num_attention_heads:
        right, module.repeat_kv = module.repeat_kv, lambda rows, ratio: rows.repeat(1, ratio, 1, 1)
        yield "query head h on kv head h mod kv_heads", logits(model, prompt)
        module.repeat_kv = right
    if getattr(config, "sliding_window", None):
        window = config.sliding_window
        yield "window one shorter", read_as(sliding_window=window - 1)
        yield "window one longer", read_as(sliding_window=window + 1)
        yield "no window", read_as(sliding_window=1000)
        if "sliding_attention" in getattr(config, "layer_types", []):
            yield "window in all layers", read_as(layer_types=["sliding_attention"] * config.num_hidden_layers)
    if "rope_interleave" in config.to_dict():
        yield "the other rope pairs", read_as(rope_interleave=not config.rope_interleave)

    # From here on the model itself is changed: one change at a time, on a fresh one.
    for kind in ("attn.q_proj.bias", "attn.k_proj.bias", "attn.v_proj.bias", "attn.o_proj.bias", "q_a_proj.bias",
                 "kv_a_proj_with_mqa.bias", "mlp.gate_proj.bias", "mlp.up_proj.bias", "mlp.down_proj.bias",
                 "attn.q_norm.weight", "attn.k_norm.weight"):
        changed = load(folder)
        found = [weight for name, weight in changed.named_parameters() if name.endswith(kind)]
        for weight in found:
            weight.data.fill_(1.0 if "norm" in kind else 0.0)
        if found:
            yield f"without {kind}", logits(changed, prompt)
    for norm in ("q_a_layernorm", "kv_a_layernorm"):
        if getattr(attention[0], norm, None) is not None:
            changed = load(folder)
            for layer in changed.model.layers:
                getattr(layer.self_attn, norm).variance_epsilon = config.rms_norm_eps
            yield f"eps of {norm}", logits(changed, prompt)


def blind_spot(folder, prompt, right):
    """The first mistake that this golden would not show, or None."""
    for mistake, wrong in mistakes(folder, prompt):
        if far(wrong, right) < (VISIBLE_EPS if "eps" in mistake else VISIBLE):
            return f"{mistake}: {far(wrong, right):.1e}"
    # Every token is seen by the last one, as far back as windows reach.
    model = load(folder)
    layers, window = model.config.num_hidden_layers, getattr(model.config, "sliding_window", None)
    every = window and "full_attention" not in (getattr(model.config, "layer_types", None) or [])
    for position in range(max(0, PROMPT - 1 - layers * (window - 1)) if every else 0, PROMPT):
        other = prompt.clone()
        other[position] = (other[position] + 7) % model.config.vocab_size
        if far(logits(model, other)[-1], right[-1]) < VISIBLE:
            return f"token {position} does not reach the last row"
    return None


def check_frequencies(name, config):
    """llama3 and yarn treat slow and fast pairs differently: all kinds must occur at these sizes."""
    rope = config.rope_parameters
    if rope["rope_type"] not in ("llama3", "yarn"):
        return
    scaled, _ = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[rope["rope_type"]](config)
    plain = rope["rope_theta"] ** (-torch.arange(0, config.head_dim, 2) / config.head_dim)
    divided = plain / scaled
    assert divided.min() < 1.001 and divided.max() > rope["factor"] - 0.001, (name, divided)
    assert ((divided > 1.01) & (divided < rope["factor"] - 0.01)).sum() >= 2, (name, divided)


def make(name):
    vocab = GOLDENS[name][1]["vocab_size"]
    base = zlib.crc32(name.encode()) % 1000 * 1000
    for seed in range(base, base + 1000):
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work) / name
            write_checkpoint(name, seed, folder)
            prompt = torch.randint(vocab, (PROMPT,), generator=torch.Generator().manual_seed(seed))
            model = load(folder)
            check_frequencies(name, model.config)
            found = expected_values(model, prompt)
            # A continuation that soon repeats itself tests little.
            if found is None or len(set(found["greedy"].tolist())) < GREEDY // 2:
                continue
            missed = blind_spot(folder, prompt, found["logits"])
            if missed:
                print(f"{name}: seed {seed} does not show {missed}", file=sys.stderr)
                continue
            save_expected(found, folder, f"seed {seed}")
            size = sum(file.stat().st_size for file in folder.iterdir())
            assert size <= BYTES, (name, size)
            shutil.rmtree(HERE / name, ignore_errors=True)
            shutil.copytree(folder, HERE / name)
            print(f"{name}: seed {seed}, {size:,} bytes")
            return
    sys.exit(f"{name}: no seed will do")


# --- The trained checkpoints ------------------------------------------------------------------------------------------

# The first sentence whose greedy steps are all clear: a trained model, unlike a random one, has no other seed.
SENTENCES = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want",
    "She was delighted with the letter, and could talk of nothing else for the rest of the evening.",
    "The gentlemen had walked as far as the garden before the rain obliged them to return to the house.",
    "Her sister could not but smile at such an answer, though she was by no means satisfied with it.",
]


def make_trained(name, checkpoints=CHECKPOINTS):
    model, tok = load(checkpoints / name), Tokenizer.from_file(str(checkpoints / name / "tokenizer.json"))
    for sentence in SENTENCES:
        ids = [tok.token_to_id("<|endoftext|>")] + tok.encode(sentence, add_special_tokens=False).ids
        assert ids[0] == 0 and len(ids) >= PROMPT
        found = expected_values(model, torch.tensor(ids[:PROMPT]))
        if found is not None:
            break
    else:
        sys.exit(f"{name}: no sentence will do")
    (HERE / name).mkdir(exist_ok=True)
    save_expected(found, HERE / name, f"sentence: {sentence}")
    size = (HERE / name / "expected.safetensors").stat().st_size
    assert size <= BYTES, (name, size)
    print(f"{name}: {size:,} bytes, {tok.decode(ids[1:PROMPT])!r} ->{tok.decode(found['greedy'].tolist())!r}")


# --- The tokenizer ----------------------------------------------------------------------------------------------------

TEXTS = [
    "", "a", " a", "  a", "   a", "a ", "a  ", " ", "  ", "     ", "\n", "\n\n", "\n a", "\n  a", " \n a", "a\n\n\nb",
    "\t", "\ta", "a\t\tb", "a \t b", "\r\n", "one\r\ntwo",
    "It is a truth universally acknowledged, that a single man in possession of a good fortune,",
    "Mr. Darcy", "ELIZABETH", "Hello, world!", "unbelievableness", "x" * 40,
    "I'm sure she'll say they've gone; he'd know, we're late, it's John's.", "I'M SURE IT'S", "'s 't 're", "don\u2019t",
    "0", "1813", "3.14159", "1,000,000", "a1b2", "Chapter 12",
    "?!...", "\"Oh!\" said she--\"no.\"", "_under_score_", "def f(x):\n    return x[0] + {'a': 1}",
    "caf\u00e9", "cafe\u0301", "na\u00efve \u00e6ther", "\u00a35,000 a year", "\u20ac \u00a9 \u2014 \u2026",
    "\u00a0a\u00a0b", "a\u2003b", "\u4f60\u597d\uff0c\u4e16\u754c", "\u3053\u3093\u306b\u3061\u306f",
    "\u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439", "\u0661\u0662\u0663", "\u00bd\u00b2",
    "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd ok", "\ufeffa",
    "\u0000\u0001\u007f",
    "<|endoftext|>", "The end.<|endoftext|>Chapter I", " <|endoftext|> ", "<|endoftext", "<|endoftext|><|endoftext|>",
]


def make_tokenizer_cases(path):
    tok = Tokenizer.from_file(path)
    cases = []
    for text in TEXTS:
        ids = tok.encode(text, add_special_tokens=False).ids
        assert tok.decode(ids, skip_special_tokens=False) == text, text
        cases.append({"text": text, "ids": ids})
    # ASCII with escapes, so that joiners and exotic spaces are seen.
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / "tokenizer_cases.json").write_text(f"[\n{lines}\n]\n")
    print(f"tokenizer_cases.json: {len(cases)} cases, tokenizers {tokenizers.__version__}")


def check():
    for folder in sorted(HERE.iterdir()):
        # Models that are a GGUF file alone are make_gguf.py's.
        if (folder / "expected.safetensors").exists() and (
                (folder / "config.json").exists() or (CHECKPOINTS / folder.name).exists()):
            found = load_file(folder / "expected.safetensors")
            model = load(folder if (folder / "config.json").exists() else CHECKPOINTS / folder.name)
            size = sum(file.stat().st_size for file in folder.iterdir())
            off = far(logits(model, found["prompt"].long()), found["logits"])
            print(f"{folder.name}: {size:,} bytes, off by {off:.1e}")


def main():
    mode, *rest = sys.argv[1:] or [None]
    if mode == "--check":
        check()
    elif mode == "--trained":
        for name in rest:
            make_trained(name)
    elif mode == "--tokenizer":
        make_tokenizer_cases(*rest)
    else:
        for name in sys.argv[1:] or GOLDENS:
            make(name)


if __name__ == "__main__":
    main()

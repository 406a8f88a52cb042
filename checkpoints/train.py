"""Trains the four austen models, one per attention variant, through the real Hugging Face classes.

    Rscript corpus.R CORPUS && python train.py CORPUS WORK [austen-mha ...]

Same corpus, tokenizer, width, depth, order of batches and number of steps for all four; only the attention differs,
and the feed-forward width, which evens out the parameters. A run resumes from WORK where it stopped. The results (bf16,
as save_pretrained writes them, with the tokenizer) go to the folder of this script, the loss curves to WORK/NAME.json.
"""
import json
import math
import os
import pathlib
import random
import sys
import time

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import DeepseekV3Config, DeepseekV3ForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

import corpus

HERE = pathlib.Path(__file__).resolve().parent
SEED, VOCAB, CONTEXT = 20, 2048, 1024
STEPS = 1600                    # of 4,096 tokens each
SHORT = 1200                    # the first steps see short windows, the rest the whole context
BATCH = {256: 16, 1024: 4}      # window length -> windows a step
PEAK, WARMUP, FLOOR = 3e-3, 100, 0.05

COMMON = dict(vocab_size=VOCAB, hidden_size=256, num_hidden_layers=4, num_attention_heads=8, tie_word_embeddings=True,
              max_position_embeddings=CONTEXT, bos_token_id=0, eos_token_id=0, pad_token_id=None)


def llama(kv_heads, width):
    return LlamaForCausalLM(LlamaConfig(**COMMON, num_key_value_heads=kv_heads, head_dim=32, intermediate_size=width,
                                        rms_norm_eps=1e-5))


def deepseek(width):
    return DeepseekV3ForCausalLM(DeepseekV3Config(
        **COMMON, num_key_value_heads=8, intermediate_size=width, first_k_dense_replace=4, q_lora_rank=None,
        kv_lora_rank=64, qk_nope_head_dim=32, qk_rope_head_dim=16, v_head_dim=32, rms_norm_eps=1e-5))


MODELS = {"austen-mha": lambda: llama(8, 512), "austen-gqa": lambda: llama(2, 640),
          "austen-mqa": lambda: llama(1, 656), "austen-mla": lambda: deepseek(576)}


def tokenizer(work, chapters):
    path = work / "tokenizer.json"
    if not path.exists():
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        made.train_from_iterator(chapters, trainers.BpeTrainer(
            vocab_size=VOCAB, special_tokens=["<|endoftext|>"], show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
        # A text begins with the token that every chapter began with.
        made.post_processor = processors.TemplateProcessing(single="<|endoftext|> $A", special_tokens=[("<|endoftext|>", 0)])
        made.save(str(path))
    return Tokenizer.from_file(str(path))


def ids(tok, chapters):
    return torch.tensor([i for c in chapters for i in [0] + tok.encode(c, add_special_tokens=False).ids])


def learning_rate(step):
    if step < WARMUP:
        return PEAK * (step + 1) / WARMUP
    done = (step - WARMUP) / (STEPS - WARMUP)
    return PEAK * (FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * done)))


def batch(stream, step):
    """The same windows for every model: they depend on the step alone."""
    draw = random.Random(SEED * 1_000_003 + step)
    length = 256 if step < SHORT else CONTEXT
    starts = [draw.randrange(len(stream) - length - 1) for _ in range(BATCH[length])]
    return torch.stack([stream[s:s + length + 1] for s in starts])


@torch.no_grad()
def held_out_bits_per_byte(model, stream, byte_count):
    """Windows of CONTEXT tokens, half a window apart; each token is scored once, with at least half a window before it."""
    model.eval()
    nats, scored = 0.0, 1
    for start in range(0, len(stream) - 1, CONTEXT // 2):
        window = stream[start:start + CONTEXT]
        logits = model(window[None]).logits[0].float()
        loss = torch.nn.functional.cross_entropy(logits[:-1], window[1:], reduction="none")
        fresh = start + len(window) - scored
        nats += loss[-fresh:].sum().item() if fresh > 0 else 0.0
        scored = max(scored, start + len(window))
        if scored >= len(stream):
            break
    model.train()
    return nats / math.log(2) / byte_count


def train(name, work, tok, train_chapters, held_out):
    torch.manual_seed(SEED)
    model = MODELS[name]()
    parameters = sum(p.numel() for p in model.parameters())
    decay = [p for p in model.parameters() if p.ndim >= 2]
    plain = [p for p in model.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}],
                                  lr=PEAK, betas=(0.9, 0.95))
    stream, held = ids(tok, train_chapters), ids(tok, held_out)
    held_bytes = sum(len(c.encode()) for c in held_out)
    log = {"name": name, "parameters": parameters, "train_tokens": len(stream), "held_out_tokens": len(held),
           "held_out_bytes": held_bytes, "steps": [], "loss": [], "held_out": [], "seconds": 0.0}
    resume, step = work / f"{name}.pt", 0
    if resume.exists():
        state = torch.load(resume)
        model.load_state_dict(state["model"]), optimizer.load_state_dict(state["optimizer"])
        step, log = state["step"], state["log"]
    print(f"{name}: {parameters:,} parameters, {len(stream):,} tokens, from step {step}", flush=True)
    began, recent = time.time(), []
    while step < STEPS:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
        rows = batch(stream, step)
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(rows[:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent.append(loss.item())
        step += 1
        if step % 20 == 0:
            log["steps"].append(step), log["loss"].append(sum(recent) / len(recent))
            recent = []
        if step % 200 == 0:
            log["held_out"].append([step, held_out_bits_per_byte(model, held, held_bytes)])
            log["seconds"] += time.time() - began
            began = time.time()
            partial = resume.with_suffix(".part")
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step, "log": log}, partial)
            os.replace(partial, resume)
            print(f"{name}: step {step} loss {log['loss'][-1]:.3f} held out {log['held_out'][-1][1]:.4f} bits a byte, "
                  f"{log['seconds']:.0f} s", flush=True)
    model = model.to(torch.bfloat16)
    model.save_pretrained(HERE / name)
    PreTrainedTokenizerFast(tokenizer_object=tok, bos_token="<|endoftext|>", eos_token="<|endoftext|>").save_pretrained(HERE / name)
    # The number in the table: of the bf16 weights that are shipped, computed in f32.
    log["final_bits_per_byte"] = held_out_bits_per_byte(model.float(), held, held_bytes)
    (work / f"{name}.json").write_text(json.dumps(log))
    print(f"{name}: shipped weights {log['final_bits_per_byte']:.4f} bits a byte", flush=True)


def main():
    texts, work = sys.argv[1], pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    train_chapters, held_out = corpus.split(texts)
    tok = tokenizer(work, train_chapters)
    for name in sys.argv[3:] or MODELS:
        train(name, work, tok, train_chapters, held_out)


if __name__ == "__main__":
    main()

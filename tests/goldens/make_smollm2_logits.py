"""What transformers computes from the numbers in SmolLM2-135M-Instruct.Q4_1.gguf: writes smollm2_logits.json.

    python make_smollm2_logits.py PATH/TO/SmolLM2-135M-Instruct.Q4_1.gguf

An oracle that shares no code with kvlab: the package gguf widens the blocks, the rows of queries and keys are put back
into Hugging Face's order here, and transformers runs the model in f32 with eager attention on a CPU. Made with
transformers 5.24.0, torch 2.15.0 and gguf 0.19.0.
"""
import importlib.metadata
import json
import pathlib
import sys

import gguf
import numpy as np
import torch
import transformers

HERE = pathlib.Path(__file__).parent
PARTS = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}
ENDS = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
PROMPTS = [[504, 3575, 282, 4649, 314], [19556], [1604, 3987, 46477, 24, 94, 727]]
GREEDY = 20


def weights(path):
    tensors = {}
    for tensor in gguf.GGUFReader(path).tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if tensor.name in ENDS:
            tensors[ENDS[tensor.name]] = values
            continue
        _, layer, part, _ = tensor.name.split(".")
        if part in ("attn_q", "attn_k"):  # rows 2i, 2i + 1 of a head were rows i, i + 32
            values = values.reshape(-1, 32, 2, values.shape[1]).swapaxes(1, 2).reshape(values.shape)
        tensors[f"model.layers.{layer}.{PARTS[part]}.weight"] = values
    return {name: torch.from_numpy(np.ascontiguousarray(values)) for name, values in tensors.items()}


def main(path):
    config = transformers.LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9,
        num_key_value_heads=3, max_position_embeddings=8192, rms_norm_eps=1e-5, rope_theta=100000.0,
        tie_word_embeddings=True, attn_implementation="eager")
    model = transformers.LlamaForCausalLM(config).eval()
    missing = model.load_state_dict(weights(path), strict=False)
    assert missing.missing_keys == ["lm_head.weight"] and not missing.unexpected_keys, missing
    model.tie_weights()
    cases = []
    with torch.no_grad():
        for prompt in PROMPTS:
            ids, greedy, top = list(prompt), [], None
            for _ in range(GREEDY):
                logits = model(torch.tensor([ids])).logits[0, -1]
                top = top or [[int(i), round(float(v), 4)] for v, i in zip(*logits.topk(5))]
                greedy.append(int(logits.argmax()))
                ids.append(greedy[-1])
            cases.append({"prompt": prompt, "top": top, "greedy": greedy})
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / "smollm2_logits.json").write_text(f"[\n{lines}\n]\n")
    print(f"{len(cases)} prompts, transformers {transformers.__version__}, gguf {importlib.metadata.version("gguf")}")


if __name__ == "__main__":
    main(sys.argv[1])

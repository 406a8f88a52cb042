"""Writes what Hugging Face `tokenizers` does with texts, for the tokenizers that GGUF files name.

    python make_word_cases.py                     word_cases.json: texts cut into words, by each of four rules
    python make_word_cases.py SMOLLM2.gguf        smollm2_cases.json: ids by SmolLM2's vocabulary and merges

The rules are put together from tokenizers' own parts, as the tokenizer.json of each model has them. The second mode
takes vocabulary and merges from the file, by the gguf package.
"""
import json
import pathlib
import random
import sys

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

HERE = pathlib.Path(__file__).resolve().parent

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def by_pattern(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


RULES = {
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                       pre_tokenizers.ByteLevel(add_prefix_space=False)]),
    "llama-bpe": by_pattern(LLAMA3),
    "qwen2": by_pattern(LLAMA3.replace("{1,3}", "")),
}

POOLS = ["abcdefghij", "ABCDEFGHIJ", "0123456789", "   ", " \t\n\r", "'\"`.,;:!?-_()[]{}<>|/\\@#$%^&*+=~", "éèüßñøåçğşıİſK",
         "абвгдежзи", "你好世界我想在", "ひらがなカタ", "مرحبا", "नमस्ते", "🚀😶‍🌫️✅🦙👍🏽", "\u00a0\u2003\u3000\u0085\u200b\u200d\ufeff\u180e",
         "½²③Ⅷ৪", "e\u0301o\u0323\u0302", "\u0001\u001f\u007f\u0080"]
WORDS = ["don't", "I'll", "WE'VE", "'S", "it's", "Hello", "world", "the", " the", "def ", "http://", "3.14", "1,000", "12345",
         "日本", "naïve", "'ſ", "'Re", "\n\n\n", "    ", "\t\t", "x\n\n y"]


def random_texts(count, seed, specials=()):
    draw, texts = random.Random(seed), []
    for _ in range(count):
        text = ""
        for _ in range(draw.randint(1, 12)):
            choice = draw.random()
            if choice < 0.4:
                text += draw.choice(WORDS)
            elif choice < 0.5 and specials:
                text += draw.choice(specials)
            else:
                pool = draw.choice(POOLS)
                text += "".join(draw.choice(pool) for _ in range(draw.randint(1, 4)))
            text += " " * (draw.random() < 0.4)
        texts.append(text)
    return texts


def write(name, head, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = json.dumps(head)[:-1] + f', "cases": [\n{lines}\n]}}\n'
    (HERE / name).write_text(text)


def make_word_cases():
    decoder = decoders.ByteLevel()
    cases = []
    for text in random_texts(60, 5):
        # Words that end inside a character cannot be shown as text; no rule makes any.
        words = {rule: [decoder.decode([word]) for word, _ in cut.pre_tokenize_str(text)] for rule, cut in RULES.items()}
        assert all("".join(pieces) == text for pieces in words.values()), text
        cases.append({"text": text, **words})
    write("word_cases.json", {"made_by": f"tokenizers {tokenizers.__version__}"}, cases)


def make_smollm2_cases(path):
    import gguf
    fields = gguf.GGUFReader(path).fields
    of = lambda key: fields[f"tokenizer.ggml.{key}"].contents()
    tokens, types = of("tokens"), of("token_type")
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)},
                                     merges=[tuple(merge.split(" ")) for merge in of("merges")],
                                     unk_token=tokens[of("unknown_token_id")]))
    tokenizer.pre_tokenizer = RULES["smollm"]
    specials = [token for token, kind in zip(tokens, types) if kind == 3]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in specials])
    cases = [{"text": text, "ids": tokenizer.encode(text, add_special_tokens=False).ids}
             for text in random_texts(40, 9, specials)]
    write("smollm2_cases.json", {"made_by": f"tokenizers {tokenizers.__version__}"}, cases)


if __name__ == "__main__":
    make_smollm2_cases(sys.argv[1]) if len(sys.argv) > 1 else make_word_cases()

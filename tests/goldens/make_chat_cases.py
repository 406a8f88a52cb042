"""Writes chat_cases.json: what published chat templates make of conversations, by jinja2 with transformers' settings.

    python make_chat_cases.py FOLDER         FOLDER holds NAME.jinja, or NAME.SPELLING.jinja, for each name below

The templates themselves are not in this repository. Of each there are the sha256 of its text and its outline, made here
from the tokens of jinja2's own lexer (model/jinja_outline.h says what an outline is), so that kvlab's can be compared.
"""
import datetime
import hashlib
import json
import pathlib
import sys

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = pathlib.Path(__file__).resolve().parent

# name: (bos_token, eos_token)
TOKENS = {
    "smollm2": ("<|im_start|>", "<|im_end|>"),
    "chatml": ("<s>", "<|im_end|>"),
    "qwen2": ("", "<|im_end|>"),
    "qwen1.5": ("", "<|im_end|>"),
    "qwen2.5": ("", "<|im_end|>"),
    "qwen3": ("", "<|im_end|>"),
    "llama-2": ("<s>", "</s>"),
    "llama-3": ("<|begin_of_text|>", "<|eot_id|>"),
    "llama-3.1": ("<|begin_of_text|>", "<|eot_id|>"),
    "llama-3.2": ("<|begin_of_text|>", "<|eot_id|>"),
    "mistral-v0.1": ("<s>", "</s>"),
    "mistral-v0.2": ("<s>", "</s>"),
    "mistral-v0.2-system": ("<s>", "</s>"),
    "mistral-v0.3": ("<s>", "</s>"),
    "zephyr": ("<s>", "</s>"),
    "deepseek-v2": ("<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
    "deepseek-v3": ("<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
    "deepseek-r1": ("<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
    "deepseek-r1-thinking": ("<\uff5cbegin\u2581of\u2581sentence\uff5c>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
}


def said(*contents, system=None):
    messages = [] if system is None else [{"role": "system", "content": system}]
    return messages + [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(contents)]


CONVERSATIONS = [
    said("Hello"),
    said("Hello", system="Be brief."),
    said("Hello", "Hi!", " Who are you? \n"),
    said("Hello", "Hi!", "Bye", system="\u00a0Be brief.\n"),
    said("Why?", "<think>\nHm.\n</think>\n\nBecause.", "Really?", "\n Yes. "),
    said("Why?", "<think>\nHm.\n\n</think>\n\nBecause.", system="Think."),
    said("{{ messages }}", "", "\u4f60\u597d"),
    said("a", "b", "c", system="d") + [{"role": "system", "content": "e"}, {"role": "user", "content": "f"}],
]
TODAY = datetime.datetime(2025, 3, 7)


class Raised(Exception):
    pass


def environment():
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])

    def raise_exception(message):
        raise Raised(message)

    made.globals.update(raise_exception=raise_exception, strftime_now=TODAY.strftime)
    return made


def rendered(template, messages, tokens):
    """None when the template refuses the conversation."""
    try:
        return template.render(messages=messages, bos_token=tokens[0], eos_token=tokens[1], add_generation_prompt=True)
    except Raised:
        return None


# --- Outlines ---

def fnv1a(data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def tokens_of(text, made):
    """(kind, bytes) with kind 0 for printed text, 1 for a string, 2 for all else."""
    raw = [(kind, value) for _, kind, value in made.lexer.tokeniter(text, None)]
    tokens, comment, i = [], False, 0
    while i < len(raw):
        kind, value = raw[i]
        i += 1
        if kind in ("comment_begin", "comment_end"):
            comment = kind == "comment_begin"
        elif comment or kind == "whitespace":
            pass
        elif kind == "data":
            tokens += [(0, value)] if value else []
        elif kind in ("variable_begin", "block_begin", "variable_end", "block_end"):
            tokens.append((2, {"variable_begin": "{{", "block_begin": "{%", "variable_end": "}}", "block_end": "%}"}[kind]))
        elif kind == "string":
            tokens.append((1, value[1:-1].encode("ascii", "backslashreplace").decode("unicode-escape")))
        elif value == "." and raw[i][0] == "name" and raw[i + 1][1] != "(":
            tokens += [(2, "["), (1, raw[i][1]), (2, "]")]
            i += 1
        elif kind == "operator":
            tokens += [(2, sign) for sign in value]
        else:
            assert kind in ("name", "integer"), kind
            tokens.append((2, value))
    return tokens


def outline(text, made):
    tokens = tokens_of(text, made)
    before, behind = "<|im_start|>system\n", "<|im_end|>\n"
    sentences = [value[len(before):-len(behind)] for kind, value in tokens
                 if kind == 1 and value.startswith(before) and value.endswith(behind)]
    sentence = next((each for each in sentences if each), "")
    data = b""
    for kind, value in tokens:
        if kind == 1 and sentence:
            value = value.replace(sentence, "\x01", 1)
        data += bytes([kind]) + value.encode() + b"\0"
    return f"{fnv1a(data):016x}", sentence


def main():
    made, cases = environment(), []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jinja")):
        name = next(each for each in sorted(TOKENS, key=len, reverse=True) if path.name.startswith(each + "."))
        text = path.read_bytes().decode()
        template, tokens = made.from_string(text), TOKENS[name]
        fingerprint, sentence = outline(text, made)
        cases.append({
            "name": name, "sha256": hashlib.sha256(text.encode()).hexdigest(), "outline": fingerprint,
            "default_system": sentence, "begin": tokens[0], "end": tokens[1],
            "texts": [rendered(template, messages, tokens) for messages in CONVERSATIONS],
        })
    # Spellings of one program differ in nothing but the text's hash: the rest is there once.
    seen, kept = {}, []
    for case in cases:
        same = seen.setdefault((case["name"], case["outline"], case["default_system"]), case)
        assert same["texts"] == case["texts"], case["name"]
        if same is case:
            kept.append(case)
    missing = set(TOKENS) - {case["name"] for case in kept}
    assert not missing, f"no template for {missing}"
    lines = ",\n".join(json.dumps(case) for case in kept)
    head = {"made_by": f"jinja2 {jinja2.__version__}", "today": TODAY.strftime("%d %b %Y"), "conversations": CONVERSATIONS}
    (HERE / "chat_cases.json").write_text(json.dumps(head)[:-1] + f', "templates": [\n{lines}\n]}}\n')
    print(f"{len(cases)} templates, {len(kept)} programs")


if __name__ == "__main__":
    main()

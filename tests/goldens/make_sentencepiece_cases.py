"""Writes sentencepiece_cases.json: two small vocabularies trained by sentencepiece, and the ids that it gives to texts.

    Rscript checkpoints/corpus.R NOVELS
    python make_sentencepiece_cases.py NOVELS

The corpus is the one of checkpoints/ (Jane Austen's novels, in the public domain). Both are BPE models with Llama 2's
settings: texts are left as they are, digits stand alone. "bytes" spells unknown characters in bytes and puts a space in
front; "plain" does neither, and has a symbol that is cut out of texts.
"""
import io
import json
import pathlib
import sys

import sentencepiece

HERE = pathlib.Path(__file__).resolve().parent
NOVELS = ["emma", "mansfieldpark", "northangerabbey", "persuasion", "prideprejudice", "sensesensibility"]
SETTINGS = dict(
    model_type="bpe", vocab_size=480, character_coverage=0.9999, normalization_rule_name="identity",
    remove_extra_whitespaces=False, split_digits=True, allow_whitespace_only_pieces=True, num_threads=1,
    unk_id=0, bos_id=1, eos_id=2, pad_id=-1, minloglevel=2,
)
KINDS = {
    "bytes": dict(byte_fallback=True, add_dummy_prefix=True),
    "plain": dict(byte_fallback=False, add_dummy_prefix=False, user_defined_symbols=["<sep>"]),
}
TEXTS = [
    "", "a", " a", "  a", "\n a", " ", "  ", "     ", "a ", "a  ", "\t", "\t\ta", "a\tb", "\n", "\n\n", "a\n\nb", "\r\n",
    "Hello, world!", "hello  world", "It is a truth universally acknowledged", "Elizabeth's sister; and so on...",
    "the the the", "thethethe", "aaaaaaaaaaaaaaaaaaaa", "unbelievableness", "ELIZABETH", "3.14 and 1,000", "2024",
    "don't WE'VE I'll", "\u00e9", "na\u00efve caf\u00e9 d\u00e9j\u00e0 vu", "e\u0301", "\u4f60\u597d", "\u4f60\u597da\u4f60", "\U0001f600", "x\U0001f600y",
    "\U0001f636\u200d\U0001f32b\ufe0f", "\u043d\u0435\u0449\u043e \u043d\u0430", "\u00a0", "\u2581", "a\u2581b", "\u2581 \u2581", "<0x0A>", "<unk>", "</s>",
    "def f(n):\n    return n", "~`@#$%^&*{}[]|\\", "\x7f\x01", "_x_", "Mr. Darcy and Mrs. Bennet",
]
WITH_SYMBOL = ["<sep>", "a<sep>b", "a <sep> b", "<sep><sep>", "the<sep>the", "<sep", "\u4f60<sep>\u4f60"]


def train(sentences, settings):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, **SETTINGS, **settings)
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def type_of(processor, token):
    """As in GGUF's tokenizer.ggml.token_type."""
    if processor.is_unknown(token):
        return 2
    if processor.is_control(token):
        return 3
    if processor.is_byte(token):
        return 6
    return 4 if processor.id_to_piece(token) == "<sep>" else 1


def main():
    folder = pathlib.Path(sys.argv[1])
    sentences = [line for novel in NOVELS for line in (folder / f"{novel}.txt").read_text("utf-8").splitlines() if line]
    written = {"made_by": f"sentencepiece {sentencepiece.__version__}"}
    for name, settings in KINDS.items():
        processor = train(sentences, settings)
        tokens = range(processor.get_piece_size())
        texts = TEXTS + (WITH_SYMBOL if name == "plain" else [])
        written[name] = {
            "tokens": [processor.id_to_piece(token) for token in tokens],
            "scores": [processor.get_score(token) for token in tokens],
            "types": [type_of(processor, token) for token in tokens],
            "cases": [{"text": text, "ids": processor.encode(text)} for text in texts],
        }
    lines = json.dumps(written, separators=(", ", ": ")).replace('{"text"', '\n{"text"').replace('], "', '],\n"')
    (HERE / "sentencepiece_cases.json").write_text(lines + "\n")


if __name__ == "__main__":
    main()

"""The corpus: six novels, cut into chapters, with one chapter in twenty held out.

Lines are unwrapped (a paragraph becomes one line, paragraphs are separated by an empty line) and the underscores that
mark italics are dropped. Every chapter is a document of its own and begins with the token <|endoftext|>.
"""
import pathlib
import re

NOVELS = ["sensesensibility", "prideprejudice", "mansfieldpark", "emma", "northangerabbey", "persuasion"]
HELD_OUT_EVERY, HELD_OUT_AT = 20, 10
CHAPTER = re.compile(r"^chapter\s+(?:[ivxlc]+|\d+)\.?\s*$", re.IGNORECASE | re.MULTILINE)


def chapters(folder):
    """[(text)] of all novels, in order; what stands before a first chapter (title, volume) is left out."""
    found = []
    for novel in NOVELS:
        text = (pathlib.Path(folder) / f"{novel}.txt").read_text(encoding="utf-8").replace("_", "")
        for chapter in CHAPTER.split(text)[1:]:
            paragraphs = [" ".join(p.split()) for p in re.split(r"\n\s*\n", chapter)]
            paragraphs = [p for p in paragraphs if p and not re.match(r"^(VOLUME|FINIS|THE END)\b", p)]
            found.append("\n\n".join(paragraphs) + "\n")
    return found


def split(folder):
    """(training chapters, held-out chapters)"""
    every = chapters(folder)
    held_out = [c for i, c in enumerate(every) if i % HELD_OUT_EVERY == HELD_OUT_AT]
    return [c for i, c in enumerate(every) if i % HELD_OUT_EVERY != HELD_OUT_AT], held_out

"""Small treebanks and entities in three languages, and a folder that `probe transfer` makes."""

import random
from pathlib import Path

LEXICON = {
    "en": {"DET": "the a", "NOUN": "fox dog word text", "VERB": "jumps runs", "ADJ": "quick lazy"},
    "de": {"DET": "der die", "NOUN": "Fuchs Hund Wort", "VERB": "rennt springt", "ADJ": "faul"},
    "ja": {"DET": "その", "NOUN": "東京 首都", "VERB": "読みます です", "ADJ": "日本"},
}
ORDERS = {"en": "DET ADJ NOUN VERB", "de": "DET NOUN VERB", "ja": "ADJ DET NOUN VERB"}


def write_treebank(
    path: Path, lang: str, *, n: int = 12, seed: int = 0, ids: str = "", misc: bool = False,
    tags: str = "",
) -> Path:  # fmt: skip
    """Write CoNLL-U of random sentences; with `misc` words say their language.

    With `tags` this is the tag of all words.
    """
    drawn = random.Random(f"{lang} {seed}")
    lines = []
    for number in range(n):
        lines.append(f"# sent_id = {ids or path.stem}-{number}")
        for at, tag in enumerate(ORDERS[lang].split(), 1):
            word = drawn.choice(LEXICON[lang][tag].split())
            said = f"Lang={'en' if word.isascii() else lang}" if misc else "_"
            lines.append("\t".join([str(at), word, "_", tags or tag, *["_"] * 5, said]))
        lines.append("")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def write_entities(path: Path, lang: str, *, n: int = 12, seed: int = 0) -> Path:
    """Write the same in IOB2, nouns as entities, adjectives before them as their beginning."""
    drawn = random.Random(f"{lang} {seed}")
    lines = []
    for _ in range(n):
        before = ""
        for tag in ORDERS[lang].split():
            word = drawn.choice(LEXICON[lang][tag].split())
            name = {"ADJ": "B-THING", "NOUN": "I-THING" if before == "ADJ" else "B-THING"}
            lines.append(f"{word} {name.get(tag, 'O')}")
            before = tag
        lines.append("")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path

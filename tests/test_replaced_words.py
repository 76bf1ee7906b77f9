"""The words that docs/vocabulary.md replaced do not come back, in code, help or documentation."""

import re
from pathlib import Path

import pytest
from repository import ROOT

# Old word → the word to use, and files with another sense of it (of SentencePiece, of a text).
REFUSED: dict[str, tuple[str, tuple[str, ...]]] = {
    r"\bpieces?\b": ("token", (
        "encode/bundled/", "report/html.py", "report/templates/documents.html",
        "wiki/streams/decompression.py", "kb/build/occurrences.py", "text/folding.py",
        "vectors/names.py", "corpus/detected_names.py", "data/demo/", "tests/",
        "isogloss/tag/", "cli/tag/", "tagging.md",
        "docs/performance.md",  # the tokens of a word
        "transfer/matrix/", "transfer/altered/measure.py", "cli/probing/transfer.py",
        "reproduce/tagging.py",
    )),
    r"\b(max|n)_pieces\b|--max-pieces": ("max_length, n_tokens", ()),
    r"\bLossWarning\b|\bwarn_loss\b": ("OmissionWarning, warn_omitted", ()),
    r"\bbehind\s+cent(ring|ering)\b": ("after centring", ()),
    r"\b(answers?|labels?|probabilities)\s+out\s+of\s+fold\b|\bout\s+of\s+fold(?!s)\b": (
        "out-of-fold", ()
    ),
    r"\b(go|goes|going|went)\s+on\s+(from|where|with|to\s+the\s+same)\b|\brun\s+goes\s+on\b": (
        "resume", ()
    ),
    r"\b(vectors|level)\s+of\s+chance\b": ("random vectors, chance level", ()),
    r"\b(drawn|made|dropped)\s+by\s+chance\b": ("random", ()),
    r"\bsurer\b": ("overconfident", ()),
    r"\binit_alpha\b|\bmin_alpha\b|--(init|min)-alpha\b": ("learning_rate", ()),
    r"--iterations?\b": ("--epochs", ()),
    r"\bso\s+many\s+(epochs|tokens|texts|pages)\b": ("a number, said plainly", ()),
    r"\bshares\s+of\s+the\s+classes\b|\bclass\s+shares\b|\bdifferent_shares\b": (
        "class priors, prior_shift", ()
    ),
    r"\bmoves_\b|\bmoved_langs\b|\bLanguageMove\b|\bvectors\s+are\s+moved\b": (
        "corrections_, ShiftCorrection, language shift correction", ()
    ),
    r"\bmarks\s+know\b": ("significance marks account for seed variance", ()),
    r"\bjust\s+their\s+labels\b": ("subset accuracy", ()),
    r"\bin\s+no\s+time\b": ("memory-mapped", ()),
    r"\b[Tt]exts\s+to\s+choose\s+by\b|\b[Tt]imes\s+over\s+all\s+pages\b": (
        "development set, epochs", ()
    ),
    r"\b[Ll]et\s+classes\s+count\s+alike\b|\b[Pp]ut\s+in\s+front\s+of\s+each\b": (
        "class weights, prefix prepended", ()
    ),
    r"\bfor\s+people\b|\bto\s+people\b": ("for humans, or nothing", ()),
    r"\b[Tt]he\s+guard\b|\bblock\s+shift\b": ("acceptance test, language shift", ()),
}  # fmt: skip
WIKIPEDIA2VEC = ("vectors/training/training.py", "docs/vectors.md")  # its names, for comparison
SEARCHED = [
    path
    for pattern in ("src/**/*.py", "src/**/*.html", "docs/*.md", "README.md", "CONTRIBUTING.md")
    for path in sorted(ROOT.glob(pattern))
    if path.name != "vocabulary.md"
]


def found_in(path: Path, pattern: str) -> list[str]:
    """Return file and line of each match, which may run over a line's end."""
    text = path.read_text("utf-8")
    name = path.relative_to(ROOT)
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}"
        for match in re.finditer(pattern, text)
    ]


@pytest.mark.parametrize("pattern", REFUSED)
def test_replaced_words_are_refused(pattern: str) -> None:
    instead, allowed = REFUSED[pattern]
    if "alpha" in pattern or "iteration" in pattern:
        allowed = WIKIPEDIA2VEC
    paths = [path for path in SEARCHED if not any(name in path.as_posix() for name in allowed)]
    found = [place for path in paths for place in found_in(path, pattern)]
    assert not found, f"write {instead}:\n" + "\n".join(found)


def test_a_refused_word_is_found_over_the_end_of_a_line(tmp_path: Path) -> None:
    pattern = next(pattern for pattern in REFUSED if "cent" in pattern)
    assert re.search(pattern, "what is left behind\ncentring")
    assert not re.search(pattern, "what is left after centring")

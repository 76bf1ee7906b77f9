"""Keys and sheets of audits, without a model."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from isogloss.classify.audit.key import DrawnRow, ExpectedAccuracy, Key, Stratum, hash_of
from isogloss.classify.audit.sheet import sheet_bytes

CLASSES = ["money", "sport", "travel"]
TEXTS = {
    "ar": ["مباراة كرة القدم", "ضريبة جديدة"],
    "hi": ["नया कर लगा", "मैच देर से खत्म हुआ"],
    "th": ["การแข่งขันฟุตบอล", "ภาษีใหม่", "=SUM(A1)", "-5 %", "0042", '\'tis, "quoted"; yes'],
    "und": ["two\nlines", "🏀 only"],
}


def made_key(
    texts: Mapping[str, Sequence[str]] = TEXTS,
    answers: Sequence[int] | None = None,
    *,
    sizes: Mapping[tuple[str, int | None], int] | None = None,
    forecasts: Mapping[str, ExpectedAccuracy] | None = None,
    classes: Sequence[str] = CLASSES,
) -> tuple[Key, list[str]]:
    """Return a key of these texts, all answered by the first class if nothing is said."""
    pairs = [(lang, text) for lang, some in texts.items() for text in some]
    answers = [0] * len(pairs) if answers is None else answers
    sizes = sizes or {(lang, None): 10 * len(some) for lang, some in texts.items()}
    key = Key(
        model="../model", fingerprint="f" * 64, classes=list(classes), data="inbox.csv",
        is_blind=True, seed=0,
        strata=[Stratum(lang, answer, n) for (lang, answer), n in sizes.items()],
        forecasts=dict(forecasts or {}),
        rows=[
            DrawnRow(7 * at + 3, lang, hash_of(text), answer)
            for at, ((lang, text), answer) in enumerate(zip(pairs, answers, strict=True))
        ],
    )  # fmt: skip
    return key, [text for _, text in pairs]


def write_sheet(path: Path, key: Key, texts: Sequence[str], *, delimiter: str = ",") -> Path:
    """Write the sheet of a key, without labels."""
    rows = [(str(one.row), one.lang, text) for one, text in zip(key.rows, texts, strict=True)]
    path.write_bytes(sheet_bytes(rows, delimiter=delimiter, with_answers=False))
    return path

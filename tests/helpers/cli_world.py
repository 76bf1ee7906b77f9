"""What the tests of the command line share: small data, and what a command gives."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ENTITIES: list[dict[str, Any]] = [
    {"id": "Q1490", "types": ["city"], "popularity": 9, "keywords": {"en": ["capital"]},
     "names": {"en": ["Tokyo"], "ja": ["東京"], "de": ["Tokio"], "th": ["โตเกียว"],
               "ar": ["طوكيو"], "hi": ["टोक्यो"], "ru": ["Токио"], "ko": ["도쿄"]}},
    {"id": "Q7842", "names": {"en": ["University of Tokyo"], "ja": ["東京大学"]}},
    {"id": "Q8161", "names": {"en": ["tax"], "ja": ["税金"], "de": ["Steuer"]}},
    {"id": "Q183", "names": {"en": ["Germany"], "ja": ["ドイツ"], "de": ["Deutschland"]}},
    {"id": "Q2736", "names": {"en": ["football"], "ja": ["サッカー"], "de": ["Fußball"]}},
    {"id": "Q847", "names": {"en": ["tennis"], "ja": ["テニス"], "de": ["Tennis"]}},
    {"id": "Q5", "names": {"ja": ["人間"]}},
    {"id": "Q90", "names": {"en": ["Jordan", "Jordan river"]}, "link_prob": {"en": {"Jordan": 0.3}},
     "counts": {"en": {"Jordan": 9}}},
    {"id": "Q91", "names": {"en": ["Jordan"]}, "counts": {"en": {"Jordan": 1}}},
]  # fmt: skip
TRAIN = [
    ("sport", "A football match in Germany ended late."),
    ("sport", "The tennis final was played in Tokyo."),
    ("sport", "Fans of football sang in the rain."),
    ("sport", "She won at tennis again."),
    ("sport", "The football club has a new coach."),
    ("sport", "Tennis courts stay closed today."),
    ("money", "The new tax angers Germany."),
    ("money", "A tax on fuel was voted."),
    ("money", "Banks in Tokyo raised their rates."),
    ("money", "The tax office lost its files."),
    ("money", "Prices in Germany went up."),
    ("money", "Nobody likes a tax, says the bank."),
]
JAPANESE = [
    ("sport", "サッカーの試合がドイツで行われた。"),
    ("sport", "テニスの決勝は東京だった。"),
    ("money", "新しい税金が決まった。"),
    ("money", "東京大学の税金の研究。"),
]
GERMAN = [
    ("sport", "Das Spiel im Fußball ging in Deutschland lange."),
    ("money", "Die neue Steuer ärgert viele Menschen im Land."),
]
TAG_OF = {"the": "O", "fox": "B-PER", "dog": "B-PER", "北京": "B-LOC", "jumps": "O", ".": "O"}


@dataclass(frozen=True)
class Outcome:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def talk(self) -> list[str]:
        return self.err.splitlines()

    @property
    def json(self) -> Any:
        """The whole of standard output as strict JSON."""
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


Run = Callable[..., Outcome]
Refuse = Callable[..., str]


def write_tsv(path: Path, rows: list[tuple[str, ...]], header: str = "label\ttext") -> Path:
    path.write_text("\n".join([header, *("\t".join(row) for row in rows)]) + "\n", "utf-8")
    return path


@dataclass(frozen=True)
class World:
    """Files of the session; nothing changes them."""

    encoder: Path
    names: Path
    kb: Path
    train: Path
    japanese: Path
    german: Path
    model: Path
    alone: Path


def fit_words(world: World, out: Path, *more: object, train: object = None) -> list[object]:
    """Words of a command that would work."""
    source = f"en={world.train}" if train is None else train
    return ["classify", "fit", "--train", source, "--encoder", world.encoder, "--out", out, *more]


def write_file(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def flip(path: Path, at: int = -1) -> None:
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)

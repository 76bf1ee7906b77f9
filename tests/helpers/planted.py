"""A fast deterministic encoder, a tiny knowledge base and texts with planted topics."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from isogloss.encode import Encoder
from isogloss.encode.encoder import EncodedTexts
from isogloss.encode.settings import Setting
from isogloss.vectors.entity_vectors import random_vectors

N_WORDS_READ = 60

ENTITIES: list[dict[str, Any]] = [
    {"id": "Q1", "names": {"en": ["Wimbledon"], "ja": ["ウィンブルドン"], "ru": ["Уимблдон"]}},
    {"id": "Q2", "names": {"en": ["Real Madrid"], "ja": ["レアル・マドリード"],
     "ar": ["ريال مدريد"]}},
    {"id": "Q3", "names": {"en": ["Olympic Games"], "ja": ["オリンピック"], "th": ["โอลิมปิก"]}},
    {"id": "Q4", "names": {"en": ["Wall Street"], "ja": ["ウォール街"], "ru": ["Уолл-стрит"]}},
    {"id": "Q5", "names": {"en": ["World Bank"], "ja": ["世界銀行"], "hi": ["विश्व बैंक"]}},
    {"id": "Q6", "names": {"en": ["Toyota"], "ja": ["トヨタ"], "ko": ["도요타"]}},
    {"id": "Q7", "names": {"en": ["Mars"], "ja": ["火星"], "ru": ["Марс"]},
     "counts": {"en": {"Mars": 9}}},
    {"id": "Q8", "names": {"en": ["Mars Incorporated", "Mars"]}, "counts": {"en": {"Mars": 1}}},
    {"id": "Q9", "names": {"en": ["CERN"], "ja": ["欧州原子核研究機構"], "ar": ["سيرن"]},
     "link_prob": {"en": {"CERN": 0.5}}},
    {"id": "Q10", "names": {"en": ["Nobel Prize"], "ja": ["ノーベル賞"], "hi": ["नोबेल पुरस्कार"]}},
    {"id": "Q11", "names": {"ja": ["紅白歌合戦"]}},
    {"id": "Q12", "names": {"en": ["Sumo Hall"], "ja": ["国技館"]}},
]  # fmt: skip
TOPICS = {
    "sport": ("game goal player match", "Wimbledon, Real Madrid, Olympic Games"),
    "money": ("price stock rate trade", "Wall Street, World Bank, Toyota"),
    "space": ("atom orbit probe theory", "Mars, CERN, Nobel Prize"),
}
FILLER = ["today", "people", "said", "new", "big", "while", "after", "city", "year", "plan"]
JAPANESE = [
    ("ウィンブルドンで昨日、レアル・マドリードの話。", "sport"),
    ("オリンピックが始まった。", "sport"),
    ("ウォール街とトヨタの発表。", "money"),
    ("世界銀行がまた語った。", "money"),
    ("火星へ行く。", "space"),
    ("ノーベル賞と欧州原子核研究機構。", "space"),
    ("何も知られていない話。", "space"),
    ("国技館の紅白歌合戦。", "sport"),
]
UNLINKED = ["", "nothing here", "غدا صباحا", "今日はとても暑い。", "\x00\ud800", "🙂"]


class FakeEncoder(Encoder):
    """The sum of a random vector for each word, of unit length; reads 60 words."""

    def __init__(self, *, width: int = 12, seed: int = 0) -> None:
        self.name, self.dtype = f"fake-{seed}", "float32"
        self.seed = seed
        self.settings = SimpleNamespace(
            options=dict, limit="64 tokens (planted)", max_length=Setting(N_WORDS_READ, "planted"),
            long_texts=Setting("cut", "planted"),
        )  # fmt: skip
        self.n_encoded = 0
        self._width = width

    @property
    def width(self) -> int:
        return self._width

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"{self.seed} {self.width}".encode()).hexdigest()

    def __repr__(self) -> str:
        return f"FakeEncoder({self.name})"

    def encode_counted(
        self, texts: Iterable[str], *, pooling: str | None = None, **_: Any
    ) -> EncodedTexts:
        words = [re.findall(r"\w+", text.lower()) for text in texts]
        self.n_encoded += len(words)
        n_tokens = np.array([len(text) for text in words], dtype=np.int64)
        vectors = np.array([self._sum(text[:N_WORDS_READ], pooling) for text in words], np.float32)
        return EncodedTexts(vectors.reshape(-1, self.width), n_tokens, n_tokens > N_WORDS_READ)

    def _sum(self, words: list[str], pooling: str | None) -> Any:
        words = words[:1] if pooling == "cls" else words
        drawn = random_vectors(["", *words], self.width, seed=self.seed, root_mean_square=1.0)
        total = drawn.sum(axis=0)
        return total / np.linalg.norm(total)


def english(n: int = 48, *, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return n texts of the three topics in turn, two thirds of them with names, and labels."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(n):
        topic = list(TOPICS)[number % 3]
        words, names = TOPICS[topic]
        chosen = [*rng.choice(words.split(), 2), *rng.choice(FILLER, 4)]
        if number % 9 < 6:
            chosen += rng.choice(names.split(", "), 1 + number % 2, replace=False).tolist()
        rng.shuffle(chosen)
        texts.append(" ".join(chosen))
        labels.append(topic)
    return texts, labels


def label_sets(n: int = 60, *, seed: int = 0) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return texts of one topic, of two at once, and of none."""
    texts, topics = english(n, seed=seed)
    made: list[str] = []
    sets: list[tuple[str, ...]] = []
    for row, (text, topic) in enumerate(zip(texts, topics, strict=True)):
        other = (row + 1) % n
        if row % 5 == 0:
            made.append("people said new big city after while today year plan")
            sets.append(())
        elif row % 3 == 0:
            made.append(f"{text} {texts[other]}")
            sets.append(tuple(dict.fromkeys((topic, topics[other]))))
        else:
            made.append(text)
            sets.append((topic,))
    return made, sets


def write_names(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path

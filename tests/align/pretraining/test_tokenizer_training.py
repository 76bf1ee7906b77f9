"""A vocabulary follows the smoothed shares of languages, and is the same in every run."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from small_pairs import made_pairs
from tiny_models import TEXTS

from isogloss.align.pretraining import tokenizer_training
from isogloss.align.pretraining.tokenizer_training import (
    KINDS,
    in_fixed_order,
    train_tokenizer,
)
from isogloss.errors import InputError, OmissionWarning

PAIRS = made_pairs(60)
MANY = {"en": PAIRS[0] * 9, "ru": [one for one in PAIRS[1] if "зы" in one]}
SIZES = {"unigram": 55, "wordpiece": 150}  # that the texts fill
PROGRAM = """
import hashlib, warnings; warnings.simplefilter("ignore")
from test_tokenizer_training import MANY, SIZES
from isogloss.align.pretraining.tokenizer_training import train_tokenizer
for kind in ("unigram", "wordpiece"):
    found = train_tokenizer(MANY, kind=kind, vocab_size=SIZES[kind]).backend.to_str()
    print(hashlib.sha256(found.encode()).hexdigest())
"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_directory_is_read_and_used_by_transformers(tmp_path: Path, kind: Any) -> None:
    from transformers import AutoTokenizer

    trained = train_tokenizer(MANY, kind=kind, vocab_size=SIZES[kind], max_length=77)
    trained.save(tmp_path / "made")
    assert (tmp_path / "made" / "special_tokens_map.json").is_file()
    loaded = AutoTokenizer.from_pretrained(tmp_path / "made")
    assert (len(loaded), loaded.model_max_length) == (SIZES[kind], 77)
    ids = loaded("fox dog forest school").input_ids
    assert ids[0] == loaded.cls_token_id
    assert ids[-1] == loaded.sep_token_id
    assert any(len(token.strip("▁#")) > 2 for token in loaded.tokenize(" ".join(MANY["en"])))
    assert loaded.decode(ids, skip_special_tokens=True).strip() == "fox dog forest school"
    assert loaded.mask_token_id in loaded(f"the {loaded.mask_token} of").input_ids
    with pytest.raises(InputError, match="already exists"):
        trained.save(tmp_path / "made")
    trained.save(tmp_path / "made", overwrite=True)


def test_equal_runs_are_equal_in_any_process() -> None:
    folder = Path(__file__).parent
    made = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, timeout=100,
        cwd=folder, env={"PYTHONPATH": f"{':'.join(sys.path)}:{folder}"},
    ).stdout  # fmt: skip
    here = [train_tokenizer(MANY, kind=kind, vocab_size=SIZES[kind]) for kind in KINDS]
    assert made.split() == [
        hashlib.sha256(one.backend.to_str().encode()).hexdigest() for one in here
    ]


def test_languages_are_drawn_by_smoothed_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def spied(texts: Iterator[str], *more: object) -> Any:
        seen.extend(texts)
        raise KeyboardInterrupt

    texts = {"en": ["a" * 10] * 900, "de": ["b" * 10] * 100}
    with monkeypatch.context() as patch:
        patch.setattr(tokenizer_training, "_train_wordpiece", lambda _, some, *more: spied(some))
        with pytest.raises(KeyboardInterrupt):
            train_tokenizer(texts, vocab_size=40, smoothing=0.5)
    assert abs(seen.count("a" * 10) - 750) < 60
    assert abs(seen.count("b" * 10) - 250) < 2  # each two or three times
    found = train_tokenizer(texts, vocab_size=40, smoothing=0.3)
    shares = [found.drawn[lang] for lang in texts]
    assert shares[0] / shares[1] == pytest.approx(9**0.3, rel=0.01)
    assert found.counts.sizes == {"en": 9000, "de": 1000}
    assert found.counts.n_texts == {"en": 900, "de": 100}
    bounded = train_tokenizer(texts, vocab_size=40, max_characters=500)
    assert sum(bounded.drawn.values()) == pytest.approx(500, abs=1)


def test_a_small_language_gets_words_of_its_own_where_the_share_is_smoothed() -> None:
    texts = {"en": ["".join(one) for one in permutations("abcdef", 3)] * 50,
             "ru": ["".join(one) for one in permutations("гдежзи", 3)]}  # fmt: skip

    def russian(smoothing: float) -> int:
        found = train_tokenizer(texts, vocab_size=60, smoothing=smoothing).backend.get_vocab()
        return sum(len(one.strip("#")) > 1 and "г" <= one[-1] <= "и" for one in found)

    assert russian(0.0) > russian(1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_case_is_kept_unless_told_otherwise_and_accents_always(kind: Any) -> None:
    texts = {"fr": ["Où est la Forêt", "où est la forêt"] * 9}
    cased = train_tokenizer(texts, kind=kind, vocab_size=70)
    uncased = train_tokenizer(texts, kind=kind, vocab_size=70, cased=False)
    assert cased.backend.encode("Forêt").ids != cased.backend.encode("forêt").ids
    assert uncased.backend.encode("Forêt").ids == uncased.backend.encode("forêt").ids
    assert uncased.backend.encode("forêt").ids != uncased.backend.encode("foret").ids


@pytest.mark.parametrize("kind", KINDS)
def test_rare_characters_without_room_are_counted(kind: Any) -> None:
    texts = {"en": TEXTS}
    with pytest.warns(OmissionWarning, match=r"of \d+ different characters .* become [\[<]"):
        found = train_tokenizer(texts, kind=kind, vocab_size=60)
    assert found.vocab_size <= 60


def test_a_vocabulary_that_the_texts_do_not_fill_is_said() -> None:
    with pytest.warns(UserWarning, match="hold no 501,153"):
        found = train_tokenizer({"en": ["one two"]}, vocab_size=501_153)
    assert found.vocab_size < 100


@pytest.mark.parametrize(
    ("options", "said"),
    [({"kind": "bpe"}, "kind is 'bpe'"), ({"vocab_size": 501_154}, "501,153"),
     ({"smoothing": 2}, "smoothing is 2"), ({"max_length": 2}, "max_length is 2"),
     ({"texts": {"en": ["", " "]}}, "no character"), ({"texts": {"en": []}}, "of 'en' are empty"),
     ({"texts": {"en": iter(["a"])}}, "gone through once"), ({"texts": {"en": "a"}}, "once")],
)  # fmt: skip
def test_what_cannot_be_learned_from_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        train_tokenizer(options.pop("texts", {"en": ["a b"]}), **options)


def test_scores_given_out_by_a_hash_table_are_given_out_anew() -> None:
    learned = [("ab", -2.0), ("c", -9.0001), ("a", -3.0), ("b", -9.0002), ("cab", -9.0003)]
    other = [("cab", -9.0003 + 1e-12), ("b", -9.0001), ("ab", -2.0), ("a", -3.0), ("c", -9.0002)]
    found = in_fixed_order(learned)
    assert found == in_fixed_order(other)
    assert dict(found) == {"ab": -2.0, "a": -3.0, "b": -9.0001, "c": -9.0002, "cab": -9.0003}


def test_the_manifest_says_what_was_learned_from(tmp_path: Path) -> None:
    train_tokenizer(MANY, vocab_size=150).save(tmp_path / "made")
    facts = json.loads((tmp_path / "made" / "manifest.json").read_text())
    assert facts["format"] == "isogloss tokenizer 1"
    assert set(facts["drawn"]) == {"en", "ru"}

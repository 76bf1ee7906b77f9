"""Pairs of a TSV: a row of names, sides in another order, one language twice."""

import warnings
from pathlib import Path

import pytest

from isogloss.data.pairs import pair_blocks, parse_pair_file, read_pairs
from isogloss.errors import InputError, OmissionWarning

THINGS = {
    "bank": "Die Bank", "school": "Die Schule", "church": "Die Kirche", "museum": "Das Museum",
    "market": "Der Markt", "bridge": "Die Brücke", "station": "Der Bahnhof", "harbour": "Der Hafen",
    "theatre": "Das Theater", "garden": "Der Garten", "library": "Die Bücherei",
    "factory": "Die Fabrik",
}  # fmt: skip
ENGLISH = [f"The {thing} in the old town was closed for a week." for thing in THINGS]
GERMAN = [f"{ding} in der alten Stadt war eine Woche lang geschlossen." for ding in THINGS.values()]


def write(path: Path, firsts: list[str], seconds: list[str]) -> str:
    rows = [f"{one}\t{other}\n" for one, other in zip(firsts, seconds, strict=True)]
    path.write_text("".join(rows), "utf-8")
    return f"={path}"


@pytest.mark.parametrize(
    ("langs", "names"),
    [("en-de", "en\tde"), ("en-deu", "EN\tdeu"), ("en-deu", "en\tde"), ("en-de", "Source\ttarget")],
)
def test_a_row_that_names_the_columns_is_no_pair(tmp_path: Path, langs: str, names: str) -> None:
    place = write(
        tmp_path / "p.tsv", [names.split("\t")[0], *ENGLISH], [names.split("\t")[1], *GERMAN]
    )
    with pytest.warns(OmissionWarning, match=r"p\.tsv:1: the row '.*' names the columns; it is no"):
        found = read_pairs(parse_pair_file(langs + place))
    assert (found.firsts, found.seconds) == (ENGLISH, GERMAN)


def test_names_in_the_other_order_are_refused(tmp_path: Path) -> None:
    for names in (("de", "en"), ("target", "source")):
        place = write(tmp_path / "p.tsv", [names[0], *GERMAN], [names[1], *ENGLISH])
        with pytest.raises(
            InputError, match=r"p\.tsv:1: the columns are named .*say --pairs de-en"
        ):
            read_pairs(parse_pair_file(f"en-de{place}"))


def test_names_further_down_are_a_pair(tmp_path: Path) -> None:
    place = write(tmp_path / "p.tsv", ["Hello", "en", "source"], ["Hallo", "de", "target"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read_pairs(parse_pair_file(f"en-de{place}"))
    assert found.firsts == ["Hello", "en", "source"]


def test_sides_in_another_order_are_said(tmp_path: Path) -> None:
    place = write(tmp_path / "p.tsv", ENGLISH, GERMAN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_pairs(parse_pair_file(f"en-de{place}"))
        read_pairs(parse_pair_file(f"en-fr{place}"))  # another language, but no other order
        [*pair_blocks(parse_pair_file(f"de-en{place}"))]  # whose reader judges languages itself
    with pytest.warns(UserWarning, match="first side is in en and the second in de, in 1. of 1. "):
        found = read_pairs(parse_pair_file(f"de-en{place}"))
    assert found.firsts == ENGLISH


def test_few_rows_and_short_ones_tell_no_order(tmp_path: Path) -> None:
    few = write(tmp_path / "few.tsv", ENGLISH[:5], GERMAN[:5])
    short = write(tmp_path / "short.tsv", ["bank", "school"] * 10, ["Bank", "Schule"] * 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for place in (few, short):
            read_pairs(parse_pair_file(f"de-en{place}"))


@pytest.mark.parametrize("value", ["en-en=p.tsv", "en-eng=p.tsv", "nb-no=p.tsv"])
def test_a_language_with_itself_is_refused(value: str) -> None:
    with pytest.raises(InputError, match=r"has pairs of .. with itself; name two languages"):
        parse_pair_file(value)

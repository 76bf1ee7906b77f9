"""The summary of many parts: what it adds up, and that one footer at a time is in memory."""

import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow
import pytest
from pyarrow import parquet

from isogloss.classify.answers.parts import summary_of
from isogloss.encode.parts import EncodeCounts
from isogloss.errors import InputError
from isogloss.kb.link.parts import LinkCounts
from isogloss.limits import Count
from isogloss.parts.footer import KEY, PartFooter, RunFacts, SourceFacts, read_footer
from isogloss.parts.summary import FooterTotals, summary_document
from isogloss.storage.sealed import sealed
from isogloss.tag.raw.parts import TagPartCounts

RUN = RunFacts("count", "letters", "f1", {})


class OfLanguage(msgspec.Struct):
    linked: Count


class Counts(msgspec.Struct):
    n: Count
    languages: dict[str, OfLanguage]


def footer_of(number: int) -> PartFooter:
    versions = {"isogloss": "1" if number % 2 else "2"}
    facts = {"n": number, "languages": {"de": {"linked": 1}}}
    source = SourceFacts(f"{number}.csv", 1, f"{number:064}")
    return PartFooter(source, RUN, RUN.settings_hash, versions, number, 0.5, facts)


def footer_with(facts: dict[str, Any]) -> PartFooter:
    return msgspec.structs.replace(footer_of(0), facts=facts)


def test_parts_are_added_up() -> None:
    found = summary_document((footer_of(number) for number in range(4)), name="in", counts=Counts)
    assert found["data"] | {"sha256": ""} == {
        "name": "in", "sha256": "", "n_parts": 4, "n_parts_without_rows": 1, "n_rows": 6,
    }  # fmt: skip
    assert found["counts"] == {"n": 6, "languages": {"de": {"linked": 4}}}
    assert (found["versions"], found["seconds"]) == ({"isogloss": "2, 1"}, 2.0)


def test_the_hash_of_sources_is_of_names_and_contents_in_any_order() -> None:
    def hashed(*numbers: int) -> str:
        totals = FooterTotals()
        assert len(list(totals.through(map(footer_of, numbers)))) == len(numbers)
        return totals.sources_hash

    assert hashed(1, 2, 3) == hashed(3, 1, 2) != hashed(1, 2)


def test_counts_of_another_version_say_one_sentence() -> None:
    counted = summary_of([footer_with({"languages": []})], name="in", labels=[], audits={})
    assert (counted.data.n_rows, counted.languages) == (0, [])
    older = footer_with({"languages": [{"lang": "de", "n": 1}]})
    with pytest.raises(InputError, match=r"0\.csv: damaged.*status.*; isogloss 2 made its part"):
        summary_of([older], name="in", labels=[], audits={})


@pytest.mark.parametrize(
    ("counts", "facts"),
    [
        (Counts, {"n": 1, "languages": {"de": {"linked": 2}}}),
        (EncodeCounts, {"n": 1, "n_cut": 0}),
        (LinkCounts, {"languages": {"de": {"n": 1, "linked": 1}}, "n_dropped": 0}),
        (TagPartCounts, {"languages": {"de": {"n": 1, "n_words": 1}}, "n_without_piece": 0}),
    ],
)
def test_facts_of_other_kinds_say_one_sentence(
    counts: type[msgspec.Struct], facts: dict[str, Any]
) -> None:
    def summary(*of: dict[str, Any]) -> dict[str, Any]:
        return summary_document(map(footer_with, of), name="in", counts=counts)

    assert summary(facts)["counts"] == facts
    odd = [{}, *({name: facts[name]} for name in facts if len(facts) > 1)]
    values: tuple[Any, ...] = ("1", None, -1, 1.5, [1], {"a": 1}, {"de": {"n": 1}})
    odd += [facts | {name: value} for name in facts for value in values]
    for one in odd:
        with pytest.raises(InputError, match=r"0\.csv: damaged.*; isogloss 2 made its part; name"):
            summary(facts, one)


def test_a_part_in_another_version_of_its_format_says_so(tmp_path: Path) -> None:
    table = pyarrow.table({"n": pyarrow.array([], pyarrow.int64())})
    for version, said in ((2, "was written in version 2 of the format, this isogloss reads"),
                          (1, None)):  # fmt: skip
        document = json.loads(footer_of(0).entries()[KEY]) | {"version": version}
        entry = {KEY: json.dumps(sealed(document))}
        parquet.write_table(table.replace_schema_metadata(entry), tmp_path / "a.parquet")
        if said is None:
            assert read_footer(tmp_path / "a.parquet") == footer_of(0)
            continue
        with pytest.raises(InputError, match=said):
            read_footer(tmp_path / "a.parquet")


def test_of_many_footers_few_are_in_memory() -> None:
    most = 0

    def found() -> Iterator[PartFooter]:
        nonlocal most
        for number in range(50):
            yield footer_of(number)
            if number % 10 == 9:
                alive = sum(isinstance(one, PartFooter) for one in gc.get_objects())
                most = max(most, alive)

    summary_document(found(), name="in", counts=Counts)
    assert 0 < most <= 3

import bz2
import gzip
import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT
from written_entities import array, item, line, reference_to, statement

from isogloss.errors import InputError
from isogloss.wiki.wikidata import lines as wikidata_lines
from isogloss.wiki.wikidata.columns import (
    ALIAS,
    BROKEN,
    GAPS,
    LABEL,
    TITLE,
    WikidataChoice,
    WikidataEntities,
    parse_entities,
)
from isogloss.wiki.wikidata.json import parse_entity
from isogloss.wiki.wikidata.lines import DumpLines
from isogloss.workers import map_blocks

SAMPLE = ROOT / "../shared/data/wikidata/samples/entities.json.gz"
ALL = WikidataChoice()
BERLIN = item(
    64,
    {"en": "Berlin", "ja": "ベルリン", "be-tarask": "Бэрлін", "en-gb": "Berlin, Germany"},
    {"de": ["Berlin, Deutschland", "Spree-Athen"]},
    {"dewiki": "Berlin", "zh_yuewiki": "柏林", "commonswiki": "Berlin", "dewikiquote": "Berlin"},
    [515, 1549591],
)


def rows(found: WikidataEntities) -> list[tuple[int, str, int, str]]:
    """Return the names as (item, language, kind, name)."""
    owner = [
        int(number)
        for i, number in enumerate(found.ids)
        for _ in range(found.name_offsets[i], found.name_offsets[i + 1])
    ]
    langs = [found.langs[i] for i in found.name_lang]
    return list(zip(owner, langs, found.name_kind.tolist(), found.names(), strict=True))


def test_an_item_gives_its_names_articles_and_classes() -> None:
    found = parse_entities(array(BERLIN), ALL)
    assert found.ids.tolist() == [64]
    assert found.n_sitelinks.tolist() == [2]  # Wikipedias alone
    assert found.classes.tolist() == [515, 1549591]
    assert rows(found) == [
        (64, "en", LABEL, "Berlin"),
        (64, "ja", LABEL, "ベルリン"),
        (64, "be-tarask", LABEL, "Бэрлін"),
        (64, "en-GB", LABEL, "Berlin, Germany"),
        (64, "de", TITLE, "Berlin"),
        (64, "yue", TITLE, "柏林"),
        (64, "de", ALIAS, "Berlin, Deutschland"),
        (64, "de", ALIAS, "Spree-Athen"),
    ]


def test_an_array_and_lines_are_the_same() -> None:
    entities = [BERLIN, item(65), item(5, {"en": "human"})]
    lines = b"\r\n".join(line(entity) for entity in entities)
    one_by_one = b"[" + b"\n,".join(line(entity) for entity in entities) + b"]"
    expected = parse_entities(array(*entities), ALL).to_bytes()
    assert parse_entities(lines, ALL).to_bytes() == expected
    assert parse_entities(b"\xef\xbb\xbf" + one_by_one, ALL).to_bytes() == expected


def test_names_in_languages_wanted_their_parents_variants_and_for_any_are_kept() -> None:
    labels = {"en": "a", "en-gb": "b", "zh-hant": "c", "arz": "d", "ar": "e", "mul": "f", "de": "g"}
    block = line(item(1, labels, {"nosuch": ["x", "y"]}, {"arzwiki": "h", "frwiki": "i"}))
    found = parse_entities(block, WikidataChoice(("en-GB", "arz")))
    assert [name for _, _, _, name in rows(found)] == ["a", "b", "d", "e", "f", "h"]
    assert found.n_sitelinks.tolist() == [2]
    assert found.counts == {"items": 1, "names in unknown languages": 2}


def test_items_with_few_articles_and_pages_of_wikis_are_left_out_and_counted() -> None:
    block = array(
        item(1, {"en": "a"}, titles={"enwiki": "A", "commonswiki": "A"}),
        item(2, {"en": "b"}, titles={"enwiki": "B", "frwiki": "B"}),
        item(3, {"en": "c"}, titles={"enwiki": "C", "frwiki": "C"}, classes=[4167410]),
    )
    found = parse_entities(block, WikidataChoice(min_sitelinks=2))
    assert found.ids.tolist() == [2]
    assert found.counts == {
        "items": 1,
        "items with too few sitelinks": 1,
        "items about pages of wikis": 1,
    }


def test_other_entities_are_counted_by_kind() -> None:
    others = [
        {"type": "lexeme", "id": "L1", "lemmas": {}},
        {"id": "P1", "type": "property"},
        {"type": "mediainfo", "id": "M1"},
    ]
    found = parse_entities(array(*others), ALL)
    assert found.counts == {"lexemes": 1, "properties": 1, "entities of other kinds": 1}


def test_redirected_ids_are_read_in_both_forms() -> None:
    there = {"redirects": {"from": "Q2", "to": "Q64"}, **BERLIN}
    found = parse_entities(array({"entity": "Q1", "redirect": "Q64"}, there), ALL)
    assert found.redirects.tolist() == [[1, 64], [2, 64]]
    assert found.ids.tolist() == [64]


@pytest.mark.parametrize(
    "claims",
    [
        {"P31": [statement("P31", reference_to(5))]},
        {"P31": [statement("P31", reference_to(5))], "P17": [statement("P17", reference_to(6))]},
        {"P17": [statement("P17", reference_to(6))], "P31": [statement("P31", reference_to(5))]},
        {"P31": [{"id": "x", **statement("P31", reference_to(5))}]},  # in another order
        {"P31": [statement("P31", {"entity-type": "item", "numeric-id": 5})]},  # before 2017
        {"P31": [statement("P31", reference_to(4), rank="deprecated"),
                 statement("P31", reference_to(5), rank="preferred")]},
        {"P31": [{**statement("P31", reference_to(5))}, {"mainsnak": {"snaktype": "novalue"}}]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("spaced", [False, True])
def test_classes_are_found_wherever_they_stand(claims: dict[str, Any], spaced: bool) -> None:
    entity = item(1, {"en": "a"}, titles={"enwiki": "A"}, claims=claims)
    text = json.dumps(entity).encode() if spaced else line(entity)
    assert parse_entity(text).classes() == [5]
    found = parse_entities(text, ALL)
    assert (found.counts, found.n_sitelinks.tolist()) == ({"items": 1}, [1])


def test_p31_elsewhere_is_no_class() -> None:
    entity = item(1, claims={"P17": [statement("P17", reference_to(6))]})
    assert parse_entity(line(entity)).classes() == []


DAMAGED = {
    "cut in the labels": line(BERLIN)[:60],
    "cut in the statements": line(BERLIN)[:900],
    "cut at the end": line(BERLIN)[:-3],
    "two in one line": line(BERLIN) + line(BERLIN),
    "two with a lost line end": line(BERLIN) + b",?" + line(item(65)),
    "no JSON": b"<page>",
    "not UTF-8": line(BERLIN).replace(b"Spree", b"\xff\xfe"),
    "an array": b"[1, 2]",
    "a list of labels": b'{"type":"item","id":"Q1","labels":["a"],"claims":[],"sitelinks":[]}',
    "labels that are numbers": b'{"type":"item","id":"Q1","labels":{"en":{"value":1}}}',
    "half a character": b'{"type":"item","id":"Q1","labels":{"en":{"value":"\\ud800"}}}',
    "no id": b'{"type":"item","labels":[]}',
    "an id without end": b'{"type":"item","id":"Q' + b"1" * 99 + b'"}',
    "an id in other digits": '{"type":"item","id":"Q٣"}'.encode(),
    "nested deeply": b'{"type":"item","id":"Q1","labels":' + b"[" * 100_000,
    "nested deeply, whole": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a redirect to nothing": b'{"entity":"Q1","redirect":"x"}',
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_line_is_counted_and_costs_no_other(kind: str) -> None:
    block = line(item(1, {"en": "a"})) + b",\n" + DAMAGED[kind] + b",\n" + line(item(2)) + b"\n"
    found = parse_entities(block, ALL)
    assert found.ids.tolist() == [1, 2]
    assert found.counts == {"items": 2, BROKEN: 1}
    assert found.n_sitelinks.tolist() == [0, 0]


def test_random_damage_never_raises_and_no_line_goes_uncounted() -> None:
    rng = random.Random(0)
    entities = [BERLIN, item(5, {"en": "human"}), {"type": "lexeme", "id": "L1"}]
    for _ in range(400):
        block = bytearray(array(*entities))
        for _ in range(rng.randint(1, 8)):
            block[rng.randrange(len(block))] = rng.randrange(256)
        found = parse_entities(bytes(block), ALL)
        n_lines = sum(1 for part in block.split(b"\n") if part.strip(b",][ \t\r"))
        assert abs(found.counts.total() - found.counts["names in unknown languages"] - n_lines) <= 1


def test_blocks_join_to_what_the_whole_gives() -> None:
    blocks = [array(item(i, {lang: f"{i}"}, classes=[i])) for i, lang in ((1, "ja"), (2, "de"))]
    joined = WikidataEntities.joined([parse_entities(block, ALL) for block in blocks])
    assert joined.to_bytes() == parse_entities(b"".join(blocks), ALL).to_bytes()
    again = WikidataEntities.from_bytes(joined.to_bytes())
    assert (again.to_bytes(), again.langs) == (joined.to_bytes(), ("ja", "de"))


def test_the_sample_is_read_as_json_reads_it() -> None:
    if not SAMPLE.exists():
        pytest.skip("the evaluation data is not there")
    text = gzip.decompress(SAMPLE.read_bytes())
    entities = json.loads(text)
    found = parse_entities(text, ALL)
    items = [entity for entity in entities if entity["type"] == "item"]
    assert found.counts == Counter(items=13, properties=5, lexemes=29)
    assert [f"Q{number}" for number in found.ids] == [entity["id"] for entity in items]
    classes = [
        claim["mainsnak"]["datavalue"]["value"]["numeric-id"]
        for entity in items
        for claim in dict(entity["claims"]).get("P31", [])
        if claim["rank"] != "deprecated"
    ]
    assert found.classes.tolist() == classes
    labels = [label["value"] for entity in items for label in dict(entity["labels"]).values()]
    assert [name for _, _, kind, name in rows(found) if kind == LABEL] == labels
    assert found.n_sitelinks.sum() == 2


MANY = array(*(item(i, {"en": f"name {i}", "ja": f"名{i}"}, classes=[i]) for i in range(1, 300)))


def packed(kind: str) -> bytes:
    if kind == "zst":
        return pytest.importorskip("zstandard").ZstdCompressor().compress(MANY)
    halves = MANY[: len(MANY) // 2], MANY[len(MANY) // 2 :]
    pack: dict[str, Callable[[], bytes]] = {
        "plain": lambda: MANY,
        "gz": lambda: gzip.compress(MANY),
        "gz, two": lambda: b"".join(gzip.compress(half) for half in halves),
        "bz2": lambda: bz2.compress(MANY),
        "bz2, two": lambda: b"".join(bz2.compress(half) for half in halves),
    }
    return pack[kind]()


KINDS = ["plain", "gz", "gz, two", "bz2", "bz2, two", "zst"]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikidata_lines, "BLOCK", 5000)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", KINDS)
def test_a_dump_goes_on_after_any_block(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_bytes(packed(kind))
    blocks = list(DumpLines(path).blocks())
    assert b"".join(block.data for block in blocks) == MANY
    assert len(blocks) > 20
    assert all(block.data.endswith(b"\n") for block in blocks)
    for n in (1, len(blocks) // 2, len(blocks) - 1, len(blocks)):
        lines = DumpLines(path, start=blocks[n - 1].end)
        assert list(lines.blocks()) == blocks[n:]
        assert not lines.dropped


@pytest.mark.usefixtures("small_blocks")
def test_standard_input_goes_on_only_where_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def pipe(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    pipe(packed("gz, two"))
    blocks = list(DumpLines(Path("-")).blocks())
    start = blocks[len(blocks) - 3].end
    pipe(packed("bz2"))
    assert list(DumpLines(Path("-"), start=start).blocks()) == blocks[-2:]
    pipe(MANY.replace(b"name 7", b"name 8"))
    with pytest.raises(InputError, match="standard input is not what it was"):
        list(DumpLines(Path("-"), start=start).blocks())
    pipe(MANY[:9000])
    with pytest.raises(InputError, match="ends before the place"):
        list(DumpLines(Path("-"), start=start).blocks())


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_cut_dump_gives_what_it_holds_and_says_so(
    kind: str, share: float, tmp_path: Path
) -> None:
    path = tmp_path / "dump.json"
    data = packed(kind)
    path.write_bytes(data[: int(share * len(data))])
    lines = DumpLines(path)
    found = [parse_entities(block.data, ALL) for block in lines.blocks()]
    ids = [number for part in found for number in part.ids.tolist()]
    assert ids == list(range(1, len(ids) + 1))
    assert lines.dropped
    n_gaps = sum(part.counts[GAPS] for part in found)
    assert n_gaps == lines.dropped.n_streams
    assert n_gaps or lines.dropped.ends_early or any(part.counts[BROKEN] for part in found)


@pytest.mark.parametrize("end", [b",\n", b"[\n", b""])
def test_a_missing_end_is_noticed(end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_bytes(b"[\n" + line(BERLIN) + end)
    lines = DumpLines(path)
    assert len(list(lines.blocks())) == 1
    assert lines.dropped.ends_early == bool(end)


@pytest.mark.usefixtures("small_blocks")
def test_a_line_that_is_too_long_is_left_out_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikidata_lines, "LONGEST_LINE", 1 << 21)
    path = tmp_path / "dump.json"
    huge, larger = (line(item(n, {"en": "a" * size})) for n, size in ((3, 1 << 20), (4, 9 << 20)))
    few, more = (b",\n".join(line(item(i)) for i in ids) for ids in ((1, 2), (5, 6)))
    path.write_bytes(b",\n".join([few, huge, larger, more]) + b"\n")
    blocks = list(DumpLines(path).blocks())
    found = WikidataEntities.joined([parse_entities(block.data, ALL) for block in blocks])
    assert found.ids.tolist() == [1, 2, 3, 5, 6]
    assert found.counts == {"items": 5}
    assert sum(block.n_too_long for block in blocks) == 1
    path.write_bytes(few + b",\n" + larger)
    lines = DumpLines(path)
    assert sum(block.n_too_long for block in lines.blocks()) == 1
    assert lines.dropped.ends_early


def test_workers_give_the_same_in_the_same_order() -> None:
    blocks = [array(item(i, {"en": f"{i}"})) for i in range(9)]
    expected = [(block, parse_entities(block, ALL).to_bytes()) for block in blocks]
    for n in (1, 2):
        found = map_blocks("isogloss.wiki.wikidata.columns", [None, 0], blocks, bytes, workers=n)
        assert list(found) == expected


def test_a_worker_that_is_killed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deadly.py").write_text(
        "import os, signal\ndef worker(_):\n    return lambda _: os.kill(os.getpid(), 9)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(InputError, match=r"a worker process was killed \(signal 9\)"):
        list(map_blocks("deadly", None, [b"a", b"b"], bytes, workers=2))

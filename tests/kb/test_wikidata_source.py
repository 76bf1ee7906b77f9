import bz2
import gzip
import io
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.main import main
from isogloss.errors import InputError, LossWarning
from isogloss.kb import KnowledgeBase, build_knowledge_base, wikidata_parts
from isogloss.kb.wikidata_source import work_folder
from isogloss.wiki import wikidata_lines
from isogloss.wiki.wikidata import WikidataChoice

SAMPLE = Path(__file__).resolve().parents[2] / "../shared/data/wikidata/samples/entities.json.gz"
Named = dict[str, list[str]]


def item(
    number: int,
    names: Named | None = None,
    titles: dict[str, str] | None = None,
    classes: list[int] | None = None,
) -> dict[str, Any]:
    """Return an item: its names are a label and aliases for each language tag, "" for no label."""
    names, titles = names or {}, {"testwiki": "", **(titles or {})}
    value = [{"value": {"id": f"Q{cls}"}} for cls in classes or []]
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {tag: {"value": listed[0]} for tag, listed in names.items() if listed[0]},
        "aliases": {tag: [{"value": a} for a in listed[1:]] for tag, listed in names.items()},
        "claims": {"P31": [{"mainsnak": {"datavalue": one}} for one in value]} if value else [],
        "sitelinks": {site: {"title": title} for site, title in titles.items()},
    }


def write_dump(path: Path, *entities: dict[str, Any]) -> Path:
    lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in entities)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    return path


def built(tmp_path: Path, *entities: dict[str, Any], **options: Any) -> KnowledgeBase:
    dump = write_dump(tmp_path / "dump.json", *entities)
    options = {"min_sitelinks": 0, "workers": 1, **options}
    build_knowledge_base([f"wikidata:{dump}"], tmp_path / "kb", **options)
    return KnowledgeBase.open(tmp_path / "kb")


def title(kb: KnowledgeBase, entity: str, lang: str) -> str | None:
    return kb.title(kb.index_of(entity), lang)


def candidates(kb: KnowledgeBase, text: str, lang: str) -> dict[str, float]:
    mentions = kb.linker(lang).link([text]).mentions(0)
    return {c.entity: round(c.commonness, 3) for m in mentions for c in m.candidates}


def test_labels_titles_without_brackets_and_aliases_are_names(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        item(1, {"en": ["Mercury", "Swift planet"]}, {"jawiki": "水星（惑星）", "enwiki": "M (x)"}),
        item(2, {"de": ["", "Spree-Athen"]}, {"dewiki": "Berlin (Stadt) (alt)"}),
    )
    assert title(kb, "Q1", "en") == "Mercury"
    assert title(kb, "Q1", "ja") == "水星"
    assert title(kb, "Q2", "de") == "Berlin (Stadt)"
    assert candidates(kb, "The Swift planet", "en") == {"Q1": 1.0}
    assert candidates(kb, "In Spree-Athen", "de") == {"Q2": 1.0}


def test_wikipedias_with_an_article_are_the_prior(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        item(90, {"en": ["Paris"]}, {"enwiki": "Paris", "frwiki": "Paris", "commonswiki": "Paris"}),
        item(830149, {"en": ["Paris"]}, {"enwiki": "Paris, Texas"}),
        item(3, {"en": ["Paris"]}),
    )
    assert candidates(kb, "Paris", "en") == {"Q90": 0.5, "Q830149": 0.333, "Q3": 0.167}


def test_min_sitelinks_leaves_items_out(tmp_path: Path) -> None:
    entities = [
        item(1, {"en": ["Aa"]}),
        item(2, {"en": ["Bb"]}, {"enwiki": "Bb"}),
        item(3, {"en": ["Cc"]}, {"enwiki": "Cc", "dewiki": "Cc"}),
    ]
    for least, expected in ((0, 3), (1, 2), (2, 1)):
        kb = built(tmp_path, *entities, min_sitelinks=least, overwrite=True)
        assert kb.n_entities == expected
    with pytest.raises(InputError, match=r"no item to keep \(items with too few sitelinks: 3\)"):
        built(tmp_path, *entities, min_sitelinks=3, overwrite=True)
    assert {path.name for path in tmp_path.iterdir()} == {"dump.json", "kb"}


def test_types_are_labels_of_classes_in_the_dump_and_else_their_ids(tmp_path: Path) -> None:
    entities = [
        item(1, {"ja": ["東京"], "en": ["Tokyo"]}, classes=[515, 9, 8]),
        item(515, {"ja": ["都市"], "en": ["city"]}),
        item(8, {"ja": ["首都"]}),
    ]
    kb = built(tmp_path, *entities)
    assert kb.types(kb.index_of("Q1")) == ("city", "Q9", "首都")
    kb = built(tmp_path, *entities, langs=["ja"], overwrite=True)
    assert kb.types(kb.index_of("Q1")) == ("都市", "Q9", "首都")


def test_redirected_ids_lead_to_their_item(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        {"entity": "Q7", "redirect": "Q6"},
        {"entity": "Q6", "redirect": "Q1"},
        item(1, {"en": ["Tokyo"]}),
        {"entity": "Q4", "redirect": "Q3"},
        {"entity": "Q3", "redirect": "Q4"},
        {"entity": "Q2", "redirect": "Q99"},
    )
    assert kb.n_entities == 1
    assert kb.index_of("Q7") == kb.index_of("Q6") == kb.index_of("Q1") == 0
    assert kb.entity_id(0) == "Q1"
    for unknown in ("Q2", "Q3"):
        with pytest.raises(InputError):
            kb.index_of(unknown)


def test_variants_go_under_their_language_behind_its_own_names(tmp_path: Path) -> None:
    names = {
        "en-gb": ["Colour"],
        "en": ["Color", "Hue"],
        "zh-hans": ["颜色"],
        "zh-hk": ["顏色"],
        "be-x-old": ["Колер"],
        "pt-br": ["Cor"],
        "tokipona": ["kule"],
    }
    kb = built(tmp_path, item(1, names))
    assert kb.languages == ("be-tarask", "en", "pt", "zh", "zh-Hant")
    assert title(kb, "Q1", "en") == "Color"
    assert candidates(kb, "Colour", "en") == candidates(kb, "Hue", "en") == {"Q1": 1.0}
    assert kb.info()["sources"][0]["counts"]["names in unknown languages"] == 1
    assert kb.info()["fallbacks"]["en-GB"] == {"to": "en", "n_names": 1}
    kb = built(tmp_path, item(1, names), langs=["be", "en-GB", "zh-Hant"], overwrite=True)
    assert title(kb, "Q1", "be") == "Колер"
    assert title(kb, "Q1", "en-GB") == "Colour"
    assert title(kb, "Q1", "zh-Hant") == "顏色"


def test_labels_for_any_language_serve_where_there_is_none(tmp_path: Path) -> None:
    entities = [
        item(1, {"mul": ["Ada Lovelace", "Ada King"], "ja": ["エイダ"]}, {"frwiki": "A. Lovelace"}),
        item(2, {"mul": ["Kraftwerk"]}),
    ]
    kb = built(tmp_path, *entities, langs=["en", "ja", "fr", "sw"])
    assert [title(kb, "Q1", lang) for lang in ("en", "ja", "fr", "sw")] == [
        "Ada Lovelace", "エイダ", "A. Lovelace", "Ada Lovelace",
    ]  # fmt: skip
    assert candidates(kb, "Ada Lovelace, Ada King", "fr") == {"Q1": 1.0}
    assert candidates(kb, "Ada King", "ja") == {}
    kb = built(tmp_path, *entities, overwrite=True)
    assert kb.languages == ("en", "fr", "ja")
    assert title(kb, "Q2", "en") == "Kraftwerk"


def test_items_and_names_left_out_are_counted(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        item(1, {"en": ["a b", " ", "x" * 201]}),
        item(2, {"de": ["Bb"]}),
        {"type": "lexeme", "id": "L1"},
        langs=["en"],
    )
    source = kb.info()["sources"][0]
    assert (source["n_entities"], source["n_names"], source["n_bad_lines"]) == (1, 1, 0)
    assert source["counts"] == {
        "items": 2,
        "items without a name in a language wanted": 1,
        "lexemes": 1,
        "names that are empty or too long": 2,
    }


def test_items_join_those_of_other_sources(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.json", item(183, {"en": ["Germany"]}))
    names = tmp_path / "names.jsonl"
    record = {"id": "my:de", "names": {"en": ["Deutschland"]}, "same_as": ["Q183"]}
    names.write_text(json.dumps(record))
    build_knowledge_base(
        [f"names:{names}", f"wikidata:{dump}"], tmp_path / "kb", min_sitelinks=0, workers=1
    )
    kb = KnowledgeBase.open(tmp_path / "kb")
    assert (kb.n_entities, kb.entity_id(0), kb.index_of("my:de")) == (1, "Q183", 0)


MANY = [
    item(i, {"en": [f"Name{i}"], "ja": [f"名{i}"]}, {"enwiki": f"Name{i} (x)"}, [i % 7 + 1])
    for i in range(1, 400)
]


def contents(kb: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(kb)): path.read_bytes() for path in kb.rglob("*") if path.is_file()
    }


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikidata_lines, "BLOCK", 2000)
    monkeypatch.setattr(wikidata_parts, "BLOCKS_PER_PART", 2)


@pytest.mark.usefixtures("small_parts")
def test_workers_and_compression_change_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = write_dump(tmp_path / "dump.json", *MANY)
    plain = dump.read_bytes()
    (tmp_path / "two").mkdir()
    (tmp_path / "gz").mkdir()
    (tmp_path / "two/dump.json").write_bytes(plain)
    (tmp_path / "gz/dump.json").write_bytes(gzip.compress(plain))
    expected = None
    for folder, workers in (("", 1), ("two", 2), ("gz", 1)):
        out = tmp_path / f"kb{folder}"
        build_knowledge_base([f"wikidata:{tmp_path / folder / 'dump.json'}"], out, workers=workers)
        expected = expected or contents(out)
        assert contents(out) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bz2.compress(plain))))
    build_knowledge_base(["wikidata:-"], tmp_path / "kb-", workers=1)
    piped, known = contents(tmp_path / "kb-"), dict(expected or {})
    assert piped.pop("manifest.json") != known.pop("manifest.json")  # the source's name
    assert piped == known
    assert not list(tmp_path.glob(".*"))


SCRIPT = """
import sys
from pathlib import Path
from isogloss.kb import build_knowledge_base, wikidata_parts
from isogloss.wiki import wikidata_lines
wikidata_lines.BLOCK, wikidata_parts.BLOCKS_PER_PART = 2000, 2
build_knowledge_base([f"wikidata:{sys.argv[1]}"], Path(sys.argv[2]), workers=int(sys.argv[3]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    "n_kills", [pytest.param(2, id="2"), pytest.param(20, id="20", marks=pytest.mark.full)]
)
def test_a_killed_build_goes_on_to_the_same_bytes(n_kills: int, tmp_path: Path) -> None:
    rng = random.Random(n_kills)
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    build_knowledge_base([f"wikidata:{dump}"], out, workers=1)
    expected = contents(out)
    n_parts = dump.stat().st_size // 4000  # a little less than there will be
    (tmp_path / "again").mkdir()
    out = tmp_path / "again/kb"
    command = [sys.executable, "-c", SCRIPT, str(dump), str(out)]
    n_killed = 0
    for least in sorted(rng.sample(range(n_parts - 2), n_kills)):
        process = subprocess.Popen([*command, str(rng.choice([1, 2]))])
        while process.poll() is None and len(list(out.parent.glob(".kb.*/0*"))) < least:
            time.sleep(0.001)
        time.sleep(rng.choice([0, 0, 0.01, 0.1]))
        process.kill()
        n_killed += process.wait() == -signal.SIGKILL
        if out.exists():  # it was too fast
            assert contents(out) == expected
            shutil.rmtree(out)
    assert n_killed
    subprocess.run([*command, "1"], check=True)
    assert contents(out) == expected
    assert not list(out.parent.glob(".kb.*/0*"))


@pytest.mark.usefixtures("small_parts")
def test_parts_are_used_again_only_for_the_same_dump_and_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    parsed: list[int] = []
    real = wikidata_parts.map_blocks

    def stopping(*arguments: Any, **options: Any) -> Any:
        for number, result in enumerate(real(*arguments, **options)):
            parsed.append(number)
            if len(parsed) == n_before_stop:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(wikidata_parts, "map_blocks", stopping)

    def run(**options: Any) -> int:
        parsed.clear()
        build_knowledge_base([f"wikidata:{dump}"], out, workers=1, overwrite=True, **options)
        return len(parsed)

    def interrupt() -> None:
        nonlocal n_before_stop
        n_before_stop = 11
        with pytest.raises(KeyboardInterrupt):
            run()
        n_before_stop = -1

    n_before_stop = -1
    whole = run()
    interrupt()
    assert run() == whole - 10
    interrupt()
    assert run(langs=["en"]) == whole
    interrupt()
    assert run(min_sitelinks=0) == whole
    interrupt()
    write_dump(dump, *MANY, item(999, {"en": ["new"]}, {"enwiki": "New"}))
    assert run() >= whole


@pytest.mark.usefixtures("small_parts")
def test_two_builds_do_not_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is refused, and neither removes nor changes what the first has read."""
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    source, said, real = f"wikidata:{dump}", [], wikidata_parts.map_blocks
    folder = work_folder(out, source)

    def there() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def meeting(*arguments: Any, **options: Any) -> Any:
        for number, result in enumerate(real(*arguments, **options)):
            if number == 9:
                before = there()
                for langs in (None, ["en"]):
                    with pytest.raises(InputError) as error:
                        build_knowledge_base([source], out, langs=langs, workers=1)
                    said.append(str(error.value))
                assert there() == before
                assert wikidata_parts.part_files(folder)
            yield result

    build_knowledge_base([source], tmp_path / "alone", workers=1)
    with monkeypatch.context() as patch:
        patch.setattr(wikidata_parts, "map_blocks", meeting)
        build_knowledge_base([source], out, workers=1)
    refused = f"{folder}: is in use by another run; wait for its end, or give another --out"
    assert said == [refused] * 2
    assert contents(out) == contents(tmp_path / "alone")
    assert not folder.exists()


@pytest.mark.usefixtures("small_parts")
def test_parts_of_another_version_are_read_again_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    source = f"wikidata:{dump}"
    folder = work_folder(out, source)
    with monkeypatch.context() as patch:
        patch.setattr(wikidata_parts, "_name", stopping_after(wikidata_parts._name, 9))
        with pytest.raises(KeyboardInterrupt):
            build_knowledge_base([source], out, workers=1)
    assert wikidata_parts.part_files(folder)
    monkeypatch.setattr(wikidata_parts, "VERSION", wikidata_parts.VERSION + 1)
    build_knowledge_base([source], out, workers=1)
    assert "going on after" not in caplog.text
    said = (
        f"{work_folder(out, source)}: begins anew, since it held the work on another dump, with "
        "other options, or of another version of isogloss"
    )
    assert said in caplog.messages


@pytest.mark.usefixtures("small_parts")
def test_what_is_no_part_stays_when_the_parts_go(tmp_path: Path) -> None:
    dump, folder = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "parts"
    wikidata_parts.parse_to_parts(dump, folder, WikidataChoice(None, 0), workers=1)
    parts = wikidata_parts.part_files(folder)
    others = {"0.safetensors", "notes.txt", "000000.safetensors.bak", "lock"}
    for name in others:
        (folder / name).write_text("of somebody else")
    (folder / "000099.safetensors").write_bytes(b"behind a gap")
    (folder / ".000003.safetensors.abc.part").write_bytes(b"left by a kill")
    for name in ("a folder", "000098.safetensors"):
        (folder / name).mkdir()
        (folder / name / "x").touch()
    assert wikidata_parts.part_files(folder) == parts
    wikidata_parts.parse_to_parts(dump, folder, WikidataChoice(("en",), 0), workers=1)
    kept = {path.name for path in folder.iterdir()} - {path.name for path in parts}
    assert kept == others | {"plan.json", "a folder", "000098.safetensors"}
    assert (folder / "a folder" / "x").exists()
    assert all((folder / name).read_text() == "of somebody else" for name in others)


def test_a_build_that_fails_before_the_dump_leaves_no_folder(tmp_path: Path) -> None:
    dump, names = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "names.jsonl"
    names.write_text("{}\n")
    with pytest.raises(InputError, match="names"):
        build_knowledge_base([f"names:{names}", f"wikidata:{dump}"], tmp_path / "kb", workers=1)
    assert {path.name for path in tmp_path.iterdir()} == {"dump.json", "names.jsonl"}


@pytest.mark.usefixtures("small_parts")
def test_a_pipe_that_changed_is_refused_with_the_folder_to_remove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_dump(tmp_path / "dump.json", *MANY).read_bytes()
    out = tmp_path / "kb"

    def run(piped: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
        build_knowledge_base(["wikidata:-"], out, workers=1)

    with monkeypatch.context() as patch:
        patch.setattr(wikidata_parts, "_name", stopping_after(wikidata_parts._name, 9))
        with pytest.raises(KeyboardInterrupt):
            run(data)
    with pytest.raises(InputError, match=r"not what it was .*; to start anew, remove .*\.parts"):
        run(data.replace(b"Name3", b"Name4"))
    run(data)
    assert KnowledgeBase.open(out).n_entities == len(MANY)


def stopping_after(function: Callable[..., Any], n_calls: int) -> Callable[..., Any]:
    """Return the function, interrupted as by Ctrl-C after some calls."""
    left = iter(range(n_calls))

    def stopping(*arguments: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return function(*arguments)

    return stopping


def test_a_file_that_is_no_dump_is_refused_at_once(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_text("<mediawiki>\n" * 9)
    with pytest.raises(InputError, match=r"dump\.json: does not begin with Wikidata's entities"):
        build_knowledge_base([f"wikidata:{dump}"], tmp_path / "kb", workers=1)
    with pytest.raises(InputError, match="no such file; give a JSON dump"):
        build_knowledge_base([f"wikidata:{tmp_path / 'no'}"], tmp_path / "kb", workers=1)
    assert [path.name for path in tmp_path.iterdir()] == ["dump.json"]


def test_what_is_damaged_is_said_once_and_shown(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.json", *MANY)
    data = dump.read_bytes().replace(b'"Q7","labels"', b'"?7","labels"')
    dump.write_bytes(gzip.compress(data)[:-2000])
    with pytest.warns(LossWarning, match=r"broken lines: 2, gaps in the compressed file: 1, end"):
        build_knowledge_base([f"wikidata:{dump}"], tmp_path / "kb", workers=1)
    source = KnowledgeBase.open(tmp_path / "kb").info()["sources"][0]
    assert source["n_bad_lines"] == 2
    assert source["counts"]["end of the dump is missing"] == 1


def test_the_command_builds_and_shows_the_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not SAMPLE.exists():
        pytest.skip("the evaluation data is not there")
    out = str(tmp_path / "kb")
    build = ["kb", "build", "--source", f"wikidata:{SAMPLE}", "--out", out, "--workers", "1"]
    assert main(build) == 0
    assert "wikidata:entities.json.gz: 5 names of 2 entities" in capsys.readouterr().err
    assert main([*build, "--overwrite", "--min-sitelinks", "0", "--langs", "en,uk"]) == 0
    assert "14 names of 13 entities" in capsys.readouterr().err
    assert main(["kb", "info", out, "--json"]) == 0
    source = json.loads(capsys.readouterr().out)["sources"][0]
    assert source["counts"] == {"items": 13, "lexemes": 29, "properties": 5}
    assert "CC0" in source["licence"]

"""Work folders of Wikipedias: stopped, killed and repeated builds, and builds at the same time."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from written_wikis import ENGLISH, GERMAN, built, digest, some_pages, write_table, write_wiki

from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.kb.build.wikipedia_source import VERSION, gather_wiki
from isogloss.wiki.dump import reader as dumps


def test_a_kept_work_folder_serves_other_options(tmp_path: Path) -> None:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', ENGLISH)}"
    work = tmp_path / "work"
    first = digest(built(tmp_path / "kb", source, work=work))
    part = next(work.rglob("*.part"))
    made = part.stat().st_mtime_ns
    built(tmp_path / "kb", source, work=work, min_link_count=2)
    assert digest(built(tmp_path / "kb", source, work=work)) == first
    assert part.stat().st_mtime_ns == made


def stopped(out: Path, source: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Build until all is counted, and stop there."""

    def stopping(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("isogloss.kb.build.wikipedias.gather_wiki", stopping)
        with pytest.raises(KeyboardInterrupt):
            built(out, source, **options)


@pytest.mark.parametrize("before", [None, 0, VERSION + 1])
def test_counts_of_another_version_are_refused_or_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    before: int | None,
) -> None:  # fmt: skip
    """Refused where ``--work`` names the folder, made again where it is a hidden one."""
    caplog.set_level("INFO")
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', ENGLISH)}"
    work, hidden = tmp_path / "work", tmp_path / ".kb.wikipedia"
    said = "counts anew, since another version of isogloss made it"
    first = digest(built(tmp_path / "kb", source, work=work))
    built(tmp_path / "kb", source, work=work, min_link_count=2)
    built(tmp_path / "kb", source, work=work)
    stopped(tmp_path / "kb", source, monkeypatch)
    assert said not in caplog.text
    for folder in (work, hidden):
        about = folder / "en" / "counts.json"
        facts = json.loads(about.read_text("utf-8"))
        assert facts.pop("version") == VERSION
        about.write_text(json.dumps(facts if before is None else {**facts, "version": before}))
        (folder / "en" / "titles.bin").write_bytes(b"of another version")
    there = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}
    with pytest.raises(InputError) as error:
        built(tmp_path / "kb", source, work=work)
    assert str(error.value) == (
        f"{work / 'en' / 'counts.json'}: is of counts of another version of isogloss; remove it to "
        "count anew, or give another --work"
    )
    assert {path: path.read_bytes() for path in work.rglob("*") if path.is_file()} == there
    assert said not in caplog.text
    assert digest(built(tmp_path / "kb", source)) == first
    assert caplog.messages.count(f"{hidden / 'en'}: {said}") == 1
    (work / "en" / "counts.json").unlink()  # as the sentence says
    part = work / "en" / "000000.part"
    made = part.stat().st_mtime_ns
    assert digest(built(tmp_path / "kb", source, work=work)) == first
    assert part.stat().st_mtime_ns == made


def test_one_and_two_workers_make_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dumps, "BLOCK", 1000)
    monkeypatch.setattr("isogloss.wiki.dump.parts.BLOCKS", 2)
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', some_pages(25, 1))}"
    assert digest(built(tmp_path / "one", source)) == digest(
        built(tmp_path / "two", source, workers=2)
    )


@pytest.mark.parametrize("options", [{}, {"keep_red_links": 2}])
def test_a_stop_at_any_write_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    """Stopped before each rename in turn, which is where a kill leaves something half done."""
    monkeypatch.setattr(dumps, "BLOCK", 3000)
    monkeypatch.setattr("isogloss.wiki.dump.parts.BLOCKS", 1)
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', some_pages(25, 1))}"
    whole = digest(built(tmp_path / "whole", source, **options))
    replace = Path.replace
    n_stops = 0
    while True:
        n_left = n_stops
        written: list[Path] = []

        def stopping(self: Path, target: Path, written: list[Path] = written) -> Path:
            nonlocal n_left
            n_left -= 1
            if n_left < 0:
                raise KeyboardInterrupt
            written.append(target)
            return replace(self, target)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", stopping)
            try:
                built(tmp_path / "kb", source, **options)
                break
            except KeyboardInterrupt:
                n_stops += 1
        assert digest(built(tmp_path / "kb", source, **options)) == whole
        assert not list(tmp_path.glob(".kb*"))
    n_parts = sum(path.suffix == ".part" for path in written)
    stages = {path.name for path in written} & {
        "targets.bin",
        "titles.bin",
        "links.bin",
        "texts.bin",
    }
    assert n_parts > 1
    assert len(stages) == (4 if options else 3)
    assert n_stops == len(written) > len(stages) * n_parts


def test_a_work_folder_is_held_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', ENGLISH)}"
    said: list[str] = []

    def gathering(*words: Any) -> Any:
        with pytest.raises(InputError, match="is in use by another run") as refused:
            built(tmp_path / "kb", source)
        said.append(str(refused.value))
        assert (tmp_path / ".kb.wikipedia" / "en" / "texts.bin").exists()
        return gather_wiki(*words)

    monkeypatch.setattr("isogloss.kb.build.wikipedias.gather_wiki", gathering)
    kb = built(tmp_path / "kb", source)
    assert said == [
        f"{tmp_path}/.kb.wikipedia: is in use by another run; wait for its end, or give another "
        "--work"
    ]
    assert kb.n_entities == 5
    assert not list(tmp_path.glob(".kb*"))


def test_stages_of_the_same_version_and_options_stay(tmp_path: Path) -> None:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', ENGLISH)}"
    work = tmp_path / "work"
    built(tmp_path / "kb", source, work=work)
    stages = [work / "en" / f"{name}.bin" for name in ("titles", "links", "texts")]
    for min_link_count in (1, 2):
        made = [path.stat().st_mtime_ns for path in stages]
        built(tmp_path / "kb", source, work=work, min_link_count=min_link_count)
        again = [path.stat().st_mtime_ns for path in stages]
        is_new = min_link_count == 2
        assert [a != b for a, b in zip(made, again, strict=True)] == [is_new] * 3


def test_a_table_of_the_same_size_is_another(tmp_path: Path) -> None:
    source = f"wikipedia:de={write_wiki(tmp_path / 'de.xml', 'de', GERMAN)}"
    found = []
    for number, page in enumerate((70, 72)):
        rows = [(page, "disambiguation", ""), (71, "wikibase_item", "Q183")]
        columns = "#pp_page pp_propname pp_value"
        table = write_table(tmp_path / "p.sql.gz", "page_props", columns, rows)
        table.write_bytes(table.read_bytes().ljust(500, b"\0"))
        kb = built(
            tmp_path / f"kb{number}", source, work=tmp_path / "work", page_props={"de": table}
        )
        found.append({kb.entity_id(row) for row in range(kb.n_entities)})
    assert found == [{"Q183", "wikipedia:de:Fluss"}, {"Q183", "wikipedia:de:Berlin"}]


BUILD = """
import sys
from isogloss.wiki.dump import parts, reader
reader.BLOCK, parts.BLOCKS = 3000, 1
from isogloss.kb import build_knowledge_base
print("ready", flush=True)
build_knowledge_base([sys.argv[1]], sys.argv[2], workers=1)
"""


def killed_at(source: str, out: Path, seconds: float) -> float:
    """Run a build in a process of its own, kill it after some time; return the time it took."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUILD, source, str(out)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        begun = time.monotonic()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
        return time.monotonic() - begun


def check_kills(tmp_path: Path, n_kills: int) -> None:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', some_pages(25, 1))}"
    duration = killed_at(source, tmp_path / "whole", 300)
    whole = digest(KnowledgeBase.open(tmp_path / "whole"))
    rng = random.Random(1)
    for number in range(n_kills):
        out = tmp_path / f"kb{number}"
        killed_at(source, out, rng.uniform(0, duration))
        killed_at(source, out, rng.uniform(0, duration))
        if not out.exists():
            killed_at(source, out, 300)
        assert digest(KnowledgeBase.open(out)) == whole


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_builds_killed_at_twenty_moments_go_on(tmp_path: Path) -> None:
    check_kills(tmp_path, 20)

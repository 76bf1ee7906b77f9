"""From dumps to parts: what is kept of a page, and that parts are always the same."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from written_dumps import TAIL, Written, dump_of, multistream, some_pages

from isogloss.errors import InputError, OmissionWarning
from isogloss.storage.array_file import Arrays, map_arrays, strings_of, write_arrays
from isogloss.wiki.dump import reader as dumps
from isogloss.wiki.dump.disambiguation import DisambiguationTemplates
from isogloss.wiki.dump.extract import (
    DISAMBIGUATION,
    REDIRECT,
    TO_ARTICLE,
    TO_CATEGORY,
    TO_LANGUAGE,
    TO_OTHER_NAMESPACE,
    TO_OTHER_WIKI,
    Extracted,
    extract_block,
    joined,
    settings_of,
    worker,
)
from isogloss.wiki.dump.parts import Extraction, extract_dump
from isogloss.wiki.site import Site
from isogloss.wiki.wikitext.rules import WikitextRules

SITE = Site.default("de")
PAGES = some_pages(60)


def extracted(*pages: Written) -> Extracted:
    block = "".join(page.xml for page in pages).encode()
    return extract_block(block, SITE, WikitextRules.of(SITE), DisambiguationTemplates("de"))


def links_of(part: Arrays, page: int) -> list[tuple[str, int, str]]:
    """Return target, kind and text of each link of a page."""
    targets = strings_of(part["targets"], part["target_offsets"])
    origin = int(part["text_offsets"][page])
    found = []
    for link in range(*part["link_offsets"][page : page + 2].tolist()):
        row = int(part["link_target"][link])
        start, end = (origin + int(part[name][link]) for name in ("link_start", "link_end"))
        shown = part["text"][start:end].tobytes().decode()
        found.append((targets[row], int(part["target_kind"][row]), shown))
    return found


def written(folder: Path, data: bytes) -> Path:
    path = folder / "dump.xml.bz2"
    path.write_bytes(data)
    return path


def digests(extraction: Extraction) -> list[str]:
    return [hashlib.sha256(part.read_bytes()).hexdigest() for part in extraction.parts]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "BLOCK", 20_000)


def test_links_of_all_kinds() -> None:
    text = (
        "[[berlin_Mitte#Lage|Mitte]]e [[Datei:x.jpg|mini|Die [[Spree]]]] [[:Kategorie:Ort|Orte]] "
        "[[Kategorie:Ort]] [[fr:berlin]] [[:fr:Paris]] [[wikt:Haus|Haus]] [[#Lage]] [[a<b]]"
    )
    found = extracted(Written(1, "Stadt", text))
    links = links_of(found.arrays, 0)
    assert ("Berlin Mitte", TO_ARTICLE, "Mittee") in links
    assert ("Spree", TO_ARTICLE, "Spree") in links
    assert ("Kategorie:Ort", TO_OTHER_NAMESPACE, "Orte") in links
    assert ("Kategorie:Ort", TO_CATEGORY, "") in links
    assert ("fr:berlin", TO_LANGUAGE, "") in links
    assert ("fr:Paris", TO_OTHER_WIKI, "fr:Paris") in [(a, b, a) for a, b, _ in links]
    assert ("wikt:Haus", TO_OTHER_WIKI, "Haus") in links
    assert not [target for target, _, _ in links if target in ("", "A<b")]


def test_pages_of_all_kinds() -> None:
    found = extracted(
        Written(3, "A", "x {{Begriffsklärung}}"),
        Written(4, "B", "{{Zitat}} [[A]]"),
        Written(5, "C", "#WEITERLEITUNG [[A]]", redirect="A"),
        Written(6, "Diskussion:A", "y", namespace=1),
        Written(7, "D", "{}", model="json"),
        Written(8, "E", "{{#if:x|{{disambig}}}} == H =="),
    )
    arrays = found.arrays
    assert arrays["page_id"].tolist() == [3, 4, 5, 8]
    assert arrays["page_flags"].tolist() == [DISAMBIGUATION, 0, REDIRECT, 0]
    assert strings_of(arrays["titles"], arrays["title_offsets"]) == ["A", "B", "C", "E"]
    assert strings_of(arrays["redirects"], arrays["redirect_offsets"]) == ["", "", "A", ""]
    assert found.others == {"pages of other namespaces": 1, "pages without wikitext": 1}
    assert not found.dropped


@pytest.mark.parametrize(
    ("code", "template"),
    [("en", "hndis"), ("ja", "Aimai"), ("de", "BKS"), ("ru", "Неоднозначность"),
     ("he", "פירושונים"), ("ar", "توضيح"), ("sw", "Template:Disambig"), ("zh", "消歧義")],
)  # fmt: skip
def test_templates_that_disambiguate(code: str, template: str) -> None:
    assert DisambiguationTemplates(code)(template.encode())
    assert not DisambiguationTemplates(code)(b"infobox")


def test_sections_stand_in_the_text() -> None:
    arrays = extracted(Written(1, "A", "x\n== Eins ==\ny\n=== Zwei ===\nz")).arrays
    text, starts = arrays["text"].tobytes(), arrays["section_start"].tolist()
    assert [text[start:].partition(b"\n")[0] for start in starts] == [b"x", b"Eins", b"Zwei"]


def test_joined_blocks_are_one() -> None:
    pages = [Written(1, "A", "[[B]] é"), Written(2, "B", "[[A|a]] [[C]]"), Written(3, "C", "c")]
    apart = joined([extracted(page).arrays for page in pages])
    whole = extracted(*pages).arrays
    assert [links_of(apart, i) for i in range(3)] == [links_of(whole, i) for i in range(3)]
    for name in ("text", "text_offsets", "titles", "title_offsets", "section_start", "page_id"):
        assert apart[name].tolist() == whole[name].tolist()


def test_a_worker_reads_as_the_function_does() -> None:
    block = PAGES[0].xml.encode()
    from isogloss.storage.array_file import unpacked

    arrays, facts = unpacked(worker(settings_of(SITE, "de"))(block))
    direct = extract_block(block, SITE, WikitextRules.of(SITE), DisambiguationTemplates("de"))
    assert {name: array.tolist() for name, array in arrays.items()} == {
        name: array.tolist() for name, array in direct.arrays.items()
    }
    assert facts == {"dropped": {}, "others": {}}


@pytest.mark.usefixtures("small_blocks")
def test_one_and_two_workers_write_the_same_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, multistream(PAGES)[0])
    one = extract_dump(path, tmp_path / "one", code="bg", blocks_a_part=2)
    two = extract_dump(path, tmp_path / "two", code="bg", blocks_a_part=2, workers=2)
    assert digests(one) == digests(two)
    assert len(one.parts) > 3
    n_redirects = sum(page.redirect is not None for page in PAGES)
    assert (one.counts["pages"], one.counts["redirects"]) == (60, n_redirects)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("form", ["one stream", "streams"])
def test_a_stopped_run_goes_on_after_the_last_whole_part(tmp_path: Path, form: str) -> None:
    import bz2

    data = multistream(PAGES)[0] if form == "streams" else bz2.compress(dump_of(PAGES))
    path = written(tmp_path, data)
    whole = extract_dump(path, tmp_path / "whole", code="bg", blocks_a_part=1)
    folder = tmp_path / "stopped"
    again = extract_dump(path, folder, code="bg", blocks_a_part=1)
    (folder / "extraction.json").unlink()
    for part in again.parts[2:]:
        part.unlink()
    (folder / "000002.part.new").write_bytes(b"half")
    assert digests(extract_dump(path, folder, code="bg", blocks_a_part=1)) == digests(whole)
    (folder / "extraction.json").unlink()  # stopped after the last part
    ended = extract_dump(path, folder, code="bg", blocks_a_part=1)
    assert (digests(ended), ended.dropped.total()) == (digests(whole), 0)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("limit", [1, 7, 30, 60, 99])
def test_a_limit_reads_the_first_pages(tmp_path: Path, limit: int) -> None:
    path = written(tmp_path, multistream(PAGES)[0])
    found = extract_dump(path, tmp_path / "work", code="bg", limit=limit, blocks_a_part=2)
    assert found.counts["pages"] == min(limit, 60)
    assert not found.dropped


def test_a_folder_belongs_to_one_dump(tmp_path: Path) -> None:
    path = written(tmp_path, dump_of(PAGES[:3]))
    extract_dump(path, tmp_path / "work", code="bg")
    with pytest.raises(InputError, match="another dump, with another --limit"):
        extract_dump(path, tmp_path / "work", code="bg", limit=1)
    part = tmp_path / "work" / "000000.part"
    part.unlink()
    with pytest.raises(InputError, match="lacks some of its parts"):
        extract_dump(path, tmp_path / "work", code="bg")


def test_what_is_lost_is_counted_and_said(tmp_path: Path) -> None:
    broken = dump_of(PAGES[:5]).replace(b"<title>", b"<title><b>", 1)
    path = written(tmp_path, broken[: -len(TAIL) - 200])
    with pytest.warns(OmissionWarning, match="lost: 1 cut off, 1 ends of files, 1 not well-formed"):
        found = extract_dump(path, tmp_path / "work", code="bg")
    assert found.counts["pages"] == 3
    assert found.dropped.total() == 3
    assert extract_dump(path, tmp_path / "work", code="bg").dropped == found.dropped


@pytest.mark.usefixtures("small_blocks")
def test_too_small_a_disk_stops_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.wiki.streams import streams

    monkeypatch.setattr(streams, "_READ", 2000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 10}))
    path = written(tmp_path, dump_of(some_pages(300)))
    with pytest.raises(InputError, match="give --work on a larger disk"):
        extract_dump(path, tmp_path / "work", code="bg", blocks_a_part=1)
    assert (tmp_path / "work" / "000000.part").exists()


def test_array_files(tmp_path: Path) -> None:
    import numpy as np
    from safetensors.numpy import load_file

    arrays: dict[str, Any] = {
        "a": np.arange(3, dtype=np.uint8),
        "b": np.arange(5, dtype=np.int64),
        "none": np.zeros(0, np.int32),
    }
    write_arrays(tmp_path / "x", arrays, {"facts": [1, "é"]})
    mapped, facts = map_arrays(tmp_path / "x")
    assert facts == {"facts": [1, "é"]}
    for read in (mapped, load_file(tmp_path / "x")):
        assert {name: (a.dtype, a.tolist()) for name, a in read.items()} == {
            name: (a.dtype, a.tolist()) for name, a in arrays.items()
        }
    (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:-1])
    with pytest.raises(InputError, match=r"cut off.*; remove .* and run again"):
        map_arrays(tmp_path / "x")


def test_a_work_folder_with_files_of_others_is_refused_untouched(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "titles.bin").write_text("mine")
    with pytest.raises(InputError, match="holds files that isogloss did not make"):
        extract_dump(written(tmp_path, dump_of(PAGES[:3])), folder, code="bg")
    assert [(file.name, file.read_text()) for file in folder.iterdir()] == [("titles.bin", "mine")]

"""Real dumps, one of every wiki: counted as ever, and read as mwxml reads them, text for text."""

import bz2
import io
import json
from pathlib import Path

import mwxml
import pytest
from golden_dumps import GOLDEN, counts_of, dump_files
from written_dumps import HEAD

from isogloss.wiki.dump.reader import Dump

FILES = dump_files()
pytestmark = pytest.mark.skipif(not FILES, reason="the shared evaluation data is not here")


def test_every_real_dump_is_there() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert sorted(golden) == sorted(path.name for path in FILES)
    assert sum(path.parent.name == "minidumps" for path in FILES) == 125


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name[:12], marks=() if place % 6 == 0 else pytest.mark.full)
        for place, path in enumerate(FILES)
    ],
)
def test_pages_are_those_that_another_reader_finds(path: Path) -> None:
    data = bz2.decompress(path.read_bytes())
    if b"siteinfo" not in data and not data.startswith(b"\xff\xfe"):  # mwxml wants one
        data = data.replace(b"<page>", HEAD[HEAD.index("<siteinfo>") :].encode() + b"<page>", 1)
    expected = [
        (page.id, page.namespace, page.title, page.redirect, [*page][-1])
        for page in mwxml.Dump.from_file(io.BytesIO(data))
    ]
    with Dump(path) as dump:
        pages = list(dump.pages())
    assert not dump.dropped
    assert len(pages) == len(expected)
    for page, (number, namespace, title, redirect, revision) in zip(pages, expected, strict=True):
        assert (page.id, page.namespace, page.title, page.redirect, page.model) == (
            number, namespace, title, redirect, revision.model,
        )  # fmt: skip
        if page.redirect is None and page.model == "wikitext":
            assert page.text.decode() == (revision.text or "")
    assert counts_of(path) == json.loads(GOLDEN.read_text(encoding="utf-8"))[path.name]

"""Compare the counting mode `wikipedia2vec` with wikipedia2vec's own mention dictionary.

    python benchmarks/dictionary_equality.py --data DIR --peer PYTHON [--dump FILE] [--code en]
        [--min-links N]

wikipedia2vec builds its dictionary of the English slice (or another dump). Then the same names are
counted twice: in the pages as wikipedia2vec read them, which must give the same numbers, and in the
pages as we read them. Names whose numbers differ are listed with both counts: links to the entity,
links with the name, pages with the name.

`PYTHON` is an interpreter that has wikipedia2vec 2.0.0: `python3.11 -m venv peer`,
`peer/bin/pip install wikipedia2vec==2.0.0`.
"""

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from isogloss.kb.build.wikipedia_options import WikipediaOptions
from isogloss.kb.build.wikipedia_source import count_wiki
from isogloss.storage.array_file import map_arrays, packed_strings, strings_of, write_arrays
from isogloss.wiki.counts.counts import read_counts, write_counts
from isogloss.wiki.counts.targets import write_targets
from isogloss.wiki.counts.titles import read_titles, write_titles
from isogloss.wiki.dump.extract import (
    COLUMNS,
    DISAMBIGUATION,
    REDIRECT,
    TO_ARTICLE,
    TO_CATEGORY,
    TO_PART,
)
from isogloss.wiki.dump.parts import Extraction
from isogloss.wiki.site import CATEGORY, Site
from isogloss.wiki.wikipedia2vec import entities as like_wikipedia2vec
from isogloss.wiki.wikipedia2vec.entities import entities_by_links, titles_with_links
from isogloss.wiki.wikipedia2vec.pages import write_pages_with_names

SLICE = "wikipedia/slices/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
Counts = tuple[int, int, int]  # links, links with the name, pages with the name
Pairs = dict[tuple[str, str], Counts]  # by name and entity


def main() -> None:
    """Compare; write JSON to benchmarks/out, print a Markdown table and what differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--peer", type=Path, required=True, help="Python with wikipedia2vec")
    parser.add_argument("--dump", type=Path, help="another dump, bz2")
    parser.add_argument("--code", default="en", help="of its Wikipedia")
    parser.add_argument("--min-links", type=int, default=5, help="of an entity, on both sides")
    options = parser.parse_args()
    like_wikipedia2vec.MIN_LINKS = options.min_links
    dump = options.dump or options.data / SLICE
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = of_peer(options.peer, dump, folder, options.min_links)
        theirs: Pairs = {
            (row["name"], row["of"]): tuple(row["counts"]) for row in rows if "name" in row
        }
        read_by_us = count_wiki(
            options.code, dump, folder / "ours", WikipediaOptions(counting="wikipedia2vec")
        )
        ours = {
            "pages as wikipedia2vec reads them": of_pages(rows, options.code, folder),
            "pages as we read them": pairs_of(
                read_by_us.titles, read_by_us.links, read_by_us.texts
            ),
        }
    result = {what: compared(theirs, found) for what, found in ours.items()}
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "dictionary_equality.json").write_text(json.dumps(result, indent=1) + "\n")
    print(as_markdown(result))


def of_peer(python: Path, dump: Path, folder: Path, min_links: int) -> list[dict]:
    """Run the stages of wikipedia2vec; return what `dictionary_peer.py` prints."""
    program = python.with_name("wikipedia2vec")
    db, words, names = (str(folder / f"peer.{kind}") for kind in ("db", "words", "names"))
    least = ["--min-entity-count", str(min_links)]
    all_names = ["--min-link-prob", "0", "--min-prior-prob", "0"]
    for command in (
        ["build-dump-db", str(dump), db],
        ["build-dictionary", "--tokenizer", "regexp", *least, db, words],
        ["build-mention-db", "--tokenizer", "regexp", *all_names, db, words, names],
    ):
        subprocess.run([str(program), *command], check=True, stderr=subprocess.DEVNULL)
    script = Path(__file__).with_name("dictionary_peer.py")
    command = [str(python), str(script), db, words, names]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in printed.splitlines()]


def of_pages(rows: list[dict], code: str, folder: Path) -> Pairs:
    """Count names in the pages that wikipedia2vec read."""
    part, work = folder / "000000.part", folder / "same"
    work.mkdir()
    site = Site.default(code)
    write_arrays(part, part_of(rows, site))
    extraction = Extraction([part], Counter(), Counter(), site)
    targets, titles, links, texts = (
        work / f"{name}.bin" for name in ("targets", "titles", "links", "texts")
    )
    write_targets(extraction, targets)
    n_links = map_arrays(targets)[0]
    write_titles(
        extraction,
        titles,
        more=titles_with_links(extraction, n_links, None),
        entities=partial(entities_by_links, targets=n_links),
    )
    write_counts(extraction, titles, links, counting="wikipedia2vec")
    write_pages_with_names(extraction, links, texts)
    return pairs_of(read_titles(titles)[0], read_counts(links)[0], map_arrays(texts)[0])


def part_of(rows: list[dict], site: Site) -> dict:
    """Return pages and redirects of wikipedia2vec as the arrays of `isogloss.wiki.dump.extract`."""
    columns = {name: [0] if name.endswith("_offsets") else [] for name in COLUMNS}
    titles, redirects, text, numbers = [], [], bytearray(), {}
    for row in rows:
        if "page" not in row and "redirect" not in row:
            continue
        titles.append(row.get("page", row.get("redirect")).encode())
        redirects.append(row.get("target", "").encode())
        is_redirect, marked = "redirect" in row, row.get("is_disambiguation", False)
        columns["page_flags"].append(REDIRECT * is_redirect + DISAMBIGUATION * marked)
        first = len(text)
        for section, links in row.get("sections", []):
            begin = len(text) - first
            columns["section_start"].append(begin)
            text += section.encode()
            for target, *span in links:
                columns["link_target"].append(numbers.setdefault(target, len(numbers)))
                for side, place in zip(("start", "end"), span, strict=True):
                    columns[f"link_{side}"].append(begin + len(section[:place].encode()))
        columns["text_offsets"].append(len(text))
        columns["section_offsets"].append(len(columns["section_start"]))
        columns["link_offsets"].append(len(columns["link_target"]))
    columns["page_id"] = range(len(titles))
    columns["target_kind"] = [kind_of(target, site) for target in numbers]
    arrays = {name: np.array(columns[name], kind) for name, (kind, _) in COLUMNS.items()}
    arrays["text"] = np.frombuffer(bytes(text), np.uint8)
    strings = (titles, redirects, [target.encode() for target in numbers])
    for name, listed in zip(("title", "redirect", "target"), strings, strict=True):
        arrays[f"{name}s"], arrays[f"{name}_offsets"] = packed_strings(listed)
    return arrays


def kind_of(target: str, site: Site) -> int:
    """Return the kind of a link by its target."""
    if site.namespace_of(target)[0] == CATEGORY:
        return TO_CATEGORY
    return TO_PART if "#" in target else TO_ARTICLE


def pairs_of(titles: dict, links: dict, texts: dict) -> Pairs:
    """Return names, entities and counts of a wiki that is counted."""
    listed = strings_of(titles["titles"], titles["title_offsets"])
    names = strings_of(links["names"], links["name_offsets"])
    owner = np.repeat(np.arange(len(names)), np.diff(links["pair_offsets"])).tolist()
    rows = zip(owner, links["entity"].tolist(), links["n_links"].tolist(), strict=True)
    return {
        (names[at], listed[entity]): (n, int(texts["n_link"][at]), int(texts["n_text"][at]))
        for at, entity, n in rows
        if texts["n_text"][at]
    }


def compared(theirs: Pairs, ours: Pairs) -> dict:
    """Return how many names have equal numbers, and the pairs that have not."""
    both = set(theirs) | set(ours)
    different = sorted(pair for pair in both if theirs.get(pair) != ours.get(pair))
    names, unequal = {name for name, _ in both}, {name for name, _ in different}
    return {
        "names": len(names),
        "names of wikipedia2vec": len({name for name, _ in theirs}),
        "equal names": len(names - unequal),
        "equal link probability": len(names - with_other(link_prob, theirs, ours)),
        "equal commonness": len(names - with_other(commonness, theirs, ours)),
        "different": [[*pair, theirs.get(pair), ours.get(pair)] for pair in different],
    }


def with_other(
    number: Callable[[Counts | None], float | None], theirs: Pairs, ours: Pairs
) -> set[str]:
    """Return the names of which a pair's number is not the same."""
    pairs = set(theirs) | set(ours)
    return {pair[0] for pair in pairs if number(theirs.get(pair)) != number(ours.get(pair))}


def link_prob(counts: Counts | None) -> float | None:
    """Return wikipedia2vec's link probability."""
    return None if counts is None else min(1.0, counts[1] / counts[2])


def commonness(counts: Counts | None) -> float | None:
    """Return wikipedia2vec's commonness, which it calls prior probability."""
    return None if counts is None else counts[0] / counts[1]


def as_markdown(result: dict) -> str:
    """Return the table, and what differs in the pages as we read them."""
    columns = ["names", "names of wikipedia2vec", "equal names", "equal link probability"]
    columns.append("equal commonness")
    rows = ["| | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    for what, told in result.items():
        rows.append(f"| {what} | " + " | ".join(f"{told[name]:,}" for name in columns) + " |")
    rows.append("")
    for what, told in result.items():
        rows += [f"{what}: {line}" for line in told["different"]]
    return "\n".join(rows)


if __name__ == "__main__":
    main()

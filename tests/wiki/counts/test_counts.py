"""Titles, redirects and link counts, against a slow count in plain Python."""

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from written_dumps import Written, dump_of

from isogloss.storage.array_file import map_arrays, packed_strings, strings_of, write_arrays
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.wiki.counts.counts import LONGEST_NAME, name_of_title, read_counts, write_counts
from isogloss.wiki.counts.runs import merge_runs, run_of
from isogloss.wiki.counts.titles import read_titles, write_titles
from isogloss.wiki.dump import reader as dumps
from isogloss.wiki.dump.parts import Extraction, extract_dump

Pairs = dict[tuple[str, str], tuple[int, bool]]

PAGES = [
    Written(1, "Берлин", "[[Германия|немски]] град, [[Шпрее|река]]. [[Пренцлауер]] [[Липсва]]"),
    Written(2, "Германия", "[[Берлин]] е [[столица]]та, [[ФРГ|тя]] [[Берлин (пояснение)|пак]]."),
    Written(3, "ФРГ", "", redirect="Немска република"),
    Written(4, "Немска република", "", redirect="Германия"),
    Written(5, "Кръг", "", redirect="Друг кръг"),
    Written(6, "Друг кръг", "", redirect="Кръг"),
    Written(7, "Назад", "", redirect="Никъде"),
    Written(8, "Берлин (пояснение)", "[[Берлин]], [[Берлин (песен)]] {{пояснение}}"),
    Written(9, "Берлин (песен)", "[[Кръг]] [[Назад|х]] [[" + "Я" * (LONGEST_NAME + 1) + "]]"),
    Written(10, "Я" * (LONGEST_NAME + 1), "[[Берлин|" + "а" * LONGEST_NAME + "]] [[ФРГ]]ския"),
    Written(11, "Столица", "[[:Категория:Градове|град]] [[Берлин|  Берлин\n]] [[Берлин|берлин]]"),
    Written(12, "Пренцлауер", "", redirect="Берлин (пояснение)"),
]  # fmt: skip


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "BLOCK", 1500)


def extracted(folder: Path, pages: list[Written], **options: int) -> Extraction:
    folder.mkdir(exist_ok=True)
    (folder / "dump.xml").write_bytes(dump_of(pages))
    return extract_dump(folder / "dump.xml", folder / "parts", code="bg", **options)


def counted_pairs(
    folder: Path, pages: list[Written], *, workers: int = 1, min_link_count: int = 1, **options: int
) -> tuple[Pairs, Counter[str]]:
    """Return (name, title) → links and whether a title reads so."""
    extraction = extracted(folder, pages, **options)
    titles, out = folder / "titles.bin", folder / "links.bin"
    write_titles(extraction, titles)
    counts = write_counts(extraction, titles, out, workers=workers, min_link_count=min_link_count)
    assert read_counts(out)[1] == counts
    return pairs_in(titles, out), counts


def pairs_in(titles: Path, run: Path) -> Pairs:
    table, _ = read_titles(titles)
    listed = strings_of(table["titles"], table["title_offsets"])
    arrays = map_arrays(run)[0]
    names = strings_of(arrays["names"], arrays["name_offsets"])
    owner = np.repeat(np.arange(len(names)), np.diff(arrays["pair_offsets"])).tolist()
    rows = zip(
        owner, arrays["entity"].tolist(), arrays["n_links"].tolist(), arrays["is_title"].tolist(),
        strict=True,
    )  # fmt: skip
    return {(names[at], listed[entity]): (n, bool(title)) for at, entity, n, title in rows}


def test_redirects_lead_to_the_end(tmp_path: Path) -> None:
    extraction = extracted(tmp_path, PAGES)
    counts = write_titles(extraction, tmp_path / "titles.bin")
    table, again = read_titles(tmp_path / "titles.bin")
    assert again == counts
    listed = strings_of(table["titles"], table["title_offsets"])
    ends = {t: listed[e] if e >= 0 else None for t, e in zip(listed, table["entity"], strict=True)}
    assert ends == {
        **{page.title: page.title for page in PAGES if page.redirect is None},
        "ФРГ": "Германия", "Немска република": "Германия",
        "Кръг": None, "Друг кръг": None, "Назад": None, "Пренцлауер": None,
        "Берлин (пояснение)": None,
    }  # fmt: skip
    assert counts == {
        "pages": 12, "redirects": 6, "disambiguations": 1, "redirects to no page": 1,
        "redirects in circles": 2, "titles given twice": 0, "entities": 5,
        "titles without a page": 0,
    }  # fmt: skip


def test_disambiguation_pages_may_be_named_and_kept(tmp_path: Path) -> None:
    extraction = extracted(tmp_path, PAGES)
    path = tmp_path / "titles.bin"
    kept = write_titles(extraction, path, keep_disambiguations=True)
    assert (kept["entities"], kept["disambiguations"]) == (6, 1)
    named = write_titles(extraction, path, disambiguations={1, 9, 3})
    assert (named["entities"], named["disambiguations"]) == (4, 2)  # 3 is a redirect


def test_a_title_given_twice_is_one(tmp_path: Path) -> None:
    pages = [Written(1, "А", "[[Б]]"), Written(2, "Б", "[[А]]"), Written(3, "А", "[[А]]")]
    found, _ = counted_pairs(tmp_path, pages)
    assert found[("А", "А")] == (2, True)
    assert read_titles(tmp_path / "titles.bin")[1]["titles given twice"] == 1


def test_titles_without_a_page_come_behind(tmp_path: Path) -> None:
    extraction = extracted(tmp_path, PAGES)
    names = ["Берлин", "Липсва"]
    data, offsets = packed_strings([name.encode() for name in names])
    titles, out = tmp_path / "titles.bin", tmp_path / "links.bin"
    counts = write_titles(extraction, titles, red_links=(data, offsets))
    assert (counts["pages"], counts["titles without a page"], counts["entities"]) == (12, 1, 6)
    write_counts(extraction, titles, out)
    pairs = pairs_in(titles, out)
    assert pairs[("Липсва", "Липсва")] == (1, True)


def test_link_counts_are_those_of_a_slow_count(tmp_path: Path) -> None:
    found, counts = counted_pairs(tmp_path, PAGES)
    assert found == {
        ("немски", "Германия"): (1, False), ("Берлин", "Берлин"): (3, True),
        ("столицата", "Столица"): (1, False), ("тя", "Германия"): (1, False),
        ("Берлин (песен)", "Берлин (песен)"): (1, True), ("Берлин", "Берлин (песен)"): (0, True),
        ("а" * LONGEST_NAME, "Берлин"): (1, False), ("ФРГския", "Германия"): (1, False),
        ("берлин", "Берлин"): (1, False), ("ФРГ", "Германия"): (0, True),
        ("Немска република", "Германия"): (0, True), ("Германия", "Германия"): (0, True),
        ("Столица", "Столица"): (0, True),
        ("Я" * (LONGEST_NAME + 1), "Я" * (LONGEST_NAME + 1)): (0, True),
    }  # fmt: skip
    assert counts == {
        "links to other namespaces and wikis": 1,
        "links to no page": 2,  # Шпрее, Липсва
        "links to disambiguations and broken redirects": 4,
        "links without a name": 0,
        "links with a text too long": 1,
        "links counted": 10,
        "pairs with too few links": 0,
        "names": 13,
        "pairs": 14,
    }


def some_wiki(n_pages: int, seed: int) -> tuple[list[Written], list[tuple[str, str]]]:
    """Return pages that link to each other, and name and target of each link."""
    rng = random.Random(seed)
    titles = [f"Град {i}" for i in range(n_pages)]
    links: list[tuple[str, str]] = []
    pages = []
    for i, title in enumerate(titles):
        own = [(f"име {rng.randrange(30)}", rng.choice(titles)) for _ in range(rng.randrange(40))]
        pages.append(Written(i + 1, title, " и ".join(f"[[{to}|{name}]]" for name, to in own)))
        links += own
    return pages, links


def expected(titles: Iterable[str], links: list[tuple[str, str]]) -> Pairs:
    found: Pairs = {pair: (n, False) for pair, n in Counter(links).items()}
    for title in titles:
        found[(title, title)] = (found.get((title, title), (0, False))[0], True)
    return found


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("min_link_count", [1, 3])
def test_any_cutting_into_parts_gives_the_same_bytes(tmp_path: Path, min_link_count: int) -> None:
    pages, links = some_wiki(60, seed=min_link_count)
    files = []
    for a_part in (1, 3, 1000):
        folder = tmp_path / str(a_part)
        found, counts = counted_pairs(
            folder, pages, blocks_a_part=a_part, min_link_count=min_link_count
        )
        files.append((folder / "links.bin").read_bytes())
        all_pairs = expected((page.title for page in pages), links)
        kept = {pair: v for pair, v in all_pairs.items() if v[1] or v[0] >= min_link_count}
        assert found == kept
        assert counts["pairs with too few links"] == len(all_pairs) - len(kept)
        assert sorted(p.name for p in folder.iterdir()) == [
            "dump.xml", "links.bin", "parts", "titles.bin",
        ]  # fmt: skip
    assert files[0] == files[1] == files[2]
    assert len(list((tmp_path / "1" / "parts").glob("*.part"))) > 10


@pytest.mark.usefixtures("small_blocks")
def test_two_workers_write_the_same_bytes(tmp_path: Path) -> None:
    pages, _ = some_wiki(20, seed=7)
    for workers in (1, 2):
        counted_pairs(tmp_path / str(workers), pages, workers=workers, blocks_a_part=4)
    assert (tmp_path / "1/links.bin").read_bytes() == (tmp_path / "2/links.bin").read_bytes()


@pytest.mark.parametrize("n_runs", [1, 2, 3, 5, 8])
def test_runs_are_merged_in_order(tmp_path: Path, n_runs: int) -> None:
    rng = random.Random(n_runs)
    rows = [(rng.choice(["а", "аб", "", "日本", "x y"]), rng.randrange(4)) for _ in range(50)]
    pieces = [rows[i::n_runs] for i in range(n_runs)]
    paths = []
    for i, piece in enumerate([*pieces, rows]):
        data, offsets = packed_strings([name.encode() for name, _ in piece])
        entity = np.array([number for _, number in piece], np.int64)
        run = run_of(data, offsets, entity, np.ones_like(entity), np.zeros(entity.size, np.uint8))
        write_arrays(tmp_path / f"{i}.run", run)
        paths.append(tmp_path / f"{i}.run")
    merge_runs(paths[:-1], tmp_path / "merged")
    assert (tmp_path / "merged").read_bytes() == paths[-1].read_bytes()
    assert not list(tmp_path.glob("merged.*"))


def test_names_of_equal_hash_stay_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from isogloss.wiki.counts import runs

    monkeypatch.setattr(
        runs, "hash_strings", lambda _, offsets: np.zeros(offsets.size - 1, np.uint64)
    )
    for i, names in enumerate((["б", "а", "в"], ["в", "г", "а"])):
        data, offsets = packed_strings([name.encode() for name in names])
        one = np.ones(3, np.int64)
        write_arrays(tmp_path / f"{i}", run_of(data, offsets, one, one, np.zeros(3, np.uint8)))
    merge_runs([tmp_path / "0", tmp_path / "1"], tmp_path / "merged")
    merged = map_arrays(tmp_path / "merged")[0]
    assert strings_of(merged["names"], merged["name_offsets"]) == ["а", "б", "в", "г"]
    assert merged["n_links"].tolist() == [2, 1, 2, 1]


def test_strings_are_found_exactly() -> None:
    rng = random.Random(0)
    words = ["".join(rng.choices("abé字", k=rng.randrange(5))) for _ in range(400)]
    data, offsets = packed_strings([word.encode() for word in words])
    slots, first = index_strings(data, offsets)
    assert first.tolist() == [words.index(word) for word in words]
    wanted = [*words, "zz", "abababab"]
    found = find_strings(slots, data, offsets, *packed_strings([word.encode() for word in wanted]))
    assert found.tolist() == [words.index(word) if word in words else -1 for word in wanted]


@pytest.mark.parametrize(
    ("title", "name"),
    [("東京（曖昧さ回避）", "東京"), ("Mercury (planet)", "Mercury"), ("(500) Days", "(500) Days"),
     ("f(x)", "f(x)"), ("A (b) c", "A (b) c"), ("(a)", "(a)"), ("X (y) (z)", "X (y)")],
)  # fmt: skip
def test_brackets_at_the_end_of_titles(title: str, name: str) -> None:
    assert name_of_title(title) == name

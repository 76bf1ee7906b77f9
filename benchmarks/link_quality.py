"""Draw links for checking by hand, and compute their precision from the verdicts.

    python benchmarks/link_quality.py links --data DIR --kb KB
    python benchmarks/link_quality.py draw --data DIR --kb KB --langs kor_Hang --out FILE
    python benchmarks/link_quality.py score benchmarks/link_quality/*.tsv
    python benchmarks/link_quality.py misses --data DIR --kb KB --langs kor_Hang --out FILE

`links` prints links and entities a text with and without the rules for endings, for the SIB-200
development texts of each language. `draw` writes links of both kinds at random: "plain" ones, found
without the rules, and "ending" ones, found by them alone; the English sentence with the same
`index_id` goes to standard output only, as a help for who judges. In the column `verdict` belongs
"right", where the candidates of the name hold the sense meant, or "wrong". `score` prints the share
of right ones with 95 % Wilson intervals. `misses` takes texts at random and says of every link in
the English sentence what became of it in the other language: linked, and if not, whether the
knowledge base has a name for it and whether the text holds that name. A knowledge base is built by
`isogloss kb build`.
"""

import argparse
import csv
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from evaluation_data import find
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.kb import KnowledgeBase, Linker, Mention
from isogloss.kb.matching.name_table import names_of
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of
from isogloss.statistics.intervals import interval_of_share
from isogloss.text.folding import fold_texts
from records import Record, add_json

N_CHECKED = 50
SNIPPET = 8  # characters on each side of a name
N_ENTITIES = 3  # English titles shown of a name
OUTCOMES = ["linked", "no name", "in the text", "other words"]
COLUMNS = ["lang", "kind", "index_id", "snippet", "name", "entities", "verdict"]


def texts_of(data: Path, lang: str) -> Documents:
    """Return the SIB-200 development texts of a language."""
    file = find(data / "sib200" / lang / "dev.tsv")
    return read_documents(file, format=FileFormat(quoting="csv"), needs_label=True)


def links(kb: KnowledgeBase, data: Path, record: Record) -> None:
    """Print for each language what is found without and with the rules."""
    rows = []
    for folder in sorted((data / "sib200").iterdir()):
        if not folder.is_dir():
            continue
        texts = texts_of(data, folder.name).texts
        cells: list[dict[str, float]] = []
        for inflection in (False, True):
            linker = Linker(kb, folder.name, inflection=inflection)
            bags = linker.bags(texts)
            n_mentions = linker.link(texts).n_mentions
            n_unlinked = int((np.diff(bags.indptr) == 0).sum())
            cells.append({"links": round(n_mentions / len(texts), 1),
                          "entities": round(bags.entity.size / len(texts), 1),
                          "unlinked": n_unlinked})  # fmt: skip
        row: dict[str, Any] = {"lang": folder.name}
        for name, value in cells[0].items():
            row |= {name: value, f"{name} with rules": cells[1][name]}
        rows.append(row)
    record.show("links", Table(rows))
    has_rules = [row for row in rows if row["links"] != row["links with rules"]]
    record.show("languages with rules", Table(has_rules))


def draw(kb: KnowledgeBase, data: Path, langs: list[str], n: int, seed: int, out: Path) -> None:
    """Write `n` links of each kind a language, without a verdict."""
    english = dict(zip(*_ids_and_texts(data, "eng_Latn"), strict=True))
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        for lang in langs:
            ids, texts = _ids_and_texts(data, lang)
            for kind, found in zip(("plain", "ending"), both_kinds(kb, lang, texts), strict=True):
                chosen = random.Random(f"{seed} {lang} {kind}").sample(found, min(n, len(found)))
                for row, mention in sorted(chosen, key=lambda item: (item[0], item[1].start)):
                    record = _record(kb, texts[row], mention)
                    writer.writerow({"lang": lang, "kind": kind, "index_id": ids[row], **record})
                    print(f"{lang}\t{kind}\t{record['snippet']}\t{record['name']}\t"
                          f"{record['entities']}\t{english[ids[row]]}")  # fmt: skip


def both_kinds(
    kb: KnowledgeBase, lang: str, texts: list[str]
) -> tuple[list[tuple[int, Mention]], list[tuple[int, Mention]]]:
    """Return the links found without the rules, and those that only the rules find."""
    plain = Linker(kb, lang, inflection=False).link(texts)
    ruled = Linker(kb, lang).link(texts)
    found: tuple[list[tuple[int, Mention]], list[tuple[int, Mention]]] = ([], [])
    for row in range(len(texts)):
        known = {(m.start, m.end) for m in plain.mentions(row)}
        found[0].extend((row, mention) for mention in plain.mentions(row))
        found[1].extend((row, m) for m in ruled.mentions(row) if (m.start, m.end) not in known)
    return found


def misses(kb: KnowledgeBase, data: Path, langs: list[str], n: int, seed: int, out: Path) -> Table:
    """Return for each language what became of the links of the English sentences."""
    english = dict(zip(*_ids_and_texts(data, "eng_Latn"), strict=True))
    lines = []
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        for lang in langs:
            rows = sorted(random.Random(f"{seed} {lang}").sample(sorted(english), n))
            texts = dict(zip(*_ids_and_texts(data, lang), strict=True))
            names = _names_of_entities(kb, lang)
            wanted = Linker(kb, "en", inflection=True).link([english[row] for row in rows])
            for inflection in (False, True):
                found = Linker(kb, lang, inflection=inflection).link([texts[row] for row in rows])
                counts = dict.fromkeys(OUTCOMES, 0)
                for i, row in enumerate(rows):
                    linked = {c.index for m in found.mentions(i) for c in m.candidates}
                    folded = fold_texts([texts[row]]).strings()[0]
                    for mention in wanted.mentions(i):
                        entities = {candidate.index for candidate in mention.candidates}
                        named = set().union(*(names.get(entity, set()) for entity in entities))
                        outcome = _outcome(bool(entities & linked), named, folded)
                        counts[outcome] += 1
                        writer.writerow([lang, inflection, row, mention.surface, outcome,
                                         "; ".join(sorted(named)[:6])])  # fmt: skip
                rules = "with" if inflection else "without"
                lines.append({"lang": lang, "rules": rules} | counts)
    return Table(lines)


def _outcome(is_linked: bool, named: set[str], text: str) -> str:
    if is_linked:
        return "linked"
    if not named:
        return "no name"
    return "in the text" if any(name in text for name in named) else "other words"


def _names_of_entities(kb: KnowledgeBase, lang: str) -> dict[int, set[str]]:
    """Return entity → the folded names that the knowledge base looks for."""
    language = kb.language_of(lang)
    if language is None:
        return {}
    arrays = kb.names_in(language)
    names: dict[int, set[str]] = {}
    for name, rows in zip(*names_of(arrays["records"]), strict=True):
        for row in {int(row) for row in rows if row >= 0}:
            part = slice(int(arrays["row_offsets"][row]), int(arrays["row_offsets"][row + 1]))
            for entity in arrays["candidate_entity"][part].tolist():
                names.setdefault(entity, set()).add(name)
    return names


def score(files: list[Path]) -> Table:
    """Return the share of right links by language and kind."""
    counts: dict[tuple[str, str], list[int]] = {}
    for file in files:
        with file.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows, delimiter="\t"):
                if row["verdict"] not in ("right", "wrong"):
                    sys.exit(f"{file}: a verdict is 'right' or 'wrong', not '{row['verdict']}'")
                count = counts.setdefault((row["lang"], row["kind"]), [0, 0])
                count[0] += row["verdict"] == "right"
                count[1] += 1
    rows = []
    for (lang, kind), (right, n) in sorted(counts.items()):
        share = interval_of_share(right, n)
        rows.append({"lang": lang, "kind": kind, "checked": n, "right": right}
                    | columns_of("precision", share))  # fmt: skip
    return Table(rows)


def _ids_and_texts(data: Path, lang: str) -> tuple[list[str], list[str]]:
    documents = texts_of(data, lang)
    return [str(number) for number in documents.ids or []], documents.texts


def _record(kb: KnowledgeBase, text: str, mention: Mention) -> dict[str, Any]:
    begin, end = max(0, mention.start - SNIPPET), mention.end + SNIPPET
    titles = kb.titles([candidate.index for candidate in mention.candidates], "en")
    named = dict.fromkeys(title for title in titles if title)
    return {
        "snippet": " ".join(text[begin:end].split()),
        "name": mention.surface,
        "entities": "; ".join(list(named)[:N_ENTITIES]),
        "verdict": "",
    }


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("links", "draw", "misses"):
        command = commands.add_parser(name)
        command.add_argument("--data", type=Path, default=Path("../shared/data"))
        command.add_argument("--kb", type=Path, required=True)
        if name == "links":
            continue
        command.add_argument("--langs", nargs="+", required=True)
        command.add_argument("-n", type=int, default=N_CHECKED)
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--out", type=Path, required=True)
    commands.add_parser("score").add_argument("files", nargs="+", type=Path)
    for name in ("links", "misses", "score"):
        add_json(commands.choices[name])
    options = parser.parse_args()
    if options.command == "draw":
        kb = KnowledgeBase.open(options.kb)
        draw(kb, options.data, options.langs, options.n, options.seed, options.out)
        return
    record = Record(options.json)
    if options.command == "score":
        record.show("precision", score(options.files))
    elif options.command == "links":
        links(KnowledgeBase.open(options.kb), options.data, record)
    else:
        kb = KnowledgeBase.open(options.kb)
        found = misses(kb, options.data, options.langs, options.n, options.seed, options.out)
        record.show("misses", found)
    record.write()


if __name__ == "__main__":
    main()

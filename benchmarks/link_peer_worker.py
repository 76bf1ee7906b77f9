"""Find mentions with wikipedia2vec 2.0.0, in its own environment; `link_speed_peer` calls this.

    PYTHON link_peer_worker.py names DUMP FOLDER       counts a dump, writes FOLDER/names.tsv and
                                                       its text, by section, to FOLDER/texts.jsonl
    PYTHON link_peer_worker.py link NAMES TEXTS OUT    finds NAMES in TEXTS, writes spans to OUT

NAMES: a table of name, entity number, links to the entity, all links, pages. TEXTS: JSON Lines of
strings. OUT: a JSON object with its times and, for each text, [start, end] of every span.
Its tables of names are made with its own classes. It gives no mention where a name has several
entities and the page is not known; the spans hold those too, as its own search finds them.
"""

import json
import sys
import time
from pathlib import Path

from marisa_trie import RecordTrie, Trie
from wikipedia2vec.dictionary import Dictionary
from wikipedia2vec.dump_db import DumpDB
from wikipedia2vec.mention_db import MentionDB
from wikipedia2vec.utils.tokenizer.regexp_tokenizer import RegexpTokenizer
from wikipedia2vec.utils.wiki_dump_reader import WikiDumpReader


def main() -> None:
    """Do what the command line says."""
    what, *files = sys.argv[1:]
    {"names": write_names, "link": write_spans}[what](*map(Path, files))


def write_names(dump: Path, folder: Path) -> None:
    """Build its dictionary and mention dictionary from a dump, at its thresholds."""
    DumpDB.build(WikiDumpReader(str(dump)), str(folder / "db"), pool_size=1, chunk_size=100)
    pages, tokenizer = DumpDB(str(folder / "db")), RegexpTokenizer()
    dictionary = Dictionary.build(
        pages, tokenizer, lowercase=True, min_word_count=5, min_entity_count=1,
        min_paragraph_len=5, category=False, disambi=False, pool_size=1, chunk_size=100,
        progressbar=False,
    )  # fmt: skip
    mentions = MentionDB.build(
        pages, dictionary, tokenizer, min_link_prob=0.2, min_prior_prob=0.01, max_mention_len=20,
        case_sensitive=False, pool_size=1, chunk_size=100, progressbar=False,
    )  # fmt: skip
    with (folder / "names.tsv").open("w", encoding="utf-8") as file:
        for m in mentions:
            row = (m.text, m.index, m.link_count, m.total_link_count, m.doc_count)
            file.write("\t".join(map(str, row)) + "\n")
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        for title in pages.titles():
            file.writelines(json.dumps(p.text) + "\n" for p in pages.get_paragraphs(title))


def read_names(path: Path) -> MentionDB:
    """Return its mention dictionary of the names in a table."""
    longest = 0

    def rows() -> object:
        nonlocal longest
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                name, *numbers = line.rstrip("\n").split("\t")
                longest = max(longest, len(name))
                yield name, tuple(map(int, numbers))

    data = RecordTrie("<IIII", rows())
    names = Trie(data.keys())
    return MentionDB(names, data, None, False, longest, {}, "")


class OneEntity:
    """Its table of names as if every name had one entity: so that spans of all are given."""

    def __init__(self, data: RecordTrie) -> None:
        self.data = data

    def __getitem__(self, name: str) -> list[tuple[int, ...]]:
        """Return the first entity of a name."""
        return self.data[name][:1]


def write_spans(names: Path, texts: Path, out: Path) -> None:
    """Find names in texts, and say how long that took."""
    start = time.process_time()
    mentions = read_names(names)
    times = {"build": time.process_time() - start}
    tokenizer = RegexpTokenizer()
    with texts.open(encoding="utf-8") as file:
        strings = [json.loads(line) for line in file]
    start = time.process_time()
    n_mentions = 0
    for text in strings:
        n_mentions += len(mentions.detect_mentions(text, tokenizer.tokenize(text)))
    times["link"] = time.process_time() - start
    start = time.process_time()
    for text in strings:
        tokenizer.tokenize(text)
    times["tokenize"] = time.process_time() - start
    data, mentions.data_trie = mentions.data_trie, OneEntity(mentions.data_trie)
    spans = [
        [[m.start, m.end] for m in mentions.detect_mentions(text, tokenizer.tokenize(text))]
        for text in strings
    ]
    told = {"seconds": times, "n_mentions": n_mentions, "n_names": len(data), "spans": spans}
    out.write_text(json.dumps(told))


if __name__ == "__main__":
    main()

"""Print as JSON Lines what wikipedia2vec made of a dump; run by the Python it is installed for.

PYTHON benchmarks/dictionary_peer.py DB DICTIONARY MENTIONS
"""

import json
import sys

from wikipedia2vec.dictionary import Dictionary
from wikipedia2vec.dump_db import DumpDB
from wikipedia2vec.mention_db import MentionDB


def main() -> None:
    """Print pages, redirects, entities, and the pairs of the mention dictionary."""
    dump, dictionary = DumpDB(sys.argv[1]), Dictionary.load(sys.argv[2])
    for title in dump.titles():
        sections = [
            [section.text, [[a.title, a.start, a.end] for a in section.wiki_links]]
            for section in dump.get_paragraphs(title)
        ]
        flag = dump.is_disambiguation(title)
        put({"page": title, "is_disambiguation": flag, "sections": sections})
    for title, target in dump.redirects():
        put({"redirect": title, "target": target})
    for entity in dictionary.entities():
        put({"entity": entity.title})
    for pair in MentionDB.load(sys.argv[3], dictionary):
        put(
            {
                "name": pair.text,
                "of": pair.entity.title,
                "link_prob": pair.link_prob,
                "commonness": pair.prior_prob,
                "counts": [pair.link_count, pair.total_link_count, pair.doc_count],
            }
        )


def put(row: dict) -> None:
    """Print one line."""
    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()

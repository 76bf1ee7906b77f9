"""Data sets of the papers: whose they are, where they go, what is there, and how each is read.

`find` looks, `size_of` counts what a file has beside what the published one has, and a reader for
each layout gives what the rest of the package takes. No data comes with the package.
"""

from isogloss.reproduce.data.data_set import DataSet, Paper, PublishedFile
from isogloss.reproduce.data.finding import NOT_THERE, Found, Missing, Size, find, size_of
from isogloss.reproduce.data.known import DATA_SETS, data_set
from isogloss.reproduce.data.mldoc import mldoc
from isogloss.reproduce.data.sentences import sentences_of_sts
from isogloss.reproduce.data.shinra import (
    ShinraCounts,
    join_shinra,
    shinra,
    shinra_beginning,
)
from isogloss.reproduce.data.tagged import conll_ner, encoding_of, ud
from isogloss.retrieve.benchmark_files import read_bucc as bucc
from isogloss.retrieve.benchmark_files import read_sts as sts
from isogloss.retrieve.benchmark_files import read_tatoeba as tatoeba
from isogloss.retrieve.benchmark_files import read_un as un

__all__ = [
    "DATA_SETS", "NOT_THERE", "DataSet", "Found", "Missing", "Paper", "PublishedFile",
    "ShinraCounts", "Size", "bucc", "conll_ner", "data_set", "encoding_of", "find", "join_shinra",
    "mldoc", "sentences_of_sts", "shinra", "shinra_beginning", "size_of", "sts", "tatoeba", "ud",
    "un",
]  # fmt: skip

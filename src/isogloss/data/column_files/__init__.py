"""Column files: a word a line with its columns, read for their tags and written back with others.

CoNLL-U, CoNLL-2002 and 2003, WikiANN and UNER have one reader, `read_column_file`.
"""

from isogloss.data.column_files.column_file import ColumnFile, ColumnSentence
from isogloss.data.column_files.formats import ColumnFormat
from isogloss.data.column_files.reading import read_column_file
from isogloss.data.column_files.writing import write_tagged

__all__ = ["ColumnFile", "ColumnFormat", "ColumnSentence", "read_column_file", "write_tagged"]

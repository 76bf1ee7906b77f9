"""One column of a line replaced in its bytes, all else as it was."""

import re

from isogloss.data.column_files.formats import Layout

_NOT_BLANK = re.compile(rb"[^ ]+")


def replaced(raw: bytes, tag: bytes, layout: Layout) -> bytes:
    """Return a line of a word with another tag; after a tab where words stand alone.

    The encodings that `reading` takes write tabs, blanks and line ends as ASCII does, and nothing
    else with these bytes.
    """
    body = raw.removesuffix(b"\n").removesuffix(b"\r")
    end = raw[len(body) :]
    if layout.tag == layout.n_columns:
        return body + b"\t" + tag + end
    if layout.separator == "\t":
        columns = body.split(b"\t")
        columns[layout.tag] = tag
        return b"\t".join(columns) + end
    for at, match in enumerate(_NOT_BLANK.finditer(body)):
        if at == layout.tag:
            return body[: match.start()] + tag + body[match.end() :] + end
    raise AssertionError("a line that was read has its columns")

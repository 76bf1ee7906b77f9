r"""Text of users as it may be shown: what moves a terminal's cursor or its clipboard is spelt out.

A title or a label may hold the codes that make a terminal write elsewhere, answer, or fill the
clipboard. They are shown as JSON escapes them, so that JSON means the same as before.
"""

import re

_CODES = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # but tab and line feed
    "\u202a-\u202e\u2066-\u2069"  # order of writing: what is read is not what is there
    "\ud800-\udfff]"  # half characters, as of a name that is not UTF-8: no stream takes them
)

_ENDS = re.compile("[\n\u2028\u2029]")  # of lines; the others are codes

_MARKS = re.compile(r"([\\`*_\[\]|~$#])")  # what Markdown takes for its own inside a line


def visible(text: str) -> str:
    r"""Return a text with its control and half characters as ``\u001b``; tabs and line feeds stay.

    Examples
    --------
    >>> print(visible("Kyoto\x1b]52;c;aGk=\x07 \u202eotoyK"))
    Kyoto\u001b]52;c;aGk=\u0007 \u202eotoyK
    """
    return _CODES.sub(_spelt, text)


def visible_in_line(text: str) -> str:
    r"""Return a text as part of one line: as `visible`, and the ends of lines are spelt out too.

    Examples
    --------
    >>> print(visible_in_line("two\nlines.csv"))
    two\u000alines.csv
    """
    return _ENDS.sub(_spelt, visible(text))


def _spelt(code: re.Match[str]) -> str:
    return f"\\u{ord(code[0]):04x}"


def visible_in_markdown(text: str, *, longest: int = 100) -> str:
    r"""Return a text as part of a line of Markdown, where it is text and nothing else.

    Examples
    --------
    >>> print(visible_in_markdown("a*b*\n<script>|[x](y)"))
    a\*b\* &lt;script>\|\[x\](y)
    """
    line = " ".join(visible(text).split())
    line = line if len(line) <= longest else f"{line[:longest]}…"
    return _MARKS.sub(r"\\\1", line.replace("&", "&amp;").replace("<", "&lt;"))

"""Names of the places in the arrays that the parts of the wikitext scanner share.

Compiled functions cannot share variables, only arrays; the first numbers index one of int64.
"""

# The state.
OUT = 0  # bytes of text written
PAGE = 1  # where the page's text starts
LINE = 2  # where the line's text starts
ROW, LINE_ROW = 3, 4  # links written; the first of the line
TARGETS = 5  # bytes of targets written
SECTIONS = 6
NAMES, NAME_BYTES = 7, 8  # templates written, and the bytes of their names
CUT = 9  # the next cut
FRESH = 10  # whether nothing but comments was met on the line
HEADING = 11  # whether the line began with an equals sign
DEPTH = 12  # open links
EXTERNAL = 13  # whether an external link is open
BRACKETS = 14  # single brackets open in the text
BOLD, ITALIC = 15, 16  # runs of apostrophes of the line
AFTER_LETTER, AFTER_WORD, AFTER_SPACE = 17, 18, 19  # where its first bold runs are, or -1
RUN_END = 20  # where the text after the last run of apostrophes starts
STEPS = 21  # bytes looked at outside the plain copy; grows linearly with the input
N_CUTS, N_BRACES = 22, 23  # of the search for cuts: cuts found, open pairs of braces
UNCLOSED = 24  # from here on by kind of tag: 1 where no closing tag follows; [0]: comments
STATE_SIZE = UNCLOSED + 64

# Columns of a cut: a part of the page that is not read.
BEGIN, END, KIND, FIRST, LAST = 0, 1, 2, 3, 4
COMMENT, TEMPLATE, DROPPED, VERBATIM = 0, 1, 2, 3  # kinds; VERBATIM: read [FIRST, LAST) as it is

# Columns of an open bracket in the search for cuts.
POSITION, COUNT, CUTS_BEFORE = 0, 1, 2  # COUNT: braces, 0 for a table

# Columns of an open link, and how many may be open: captions in captions.
LINK_KIND, TEXT_BEGIN, ROW_BEFORE, TARGET_END, OUTER_EXTERNAL = 0, 1, 2, 3, 4
SEGMENT, SEGMENT_ROW, SEGMENT_TARGETS, IS_OPTION, HAS_CAPTION = 5, 6, 7, 8, 9
LINE_BEFORE, TARGETS_BEFORE = 10, 11
OPEN_LINK_SIZE = 12
MOST_OPEN = 64

# Columns of a link, and its kinds.
ROW_KIND, ROW_TARGET_END, ROW_START, ROW_END = 0, 1, 2, 3
ARTICLE_LINK, CATEGORY_LINK, WIKI_LINK = 0, 1, 3

# Kinds of link while they are open, beside these: a file, a target that is not known, and what is
# no part of the text (this added to the kind of its row).
OPEN_FILE, HIDDEN_LINK, UNKNOWN = 2, 4, 8

"""Small column files of each format, and what reads them from a string."""

import io

from isogloss.data.column_files import ColumnFile, read_column_file

CONLLU = """\
# newdoc id = n1
# sent_id = a-1
# text = Vamos al mar
1	Vamos	ir	VERB	V	_	0	root	_	_
2-3	al	_	_	_	_	_	_	_	_
2	a	a	ADP	E	_	4	case	_	Lang=es
3	el	el	DET	D	_	4	det	_	_
4	mar	mar	NOUN	N	_	1	obl	_	SpaceAfter=No
4.1	es	ser	AUX	_	_	_	_	_	_

# sent_id = a-2
0.1	_	_	VERB	_	_	_	_	_	_
1	港口	_	NOUN	N	_	0	root	_	_
2	20 000	_	NUM	M	_	1	nummod	_	_
3	#	_	SYM	_	_	1	dep	_	_

"""
UNER = """\
# sent_id = e-1
# text = Ob in Kyoto
1	Ob	O	-	-
2	in	O	-	-
3	Kyoto	B-LOC	-	anna

# sent_id = e-2
1	#	O	-	-

"""
CONLL2003 = """\
-DOCSTART- -X- O O

EU NNP I-NP I-ORG
rejects VBZ I-VP O
# # I-NP O

-DOCSTART- -X- O O

Perú NNP I-NP I-LOC
"""
DUTCH = "-DOCSTART- -DOCSTART- O\nDe Art O\ntekst N O\n\nGent N B-LOC\n"
MULTICONER = "# id 5239d\tdomain=de\nder _ _ O\nHafen _ _ B-LOC\n\n\n# id 77\tdomain=de\n# _ _ O\n"
WIKIANN = "en:Kyoto\tB-LOC\nen::\tO\n\nen:#\tO\nen:de:x\tO\n"


def read(text: str | bytes, **options) -> ColumnFile:
    raw = text if isinstance(text, bytes) else text.encode(options.get("encoding", "utf-8"))
    return read_column_file(io.BytesIO(raw), **options)

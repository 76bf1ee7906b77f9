"""The data sets of the four papers: whose they are, where their files go, how large they are.

Sizes are those of the published files as they were found at these places:

- CoNLL-2002: the cards of conll2002 on Hugging Face, without the empty sentence that an earlier
  version counted. CoNLL-2003, English: the card of conll2003 there, which is Table 1 of Tjong Kim
  Sang and De Meulder (2003) without one ``-DOCSTART-`` an article. German: not checked, so none.
- MLDoc: the length of the lists of articles in facebookresearch/MLDoc (1,000, 1,000, 4,000 a
  language).
- BUCC 2018: pairs of the training files, and Tatoeba: pairs of each language, both as mteb counts
  them; no other split of BUCC was checked.
- UN: 4,000 lines, as programs that read the test set count it.
- STS: rows of the files in brmson/dataset-sts, 2012 to 2015; those of 2016 were not counted.
- SHINRA2020-ML: its files need an account; neither their names nor their sizes were checked. The
  form of a line is that of the task's page on its data.
- Universal Dependencies: sizes change with each release, so none are compared. Pires et al. (2019)
  do not say which treebank of a language they took, as far as could be found; ours is one of each.
  Releases of their time have other names (``ta-ud-train.conllu``), which are not looked for.
"""

from pathlib import Path

from isogloss.data.lines import open_lines
from isogloss.errors import InputError, did_you_mean
from isogloss.reproduce.data.data_set import DataSet, PublishedFile
from isogloss.reproduce.data.mldoc import mldoc
from isogloss.reproduce.data.shinra import n_records
from isogloss.reproduce.data.tagged import conll_ner, ud
from isogloss.retrieve.benchmark_files import ENGLISH, STS_ENDING, UN, sts_rows

SPLITS = ("train", "dev", "test")

_CONLL_PARTS = dict(zip(SPLITS, ("train", "testa", "testb"), strict=True))
_CONLL_SIZES: dict[str, tuple[int | None, ...]] = {
    "esp": (8323, 1915, 1517), "ned": (15806, 2895, 5195), "eng": (14041, 3250, 3453),
    "deu": (None, None, None),
}  # fmt: skip
_MLDOC_LANGUAGES = {
    "en": "english", "de": "german", "es": "spanish", "fr": "french", "it": "italian",
    "ja": "japanese", "ru": "russian", "zh": "chinese",
}  # fmt: skip
_MLDOC_PARTS = {"train": ("train.1000", 1000), "dev": ("dev", 1000), "test": ("test", 4000)}
# Those that the published tables of the task are of.
_SHINRA_LANGUAGES = ("en", "fr", "de", "ja", "zh", "it", "ru", "es", "hi", "th", "ar")
_TREEBANKS = {
    "en": "English-EWT", "de": "German-GSD", "es": "Spanish-AnCora", "it": "Italian-ISDT",
    "hi": "Hindi-HDTB", "ur": "Urdu-UDTB", "bg": "Bulgarian-BTB", "ja": "Japanese-GSD",
    "eu": "Basque-BDT", "fa": "Persian-Seraji", "ko": "Korean-GSD", "mr": "Marathi-UFAL",
    "ta": "Tamil-TTB", "te": "Telugu-MTG", "tr": "Turkish-IMST",
}  # fmt: skip
_BUCC_GOLD = {"de": 9580, "fr": 9086, "ru": 14435, "zh": 1899}
_UN_LANGUAGES = (ENGLISH, "ar", "es", "fr", "ru", "zh")
_STS_PARTS: dict[int, dict[str, int | None]] = {
    2012: {"MSRpar": 750, "OnWN": 750, "SMTeuroparl": 459, "SMTnews": 399},
    2013: {"FNWN": 189, "OnWN": 561, "headlines": 750},
    2014: {
        "OnWN": 750, "deft-forum": 450, "deft-news": 300, "headlines": 750, "images": 750,
        "tweet-news": 750,
    },
    2015: {
        "answers-forums": 2000, "answers-students": 1500, "belief": 2000, "headlines": 1500,
        "images": 1500,
    },
    2016: dict.fromkeys(
        ("answer-answer", "headlines", "plagiarism", "postediting", "question-question")
    ),
}  # fmt: skip
ALL_LANGUAGES = "mul"  # ISO 639-2
_TATOEBA = (
    "afr amh ang ara arq arz ast awa aze bel ben ber bos bre bul cat cbk ceb ces cha cmn cor csb "
    "cym dan deu dsb dtp ell epo est eus fao fin fra fry gla gle glg gsw heb hin hrv hsb hun hye "
    "ido ile ina ind isl ita jav jpn kab kat kaz khm kor kur kzj lat lfn lit lvs mal mar max mhr "
    "mkd mon nds nld nno nob nov oci orv pam pes pms pol por ron rus slk slv spa sqi srp swe swg "
    "swh tam tat tel tgl tha tuk tur tzl uig ukr urd uzb vie war wuu xho yid yue zsm"
)
_TATOEBA_PAIRS = 1000  # but of these
_TATOEBA_FEWER = {
    "amh": 168, "ang": 134, "arq": 911, "arz": 477, "ast": 127, "awa": 231, "bos": 354, "ceb": 600,
    "cha": 137, "csb": 253, "cym": 575, "dsb": 479, "fao": 262, "fry": 173, "gla": 829, "gsw": 117,
    "hsb": 483, "hye": 742, "jav": 205, "kat": 746, "kaz": 575, "khm": 722, "kur": 410, "mal": 687,
    "max": 284, "mon": 440, "nov": 257, "orv": 835, "pms": 525, "slv": 823, "swg": 112, "swh": 390,
    "tam": 307, "tel": 234, "tha": 548, "tuk": 203, "tzl": 104, "uzb": 428, "xho": 142, "yid": 848,
}  # fmt: skip


def data_set(name: str) -> DataSet:
    """Return a data set by the name of its folder.

    Raises
    ------
    InputError
        For another name.
    """
    known = {one.folder: one for one in DATA_SETS}
    if name not in known:
        raise InputError(f"no data set '{name:.40}'; {did_you_mean(name, known)}")
    return known[name]


def _conll(lang: str, name: str) -> list[PublishedFile]:
    return [
        PublishedFile(lang, split, (f"{name}.{part}",), n=n)
        for (split, part), n in zip(_CONLL_PARTS.items(), _CONLL_SIZES[name], strict=True)
    ]


def _mldoc_files() -> list[PublishedFile]:
    found = []
    for lang, name in _MLDOC_LANGUAGES.items():
        for split, (part, n) in _MLDOC_PARTS.items():
            file = f"{name}.{part}"
            found.append(PublishedFile(lang, split, (f"{name}/{file}", file), n=n))
    return found


def _shinra_files() -> list[PublishedFile]:
    found = []
    for lang in _SHINRA_LANGUAGES:
        found.append(PublishedFile(lang, "labels", (f"{lang}.json", f"{lang}.jsonl")))
        dump = f"{lang}wiki-*cirrussearch-content.json"
        found.append(PublishedFile(lang, "texts", (dump, f"{lang}.texts.jsonl")))
    return found


def _treebank(lang: str, name: str) -> list[PublishedFile]:
    found = []
    for split in SPLITS:
        file = f"{lang}_{name.partition('-')[2].lower()}-ud-{split}.conllu"
        found.append(PublishedFile(lang, split, (f"UD_{name}/{file}", file)))
    return found


def _bucc_files() -> list[PublishedFile]:
    found = []
    for lang, n in _BUCC_GOLD.items():
        stem = f"{lang}-{ENGLISH}.training"
        beside = (f"{stem}.{lang}", f"{stem}.{ENGLISH}")
        gold = f"{stem}.gold"
        found.append(PublishedFile(lang, "training", (f"{lang}-{ENGLISH}/{gold}", gold), beside, n))
    return found


def _sts_files() -> list[PublishedFile]:
    return [
        PublishedFile(ENGLISH, f"{year}/{part}", (f"{year}/{part}{STS_ENDING}",), n=n)
        for year, parts in _STS_PARTS.items()
        for part, n in parts.items()
    ]


def _tatoeba_files() -> list[PublishedFile]:
    found = []
    for lang in _TATOEBA.split():
        stem, n = f"tatoeba.{lang}-eng", _TATOEBA_FEWER.get(lang, _TATOEBA_PAIRS)
        found.append(PublishedFile(lang, "test", (f"{stem}.{lang}",), (f"{stem}.eng",), n))
    return found


def _n_lines(path: Path) -> int:
    return sum(1 for _ in open_lines(path))


DATA_SETS = (
    DataSet(
        name="CoNLL-2002", papers=("pires",), folder="conll2002",
        licence="research on the task alone; not for commercial use (its read-me)",
        source="https://www.clips.uantwerpen.be/conll2002/ner/ (Spanish: news of EFE)",
        layout=(
            "esp.train, esp.testa, esp.testb and ned.…: a word a line, its entity in the last "
            "column (IOB2), a blank line after a sentence."
        ),
        unit="sentence", files=(*_conll("es", "esp"), *_conll("nl", "ned")),
        count=lambda path: len(conll_ner(path).sentences),
    ),
    DataSet(
        name="CoNLL-2003", papers=("pires",), folder="conll2003",
        licence="the words by agreement: English of NIST (Reuters), German of LDC (LDC94T5)",
        source=(
            "tags: https://www.clips.uantwerpen.be/conll2003/ner/; words: "
            "https://trec.nist.gov/data/reuters/reuters.html and "
            "https://catalog.ldc.upenn.edu/LDC94T5"
        ),
        layout=(
            "eng.train, eng.testa, eng.testb and deu.…, as bin/make.eng and bin/make.deu make "
            "them: a word a line, its entity in the last column (IOB1), -DOCSTART- before an "
            "article."
        ),
        unit="sentence", files=(*_conll("en", "eng"), *_conll("de", "deu")),
        count=lambda path: len(conll_ner(path).sentences),
    ),
    DataSet(
        name="Universal Dependencies", papers=("pires",), folder="ud",
        licence="each treebank its own, in its README.md",
        source="https://universaldependencies.org (a release is one archive)",
        layout=(
            "UD_English-EWT/en_ewt-ud-train.conllu and the like, or the files without their "
            "folders: CoNLL-U."
        ),
        unit="sentence",
        files=tuple(file for lang, name in _TREEBANKS.items() for file in _treebank(lang, name)),
        count=lambda path: len(ud(path).sentences),
    ),
    DataSet(
        name="WALS", papers=("pires",), folder="wals",
        licence="CC BY 4.0",
        source="https://github.com/cldf-datasets/wals (its folder cldf); https://wals.info",
        layout="codes.csv, languages.csv and values.csv: the order of words of each language.",
        unit="line",
        files=tuple(
            PublishedFile(ALL_LANGUAGES, table, (f"{table}.csv",))
            for table in ("codes", "languages", "values")
        ),
        count=_n_lines,
    ),
    DataSet(
        name="MLDoc", papers=("boe",), folder="mldoc",
        licence="by agreement with NIST: news of Reuters (RCV1 and RCV2)",
        source=(
            "texts: https://trec.nist.gov/data/reuters/reuters.html; the script that makes the "
            "files: https://github.com/facebookresearch/MLDoc"
        ),
        layout=(
            "english/english.train.1000, english.dev, english.test and the like, with or without "
            "the folder: label, tab, text, the text as b'…' where Python 3 ran the script."
        ),
        unit="document", files=tuple(_mldoc_files()), count=lambda path: len(mldoc(path).texts),
    ),
    DataSet(
        name="SHINRA2020-ML", papers=("boe",), folder="shinra2020-ml",
        licence="research only, with an account of the project",
        source="http://shinra-project.info/shinra2020ml/ (NTCIR-15)",
        layout=(
            "de.json (a page a line: pageid, ENEs with ENE_id) and "
            "dewiki-DATE-cirrussearch-content.json, or de.texts.jsonl with pageid, title, text; "
            "name them so: how they are called as published was not checked."
        ),
        unit="record", files=tuple(_shinra_files()), count=n_records,
    ),
    DataSet(
        name="STS 2012 to 2016", papers=("geometry", "labse"), folder="sts",
        licence="terms by part, in the read-me and licence of each year",
        source="https://github.com/brmson/dataset-sts (data/sts/semeval-sts); MSRvid is not in it",
        layout="2012/MSRpar.test.tsv and the like: score or nothing, tab, sentence, tab, sentence.",
        unit="row", files=tuple(_sts_files()), count=lambda path: sum(1 for _ in sts_rows(path)),
    ),
    DataSet(
        name="Tatoeba", papers=("labse",), folder="tatoeba",
        licence="CC BY 2.0 FR",
        source="https://github.com/facebookresearch/LASER (data/tatoeba/v1)",
        layout="tatoeba.deu-eng.deu and tatoeba.deu-eng.eng: line i of both is a pair.",
        unit="pair", files=tuple(_tatoeba_files()), count=_n_lines,
    ),
    DataSet(
        name="BUCC 2018", papers=("labse",), folder="bucc2018",
        licence="not checked; see the task's page",
        source="https://comparable.limsi.fr/bucc2018/bucc2018-task.html",
        layout=(
            "de-en/de-en.training.de, .en (id, tab, sentence) and .gold (id, tab, id), with or "
            "without the folder."
        ),
        unit="pair", files=tuple(_bucc_files()), count=_n_lines,
    ),
    DataSet(
        name="UN parallel corpus", papers=("labse",), folder="un",
        licence="free, without warranty; its disclaimer is to be respected",
        source="https://cms.unov.org/UNCorpus (test sets)",
        layout="UNv1.0.testset.en, .ar, .es, .fr, .ru, .zh: line i of all is one sentence.",
        unit="line",
        files=tuple(
            PublishedFile(lang, "test", (f"{UN}.{lang}",), n=4000) for lang in _UN_LANGUAGES
        ),
        count=_n_lines,
    ),
)  # fmt: skip

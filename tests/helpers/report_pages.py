"""Rows of a classification report, and a page that checks how its tags nest."""

from html.parser import HTMLParser

LANGS = [
    "en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "el", "tr", "ar", "fa", "he", "hi",
    "bn", "ta", "th", "vi", "id", "ja", "ko", "zh", "zh-Hant", "sw", "yo", "sr-Latn", "am", "az",
    "be", "bg", "ca", "cs", "da", "et", "eu", "fi", "ga", "gl", "gu", "ha", "hr", "hu", "hy", "ig",
    "is", "ka", "kk", "km", "kn", "lt", "lv", "mk", "ml", "mr", "my", "nb", "ne",
]  # fmt: skip
VOID = {"meta", "br", "wbr"}


def row(lang, accuracy, **others):
    counts = {"n": 99, "n_unlinked": 3, "n_unseen_entity": 7, "n_unseen_label": 1, "truncated": 0}
    scores = {
        "accuracy": accuracy, "accuracy_low": accuracy - 0.05, "accuracy_high": accuracy + 0.05,
        "accuracy_seen": accuracy, "macro_f1": accuracy, "micro_f1": accuracy,
    }  # fmt: skip
    return {"lang": lang} | counts | scores | others


def mean_of(langs, accuracy=0.7, **others):
    mean = row("", accuracy, **others) | {"langs": langs}
    del mean["lang"]
    return mean


class Page(HTMLParser):
    """Check that tags nest, and keep them with their attributes and the text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag, **attributes):
        return [
            found
            for name, found in self.tags
            if name == tag and attributes.items() <= found.items()
        ]

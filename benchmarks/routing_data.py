"""Messages of software in many languages, labelled by the product area they belong to.

`data/parallel` pairs English strings with their translations; the tag ``app:NAME`` says which
program a string is from. Programs are merged into eight product areas. Training takes English
sides of the training pairs, a test the translations of the held-back pairs, so a test of a language
asks: does a classifier that saw English alone send this message to the right team? Training strings
that nearly equal the English side of a test pair are dropped; strings of two areas too.
Everything is deterministic.
"""

import gzip
import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The name of a catalogue, or its beginning where it ends in "*".
PRODUCT_AREAS = {
    "graphics": "inkscape gimp20* krita darktable digikam gthumb shotwell eog eom simple-scan "
    "gnome-color-manager colord gnome-photos",
    "finance": "gnucash kmymoney skrooge",
    "audio and video": "vlc audacity rhythmbox totem brasero kdenlive pitivi cheese xfburn parole "
    "pulseaudio denemo org.gnome.Music",
    "mail and chat": "evolution evolution-data-server kmail pidgin konversation hexchat polari "
    "gnome-contacts",
    "web and network": "filezilla epiphany ktorrent NetworkManager nm-applet gnome-nettool wget "
    "vinagre konqueror kcmkonqhtml webenginepart",
    "desktop and files": "caja nautilus dolphin thunar nemo nemo-extensions cinnamon cinnamon-* "
    "mate-* gnome-shell gnome-control-center-2.0 marco gdm kcm_* plasma_* gnome-tweaks",
    "system and packages": "aptitude synaptic apt dpkg dselect gnome-software PackageKit flatpak "
    "appstream grub util-linux coreutils systemd gnome-disk-utility gnome-system-tools procps-ng "
    "shadow sudo sudoers gdebi deja-dup",
    "learning and games": "kalzium gbrainy klavaro parley kwordquiz kbruch kgeography tuxmath "
    "ktouch khangman step libgraphtheory aisleriot gnubg gnome-chess iagno gnome-mines "
    "five-or-more gnome-sudoku lightsoff gnome-robots quadrapassel gnome-nibbles gnome-mahjongg "
    "gnome-tetravex-gui gnome-taquin gnome-klotski four-in-a-row pioneers tali",
}
NEARLY_EQUAL = 0.7  # share of words in common, of the words of both
N_TRAINING = 2000
N_TEST = 120  # texts of a language at most
LEAST_TEST = 60  # a language with fewer is left out


@dataclass(frozen=True)
class Messages:
    """Texts, their product areas, and the English sides (the same texts in English)."""

    texts: list[str]
    labels: list[str]
    english: list[str]


def read_routing(
    data: Path,
    *,
    n_training: int = N_TRAINING,
    n_test: int = N_TEST,
    with_training_pairs: bool = False,
    seed: int = 0,
) -> tuple[Messages, dict[str, Messages]]:
    """Read the English training messages, and the test messages of each language.

    Parameters
    ----------
    data
        The folder of `parallel`.
    n_training
        Training messages, the same number of each area.
    n_test
        Test messages of a language at most; a language with fewer than `LEAST_TEST` is left out.
    with_training_pairs
        Fill up the test messages with pairs that are not held back: for an encoder that was not
        trained on them.
    seed
        Which training messages are drawn; the test messages are the same for all seeds.
    """
    tests = {}
    for file in sorted((data / "dev").glob("*.tsv.gz")):
        rows = sorted(_labelled(file), key=lambda row: _hash(row[0]))[:n_test]
        if with_training_pairs:
            more = sorted(_labelled(data / file.name), key=lambda row: _hash(row[0]))
            rows += more[: n_test - len(rows)]
        if len(rows) >= LEAST_TEST:
            english, texts, labels = map(list, zip(*rows, strict=True))
            tests[file.name.split(".")[0]] = Messages(texts, labels, english)
    return _training(data, tests, n_training, seed), tests


def area_of(tag: str) -> str | None:
    """Return the product area of a source tag such as ``app:gimp20@lat``, or None.

    Examples
    --------
    >>> area_of("app:gimp20-script-fu"), area_of("app:nemo"), area_of("wesnoth")
    ('graphics', 'desktop and files', None)
    """
    source, _, program = tag.partition(":")
    program = program.partition("@")[0]
    if source != "app":
        return None
    for area, names in PRODUCT_AREAS.items():
        for name in names.split():
            if program == name or (name.endswith("*") and program.startswith(name[:-1])):
                return area
    return None


def _training(data: Path, tests: dict[str, Messages], n_training: int, seed: int) -> Messages:
    areas: dict[str, set[str]] = defaultdict(set)
    for file in sorted(data.glob("*.tsv.gz")):
        for english, _, area in _labelled(file):
            areas[english].add(area)
    test_sides = {_words(english) for test in tests.values() for english in test.english}
    holding = defaultdict(list)
    for words in sorted(test_sides, key=sorted):
        for word in words:
            holding[word].append(words)
    chosen: list[tuple[str, str]] = []
    room = dict.fromkeys(PRODUCT_AREAS, n_training // len(PRODUCT_AREAS))
    for english in sorted(areas, key=lambda text: _hash(f"{seed}:{text}" if seed else text)):
        (area, *more) = areas[english]
        if more or not room[area] or _is_near(_words(english), holding):
            continue
        room[area] -= 1
        chosen.append((english, area))
    texts = [text for text, _ in chosen]
    return Messages(texts, [area for _, area in chosen], texts)


def _labelled(file: Path) -> Iterator[tuple[str, str, str]]:
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            english, text, tag = line.rstrip("\n").split("\t")
            if (area := area_of(tag)) is not None:
                yield english, text, area


def _is_near(words: frozenset[str], holding: dict[str, list[frozenset[str]]]) -> bool:
    shared: dict[frozenset[str], int] = defaultdict(int)
    for word in words:
        for other in holding.get(word, ()):
            shared[other] += 1
    return any(
        count / (len(words) + len(other) - count) >= NEARLY_EQUAL for other, count in shared.items()
    )


def _words(text: str) -> frozenset[str]:
    letters = "".join(letter if letter.isalpha() else " " for letter in text.lower())
    return frozenset(letters.split())


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

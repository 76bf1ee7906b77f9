"""The product names of the routing set: a glossary for `isogloss kb build`, and masked in texts.

Which names: those by which the programs of `routing_data.PRODUCT_AREAS` call themselves. A name
that is a plain word of interfaces (*Files*, *Music*, *Mines*) stands here in its full form only
(*GNOME Mines*). Written from the programs' names alone; no test message was looked at for it. Names
of whole families (GNOME, KDE, Debian) are not among them: they belong to several areas.
"""

import csv
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

# Area to its products, one a line; further names of the same product after ";".
PRODUCTS = {
    "graphics": """
Inkscape
GIMP; GNU Image Manipulation Program; The GIMP
Script-Fu
Krita
darktable
digiKam
gThumb
Shotwell
Eye of GNOME
Eye of MATE
Simple Scan
GNOME Color Manager
colord
GNOME Photos
""",
    "finance": """
GnuCash
KMyMoney
Skrooge
""",
    "audio and video": """
VLC; VLC media player; VideoLAN
Audacity
Rhythmbox
Totem
Brasero
Kdenlive
Pitivi
Cheese
Xfburn
Parole
PulseAudio
Denemo
GNOME Music
""",
    "mail and chat": """
Evolution; Evolution Data Server
KMail
Pidgin; libpurple
Konversation
HexChat; XChat
Polari
GNOME Contacts
""",
    "web and network": """
FileZilla
Epiphany; GNOME Web
KTorrent
NetworkManager; Network Manager; nm-applet
GNOME Network Tools
Wget; GNU Wget
Vinagre
Konqueror
""",
    "desktop and files": """
Caja
Nautilus
Dolphin
Thunar
Nemo
Cinnamon
MATE
GNOME Shell
GNOME Control Center
Marco
GDM
Plasma; KDE Plasma
GNOME Tweaks
""",
    "system and packages": """
aptitude
Synaptic
APT; apt-get
dpkg
dselect
GNOME Software
PackageKit
Flatpak
AppStream
GRUB; GNU GRUB
util-linux
coreutils; GNU coreutils
systemd
GNOME Disks
procps
sudo; sudoers; visudo
GDebi
Déjà Dup
""",
    "learning and games": """
Kalzium
gbrainy
Klavaro
Parley
KWordQuiz
KBruch
KGeography
TuxMath; Tux of Math Command
KTouch
KHangMan
AisleRiot
GNU Backgammon; gnubg
GNOME Chess
Iagno
GNOME Mines
Five or More
GNOME Sudoku
Lights Off
GNOME Robots
Quadrapassel
GNOME Nibbles
GNOME Mahjongg
GNOME Tetravex; Tetravex
GNOME Taquin; Taquin
GNOME Klotski; Klotski
Four-in-a-Row
Pioneers
Tali
""",
}
MASK = "X"
_LATIN = "A-Za-z\u00c0-\u024f"
_ONLY_AS_WRITTEN = frozenset({"MATE"})  # a mate is a word of many languages
_LONG_ENOUGH = 4  # letters of a name that may have an ending written to it


def names_by_product() -> dict[str, list[str]]:
    """Return the id of each product with its names, the usual one first."""
    listed = [names for area in PRODUCTS for names in _products(area)]
    return {f"product:{re.sub('[^a-z]+', '-', names[0].lower())}": names for names in listed}


def write_glossary(path: Path, langs: Iterable[str]) -> None:
    """Write a table of names (id, lang, name, type): each in all languages, spelt the same."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "lang", "name", "type"])
        for product, names in names_by_product().items():
            for lang in langs:
                writer.writerows([product, lang, name, "program"] for name in names)


def masked(text: str) -> str:
    """Return a text with `MASK` for every product name, and for an ending written to it.

    One word with a capital inside (*GnuCash*) is found in small letters too, a name in small
    letters with a first capital too, others as they are written. Names in other letters than
    Latin stay.

    Examples
    --------
    >>> masked("Sudo and GIMPissä, Pidgin's; VLCを; a pidgin, gnucash-docs")
    'X and X, X; Xを; a pidgin, X-docs'
    """
    return _names(*PRODUCTS).sub(MASK, text)


def area_named(text: str) -> str | None:
    """Return the area whose products a text names; None where it names none, or of several areas.

    Examples
    --------
    >>> area_named("Krita の設定"), area_named("from GIMP to VLC")
    ('graphics', None)
    """
    found = [area for area in PRODUCTS if _names(area).search(text)]
    return found[0] if len(found) == 1 else None


def names_product(text: str) -> bool:
    """Return whether a text holds a product name in Latin letters."""
    return _names(*PRODUCTS).search(text) is not None


def _products(area: str) -> list[list[str]]:
    return [line.split("; ") for line in PRODUCTS[area].strip().splitlines()]


@cache
def _names(*areas: str) -> re.Pattern[str]:
    """Match any name of some areas' products, the longest first."""
    listed = [name for area in areas for names in _products(area) for name in names]
    longest_first = sorted(listed, key=lambda name: (-len(name), name))
    either = "|".join(_pattern(name) for name in longest_first)
    return re.compile(f"(?<![{_LATIN}])(?:{either})(?![{_LATIN}])")


def _pattern(name: str) -> str:
    spellings = {name}
    if name.islower():
        spellings.add(name[0].upper() + name[1:])
    elif name.isalpha() and name not in _ONLY_AS_WRITTEN and name[1:] != name[1:].lower():
        spellings.add(name.lower())
    written = "|".join(re.escape(spelling) for spelling in sorted(spellings))
    mark = "['’]?" if len(name) >= _LONG_ENOUGH else "['’]"
    return f"(?:{written})(?:{mark}[{_LATIN}]{{1,6}})?"

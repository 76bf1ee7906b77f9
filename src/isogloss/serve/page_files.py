"""The files of the page, which ship with the package; its look is that of the reports."""

from importlib.resources import files

from isogloss.report.page import stylesheet

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


def page_files() -> dict[str, tuple[bytes, str]]:
    """Return name → content and type of each file of the page."""
    found = {"look.css": (stylesheet().encode(), KINDS["css"])}
    for file in files("isogloss.serve").joinpath("page").iterdir():
        ending = file.name.rpartition(".")[2]
        if ending in KINDS:
            found[file.name] = (file.read_bytes(), KINDS[ending])
    return found

"""Let the built site ask no other host for anything: `make docs` calls it after Zensical.

For search in pages opened from disk Zensical names a script of another host; ours takes its place.
Whatever else a page would load from elsewhere ends the build.
"""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "build" / "site"
SCRIPT = "worker-from-disk.js"
_SHIM = re.compile(r'src="https://unpkg\.com/iframe-worker/shim"')
# What a browser loads by itself; a link that a reader follows is none of it.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\bsrc\s*=\s*[\"']?(?:https?:)?//[^\s\"'>]+"
    r"|<(?:img|source)\b[^>]*\bsrcset\s*=\s*(?:\"(?:[^\"]*[\s,])?|'(?:[^']*[\s,])?)?(?:https?:)?//[^\s\"'>]+"
    r"|<object\b[^>]*\bdata\s*=\s*[\"']?(?:https?:)?//[^\s\"'>]+"
    r"|<link\b[^>]*\bhref\s*=\s*[\"']?(?:https?:)?//[^\s\"'>]+"
    r"|(?:url\(\s*[\"']?|@import\s+[\"'])(?:https?:)?//[^\s\"')]+"
)


def keep_at_home(site: Path) -> list[str]:
    """Put our script into the pages of a site; return what they load from other hosts still."""
    shutil.copy(Path(__file__).with_name(SCRIPT), site / "assets" / "javascripts")
    found = []
    for page in sorted(site.rglob("*.html")):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = _SHIM.sub(f'src="{up}assets/javascripts/{SCRIPT}"', page.read_text("utf-8"))
        page.write_text(text, "utf-8")
    for file in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        text = file.read_text("utf-8")
        found += [f"{file.relative_to(site)}: {what}" for what in _LOADED.findall(text)]
    return found


if __name__ == "__main__":
    elsewhere = keep_at_home(SITE)
    sys.exit("\n".join(["loaded from other hosts:", *elsewhere]) if elsewhere else 0)

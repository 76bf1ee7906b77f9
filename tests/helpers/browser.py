"""The system's Chromium, driven by selenium: for pages as people see them."""

import contextlib
import importlib.resources
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
WIDTHS = (1440, 390)  # of a desk and of a phone
PRINTED = 718  # of A4 between its margins, in CSS pixels
FOLDS = "document.querySelectorAll('details').forEach(one => { one.open = true })"


def lack() -> str:
    """Return why pages cannot be seen here; "" where they can."""
    missing = [f"no {path}" for path in (CHROMIUM, DRIVER) if not path.exists()]
    packages = ("selenium", "axe_playwright_python")
    missing += [f"no package {name}" for name in packages if not importlib.util.find_spec(name)]
    return ", ".join(missing)


needs_browser = pytest.mark.skipif(bool(lack()), reason=f"a browser test: {lack()}")


class Browser:
    """A window without a screen."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def look(self, width: int, *, dark: bool = False, media: str = "") -> None:
        """Be as wide as that, light or dark, perhaps printing."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        emulated = {"media": media, "features": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)

    def open(self, address: str | Path) -> None:
        """Open a page, and all that is folded in it."""
        self.driver.get(address.as_uri() if isinstance(address, Path) else address)
        self.run(FOLDS)

    def run(self, script: str) -> Any:
        """Return what a script returns."""
        return self.driver.execute_script(script)

    def sideways(self) -> list[str]:
        """Return the elements that stand out to the right, none where nothing scrolls sideways."""
        return self.run("""
            const width = document.documentElement.clientWidth;
            if (document.scrollingElement.scrollWidth <= width) return [];
            return [...document.querySelectorAll('body *')]
                .filter(one => one.getBoundingClientRect().right > width + 1)
                .map(one => one.tagName + '.' + one.getAttribute('class')).slice(0, 9);
        """)

    def faults(self) -> list[str]:
        """Return what axe finds that is serious or critical."""
        axe = importlib.resources.files("axe_playwright_python") / "axe.min.js"
        self.driver.execute_script(axe.read_text("utf-8"))
        found = self.driver.execute_async_script("axe.run().then(arguments[0])")
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]}: {one['nodes'][0]['failureSummary']}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]


@contextlib.contextmanager
def open_browser() -> Iterator[Browser]:
    """Start a browser, and end it."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        yield Browser(driver)
    finally:
        driver.quit()

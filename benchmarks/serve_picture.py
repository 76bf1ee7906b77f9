r"""Take the picture of the page of `isogloss serve` in the documentation: three texts, one open.

    isogloss demo --out demo
    isogloss classify fit --train en=src/isogloss/data/demo/train.en.tsv --kb demo/kb \
        --keep-examples --out topics
    isogloss serve topics
    python benchmarks/serve_picture.py http://127.0.0.1:8765 docs/images/serve-page.png

It needs selenium, Chromium with its driver, and fonts of the scripts that are shown.
"""

import argparse
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

WIDTH, HEIGHT = 1100, 1240
TEXTS = (
    "महोत्सव वाले हफ़्ते में इस्तांबुल के होटलों और दुकानदारों ने दोगुना कमाया।",
    "فاز المنتخب المصري في مباراة كرة القدم في القاهرة أمس.",
    "Redio ya Nairobi inasema bei ya sukari imepanda.",
)
ASK = """
document.getElementById('texts').value = arguments[0];
document.getElementById('ask-form').requestSubmit();
"""


def main() -> None:
    """Take it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", help="address of the server")
    parser.add_argument("out", type=Path, help="picture to make")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--driver", default="/usr/bin/chromedriver")
    given = parser.parse_args()
    options = webdriver.ChromeOptions()
    options.binary_location = given.chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    with webdriver.Chrome(options=options, service=Service(given.driver)) as driver:
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(given.page)
        wait = WebDriverWait(driver, 120)
        wait.until(
            lambda one: one.execute_script("return document.body.dataset.ready !== undefined")
        )
        driver.execute_script(ASK, "\n".join(TEXTS))
        wait.until(lambda one: one.find_elements("css selector", "#answers .evidences"))
        driver.execute_script(
            "document.activeElement.blur(); document.querySelector('#answers details').open = true"
        )
        driver.save_screenshot(str(given.out))
    print(given.out)


if __name__ == "__main__":
    main()

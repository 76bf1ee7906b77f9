"""The tiny models and texts of the tests of probes, which cut texts into the same words."""

import runpy

from repository import ROOT

PROBE = runpy.run_path(str(ROOT / "tests" / "probe" / "conftest.py"))
tiny_models, long_texts, bert = (PROBE[name] for name in ("tiny_models", "long_texts", "bert"))

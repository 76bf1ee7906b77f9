"""Zero-shot transfer between languages after Pires et al. (2019), and what may explain it."""

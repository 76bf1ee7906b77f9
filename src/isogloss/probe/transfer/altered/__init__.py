"""`probe script`: taggers on text in another script (Pires et al. 2019, Table 6)."""

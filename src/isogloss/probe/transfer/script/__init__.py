"""Text in another script: romanised, or code-switched (Pires et al. 2019, Table 6)."""

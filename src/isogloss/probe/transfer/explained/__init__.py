"""What goes with transfer: shared tokens, word order (Pires et al. 2019, Figures 1 and 2)."""

"""Language-agnostic sentence encoders, trained on translations (LaBSE, Feng et al. 2022)."""

"""Vector translation (Pires et al. 2019): whether one offset between languages translates."""

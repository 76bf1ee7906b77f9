"""Classifiers in forms that others run: sentence-transformers directories and ONNX graphs."""

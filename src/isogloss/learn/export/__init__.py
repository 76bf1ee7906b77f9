"""What exports of encoders and of classifiers share: directories for others, and ONNX graphs."""

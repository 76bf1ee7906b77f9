"""Fine-tune the encoder together with a head."""

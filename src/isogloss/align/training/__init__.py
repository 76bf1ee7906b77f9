"""Train an encoder on pairs: batches, the loss of one, and what of the encoder is trained."""

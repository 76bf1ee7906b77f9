"""The commands that make an encoder from texts: `align tokenizer` and `align pretrain`."""

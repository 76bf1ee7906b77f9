"""Words tagged one by one: parts of speech, and entities as runs of tags."""

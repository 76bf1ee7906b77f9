"""Files of vectors: text and binary of word2vec and Wikipedia2Vec, and the native mapped form."""

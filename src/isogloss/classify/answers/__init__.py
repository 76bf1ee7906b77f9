"""Answers to the rows of a file: what each row gets, in what state, and the summary of all."""

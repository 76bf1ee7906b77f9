"""The tables of four papers, measured again by what the rest of the package has.

A paper is a list of `tasks.Task`; a task has cells (`cells`), each kept in a file when it is done.
`running` makes those that are missing, `lines` is the table, `planning` says before what will run.
No figure is computed here: those of a cell are of the library's own functions.
"""

"""A server of one classifier, for programs and for a page: `isogloss serve`.

It has no own arithmetic: every answer is `classify.answers`'. Modules import the extra ``serve``
where they use it.
"""

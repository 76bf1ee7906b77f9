"""XML dumps: pages, and what a dump holds, extracted in resumable parts on all cores."""

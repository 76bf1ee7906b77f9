"""Wikipedia and Wikidata: dumps, wikitext, SQL tables and the JSON of Wikidata."""

"""A wiki's SQL dumps: page properties, redirects and language links."""

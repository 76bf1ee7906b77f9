"""Systems compared on the user's own data: paired differences over documents and seeds."""

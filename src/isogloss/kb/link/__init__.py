"""Link text: mentions with their spans and candidates, and bags of entities."""

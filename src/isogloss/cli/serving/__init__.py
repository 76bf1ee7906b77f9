"""What serves: a model, or a trial of one on a page."""

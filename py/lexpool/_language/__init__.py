"""Parts of `Language`: evaluation and training of a pipeline."""

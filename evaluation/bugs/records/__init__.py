"""Still more bugs in inputs and targets: how records are read, sampled and converted."""

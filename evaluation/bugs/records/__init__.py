"""More bugs in inputs and targets, and in which samples are trained on."""

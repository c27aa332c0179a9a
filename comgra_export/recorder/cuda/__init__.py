"""The kernels of each CUDA device, and the memory that they need."""

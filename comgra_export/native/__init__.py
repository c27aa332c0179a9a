"""Machine code for what the recorder does with every value, if there was a C compiler when the package was installed."""

from comgra_export.native.kernels import Kernels, load_kernels

__all__ = ["Kernels", "load_kernels"]

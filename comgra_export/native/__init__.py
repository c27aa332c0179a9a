"""Machine code for what the recorder does with every value, where a C compiler was at hand when the package was installed."""

from comgra_export.native.kernels import Kernels, load_kernels

__all__ = ["Kernels", "load_kernels"]

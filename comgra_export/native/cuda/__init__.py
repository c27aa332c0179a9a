"""Machine code for CUDA devices, compiled when the recorder first meets a device."""

from comgra_export.native.cuda.compiling import CannotCompileError, compile_kernels, find_compiler
from comgra_export.native.cuda.driver import DeviceModule
from comgra_export.native.cuda.kernels import DeviceKernels, Launcher

__all__ = ["CannotCompileError", "DeviceKernels", "DeviceModule", "Launcher", "compile_kernels", "find_compiler"]

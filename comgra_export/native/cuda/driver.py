"""Starting kernels through the driver of CUDA."""

from __future__ import annotations

import ctypes
import sys

__all__ = ["DeviceModule"]


class DeviceModule:
    """Machine code on the current device. PyTorch has to have made the device current in this thread.

    Args:
        code: What `compile_kernels` returns.

    Raises:
        OSError: There is no driver.
        RuntimeError: The driver refuses the code.
    """

    def __init__(self, code: bytes) -> None:
        self._driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        self._driver.cuLaunchKernel.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3]
        self._functions: dict[str, ctypes.c_void_p] = {}
        self._module = ctypes.c_void_p()
        self._check(self._driver.cuModuleLoadData(ctypes.byref(self._module), code))

    def launch(self, name: str, blocks: int, threads: int, stream: int, argument: bytes) -> None:
        """Starts a kernel that takes a structure. Nothing waits for the device.

        Args:
            name: The kernel.
            blocks: How many blocks of threads compute.
            threads: How many threads a block has.
            stream: The queue of the device; 0 is its default queue.
            argument: The memory of the structure.

        Raises:
            RuntimeError: The driver refuses.
        """
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = ctypes.c_void_p()
            self._check(self._driver.cuModuleGetFunction(ctypes.byref(function), self._module, name.encode()))
        arguments = (ctypes.c_char_p * 1)(argument)
        self._check(self._driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, None))

    def _check(self, result: int) -> None:
        if result:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(result, ctypes.byref(text))
            raise RuntimeError(f"CUDA refuses a kernel: {(text.value or b'unknown error').decode()}")

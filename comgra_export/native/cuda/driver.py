"""Starting kernels through the driver of CUDA."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["DeviceModule"]


class DeviceModule:
    """Machine code on a device, in the context that PyTorch uses there.

    Args:
        code: What `compile_kernels` returns.
        device: The number of the device, as PyTorch and the driver count. PyTorch has computed there before.

    Raises:
        OSError: There is no driver.
        RuntimeError: The driver refuses the code.
    """

    def __init__(self, code: bytes, device: int) -> None:
        self._driver = driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        driver.cuLaunchKernel.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3]
        self._functions: dict[str, ctypes.c_void_p] = {}
        self._module, self._context, handle = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        self._check(driver.cuDeviceGet(ctypes.byref(handle), device))
        self._check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(self._context), handle))
        with self._in_context():
            self._check(driver.cuModuleLoadData(ctypes.byref(self._module), code))

    def launch(self, name: str, blocks: int, threads: int, stream: int, argument: bytes) -> None:
        """Starts a kernel that takes a structure. Nothing waits for the device.

        Args:
            name: The kernel.
            blocks: How many blocks of threads compute.
            threads: How many threads a block has.
            stream: The stream of the device; 0 is its default stream.
            argument: The memory of the structure.

        Raises:
            RuntimeError: The driver refuses.
        """
        arguments = (ctypes.c_char_p * 1)(argument)
        with self._in_context():
            function = self._function(name)
            self._check(self._driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, None))

    @contextmanager
    def _in_context(self) -> Iterator[None]:
        """Makes the device current in this thread, which may have another one, or none yet, as a thread of autograd."""
        self._check(self._driver.cuCtxPushCurrent_v2(self._context))
        try:
            yield
        finally:
            self._driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))

    def _function(self, name: str) -> ctypes.c_void_p:
        function = self._functions.get(name)
        if function is None:
            function = ctypes.c_void_p()
            self._check(self._driver.cuModuleGetFunction(ctypes.byref(function), self._module, name.encode()))
            self._functions[name] = function
        return function

    def _check(self, result: int) -> None:
        if result:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(result, ctypes.byref(text))
            raise RuntimeError(f"CUDA refuses a kernel: {(text.value or b'unknown error').decode()}")

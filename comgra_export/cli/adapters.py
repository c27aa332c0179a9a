"""Finding the function of the user's that a network is run with again, and telling what went wrong in it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import cast

from comgra_export.errors import AdapterError, WrongChoiceError

__all__ = ["load_adapter", "own_traceback"]

DEFAULT_FUNCTION = "rerun"
_MODULE_NAME = "comgra_export_adapter"
_PACKAGE = Path(__file__).parents[1]
_LIBRARY = Path(sysconfig.get_path("stdlib"))


def load_adapter(text: str) -> Callable[..., object]:
    """Loads `script.py:function` or `package.module:function`; without `:function`, the function is called `rerun`.

    A script is executed, not as `__main__`; what lies beside it can be imported. A module is imported as from this folder.

    Raises:
        WrongChoiceError: There is no such file, module or function.
        AdapterError: The file raised an exception.
    """
    name, _, function = text.rpartition(":") if ":" in text and not text.endswith(".py") else (text, "", "")
    module = _load_script(Path(name)) if name.endswith(".py") else _load_module(name)
    loaded = getattr(module, function or DEFAULT_FUNCTION, None)
    if not callable(loaded):
        raise WrongChoiceError(
            f"{name} has no function {function or DEFAULT_FUNCTION!r}. Define `def {function or DEFAULT_FUNCTION}(input, recorder)` in it, "
            "or name another function: script.py:function."
        )
    return cast(Callable[..., object], loaded)


def own_traceback(error: BaseException) -> list[str]:
    """The lines of a traceback, without the places in libraries and in this package; with them if there are no others."""
    described = traceback.TracebackException.from_exception(error)
    own = [frame for frame in described.stack if not _is_foreign(frame.filename)]
    lines = traceback.format_list(own or described.stack)
    return [line for part in [*lines, *described.format_exception_only()] for line in part.rstrip("\n").split("\n")]


def _is_foreign(file: str) -> bool:
    return "site-packages" in file or file.startswith((str(_PACKAGE), str(_LIBRARY), "<frozen"))


def _load_script(path: Path) -> ModuleType:
    if not path.is_file():
        raise WrongChoiceError(f"There is no file {path}. Give a script, script.py:function, or package.module:function.")
    spec = importlib.util.spec_from_file_location(_MODULE_NAME, path.resolve())
    if spec is None or spec.loader is None:
        raise WrongChoiceError(f"{path} is not a Python script.")
    module = importlib.util.module_from_spec(spec)
    # What pickles or inspects its own classes finds them there.
    sys.modules[_MODULE_NAME] = module
    sys.path.insert(0, str(path.resolve().parent))
    with _failing_as_adapter(str(path)):
        spec.loader.exec_module(module)
    return module


def _load_module(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        with _failing_as_adapter(name):
            return importlib.import_module(name)
    except AdapterError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and cause.name is not None and (name == cause.name or name.startswith(f"{cause.name}.")):
            raise WrongChoiceError(
                f"There is no module {name!r} here. Give a script, script.py:function, or package.module:function."
            ) from None
        raise


@contextmanager
def _failing_as_adapter(name: str) -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit) as error:
        raise AdapterError(f"{name} raised {type(error).__name__}: {error}") from error

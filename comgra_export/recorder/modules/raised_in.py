"""In which module an exception was raised, as its traceback shows it."""

from __future__ import annotations

from comgra_export.recorder.modules.registry import ModuleRegistry

__all__ = ["module_that_raised"]


def module_that_raised(error: BaseException, modules: ModuleRegistry) -> str | None:
    """The name of the innermost tracked module that was running when an exception was raised; None if none was.

    A module runs in a frame whose `self` it is. Nothing of the user's is called to find out.
    """
    known = {id(module): module for module in modules.modules()}
    innermost, traceback = None, error.__traceback__
    while traceback is not None:
        innermost = known.get(id(traceback.tb_frame.f_locals.get("self")), innermost)
        traceback = traceback.tb_next
    return None if innermost is None else modules.name_of(innermost)

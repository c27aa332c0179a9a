"""Which calls make up one evaluation."""

from __future__ import annotations

from torch import nn

from comgra_export.recorder.host.hooks import is_being_called
from comgra_export.recorder.modules.watched import Entrance

__all__ = ["Evaluations"]


class Evaluations:
    """Decides whether a call that does not train begins an evaluation, goes on with one, or is left out.

    A call of a whole watched module is an evaluation. If only its parts are called, an evaluation goes on until one of them is called
    again: the encoder and then the decoder, say. Calls of parts are left out if the whole module is called too: they may lie within such
    a call, and what a script does with parts besides is no evaluation of the network. Between `begin_pass` and `end_pass`, all calls
    together are one evaluation.

    Attributes:
        type_of_execution: That of the evaluations.
        is_in_pass: Whether all calls are one pass.
    """

    def __init__(self) -> None:
        self.type_of_execution = "eval"
        self._is_left_out = False
        self.is_in_pass = False
        self._pass_is_new = False
        self._pass_has_begun = False
        self._called_whole: set[nn.Module] = set()
        self._parts: set[nn.Module] = set()
        self._last_part: nn.Module | None = None

    @property
    def may_go_on(self) -> bool:
        """Whether further calls may belong to the evaluation in progress."""
        return self.is_in_pass or bool(self._parts)

    def begin_pass(self, type_of_execution: str | None) -> None:
        """From now on, all calls that do not train are one evaluation of this type. None: they are left out."""
        self.forget()
        self._is_left_out = type_of_execution is None
        self.is_in_pass = self._pass_is_new = True
        self._pass_has_begun = False
        self.type_of_execution = type_of_execution or "eval"

    def end_pass(self) -> None:
        """Calls are on their own again."""
        self.forget()
        self._is_left_out = self.is_in_pass = self._pass_is_new = False
        self.type_of_execution = "eval"

    def begins_iteration(self, entrance: Entrance, is_evaluation: bool) -> bool:
        """Whether a further call of a step begins another iteration: a call of the whole module, or the first of a pass in training."""
        is_new, self._pass_is_new = self._pass_is_new, False
        if entrance.is_whole:
            self._called_whole.add(entrance.root)
        return entrance.is_whole or (is_new and not is_evaluation)

    def forget(self) -> None:
        """The evaluation is over."""
        self._parts.clear()
        self._last_part = None

    def begin_training(self, entrance: Entrance) -> None:
        """A training step begins with this call."""
        self._pass_is_new = False
        if entrance.is_whole:
            self._called_whole.add(entrance.root)
        if self._parts:
            self.forget()

    def begin(self, module: nn.Module, entrance: Entrance) -> bool:
        """Whether a call begins an evaluation. If not, it is left out, or belongs to an evaluation that is not recorded."""
        if self._is_left_out or (self.is_in_pass and self._pass_has_begun):
            return False
        self._pass_is_new = False
        if self.is_in_pass:
            self._pass_has_begun = True
            return True
        if entrance.is_whole:
            self._called_whole.add(entrance.root)
            self.forget()
            return True
        if entrance.root in self._called_whole or self._is_within_last_part(module):
            return False
        goes_on = bool(self._parts) and module not in self._parts
        if not goes_on:
            self._parts.clear()
        self._parts.add(module)
        self._last_part = module
        return not goes_on

    def go_on(self, module: nn.Module, entrance: Entrance) -> bool:
        """Whether a call belongs to the evaluation that is being recorded. It lies within no other call."""
        if self.is_in_pass:
            return self._pass_has_begun
        if entrance.is_whole or not self._parts or module in self._parts:
            return False
        self._parts.add(module)
        self._last_part = module
        return True

    def _is_within_last_part(self, module: nn.Module) -> bool:
        """Whether a call lies within one of the last part. Nothing tells the end of a call that is not recorded."""
        last = self._last_part
        return last is not None and is_being_called(last, 2 if last is module else 1)

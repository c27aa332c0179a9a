"""The programs that no rule was tried on: each of them trains, with its bug and without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.suite import collect_programs
from support.places import CHECKOUT

RUNS = [
    pytest.param(program, is_fixed, id=f"{program.name}{', fixed' if is_fixed else ''}")
    for program in collect_programs(held_out=True)
    for is_fixed in ((False, True) if program.truth else (False,))
]


class _Enough(Exception):
    """The script has trained."""


@dataclass(frozen=True)
class _Unrecorded(Setting):
    """Watches nothing, and stops the script after so many backward passes."""

    enough: int = 2

    @contextmanager
    def watch(self, model: nn.Module, **arguments: object) -> Iterator[MagicMock]:  # type: ignore[override]
        assert any(parameter.numel() for parameter in model.parameters())
        assert not arguments
        backward, passes = Tensor.backward, 0

        def counted(loss: Tensor, *given: object, **named: object) -> None:
            nonlocal passes
            assert loss.requires_grad
            backward(loss, *given, **named)  # type: ignore[no-untyped-call]
            passes += 1
            if passes == self.enough:
                raise _Enough

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Tensor, "backward", counted)
            # Calls of the recorder do nothing.
            yield MagicMock()


@pytest.mark.parametrize(("program", "is_fixed"), RUNS)
def test_a_program_trains(program: Program, is_fixed: bool, tmp_path: Path) -> None:
    ends_itself = program.truth is not None and "exception-in-step" in program.truth.rules and not is_fixed
    with pytest.raises(_Enough):
        program.run(_Unrecorded(tmp_path, is_fixed=is_fixed, enough=1 if ends_itself else 2))
    assert torch.is_grad_enabled()


def test_no_program_was_chosen_by_what_the_rules_say_of_it() -> None:
    sources = [file.read_text(encoding="utf-8") for file in (CHECKOUT / "evaluation" / "held_out").rglob("*.py")]
    assert not [source for source in sources if "comgra_export" in source]

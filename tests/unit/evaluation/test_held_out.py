"""The programs that no rule was tried on: each of them trains, with its bug and without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
ENOUGH = 2
"""Backward passes after which a script is stopped."""


class _Enough(Exception):
    """The script has trained."""


class _Unrecorded(Setting):
    """Watches nothing, and stops the script after its first steps."""

    @contextmanager
    def watch(self, model: nn.Module, **arguments: object) -> Iterator[None]:  # type: ignore[override]
        assert any(parameter.numel() for parameter in model.parameters())
        assert not arguments
        backward, passes = Tensor.backward, 0

        def counted(loss: Tensor, *given: object, **named: object) -> None:
            nonlocal passes
            assert loss.requires_grad
            backward(loss, *given, **named)  # type: ignore[no-untyped-call]
            passes += 1
            if passes == ENOUGH:
                raise _Enough

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Tensor, "backward", counted)
            yield


@pytest.mark.parametrize(("program", "is_fixed"), RUNS)
def test_a_program_trains(program: Program, is_fixed: bool, tmp_path: Path) -> None:
    with pytest.raises(_Enough):
        program.run(_Unrecorded(tmp_path, is_fixed=is_fixed))
    assert torch.is_grad_enabled()


def test_no_program_was_chosen_by_what_the_rules_say_of_it() -> None:
    sources = [file.read_text(encoding="utf-8") for file in (CHECKOUT / "evaluation" / "held_out").rglob("*.py")]
    assert not [source for source in sources if "comgra_export" in source]

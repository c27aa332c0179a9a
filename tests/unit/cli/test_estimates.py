"""`comgra-export build --estimate-flow`, as a user runs it."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from comgra_export import ComgraRecorder
from support.cli.run import Run
from support.exporter.estimated import CHAIN_RULE, TWO_SAMPLES, VNITTEST, record
from support.exporter.unpacker import Bundle

USAGE = 2


def only_x(recorder: ComgraRecorder) -> Tensor:
    x = torch.ones(2, 2, requires_grad=True)
    recorder.register_tensor("x", x)
    return x.sum()


def names_of(page: Path) -> list[str]:
    bundle = Bundle(page)
    return [flow["name"] for flow in bundle.flows(bundle.trial("trial"))]


def test_flows_are_estimated_and_what_is_missing_is_said(run: Run, tmp_path: Path) -> None:
    record(tmp_path / "runs", TWO_SAMPLES, only_x)
    done = run("build", "runs", "-o", "report.html", "--estimate-flow", "x, y", "--estimate-flow", "x,y", "--samples", "1")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "warning: Step 1 of trial has no estimated flow through x, y: no tensor is called 'y'.\n"
    assert "Wrote report.html" in done.stdout
    assert names_of(tmp_path / "report.html") == ["gradient flow", f"{CHAIN_RULE}x, y", f"{VNITTEST}x, y"]


def test_a_wrong_sequence_exits_with_the_code_of_wrong_use(run: Run, tmp_path: Path) -> None:
    record(tmp_path / "runs", TWO_SAMPLES)
    for sequence, words in (
        ("x", "'x, h, y'"),
        ("x, Y", "no tensor is called 'Y'. There are 'x', 'y'."),
        ("y, y", "Name each tensor once"),
    ):
        done = run("build", "runs", "-o", "report.html", "--estimate-flow", sequence)
        assert done.returncode == USAGE
        assert done.stderr.startswith("error: ")
        assert words in done.stderr
        assert not (tmp_path / "report.html").exists()

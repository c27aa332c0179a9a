"""A bundle of a recording whose tensors were found by watching a model."""

from __future__ import annotations

from pathlib import Path

import torch
from exporter.unpacker import Bundle
from torch import nn

import comgra_export


def test_watched_tensors_are_in_the_graph_like_registered_ones(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with comgra_export.watch(net, tmp_path / "runs"):
        net(torch.randn(5, 3)).mean().backward()
        optimizer.step()
        net.eval()
        with torch.no_grad():
            net(torch.randn(2, 3))
    result = comgra_export.export(tmp_path / "runs", tmp_path / "report.html")
    assert (result.steps, result.problems) == (2, ())
    bundle = Bundle(tmp_path / "report.html")
    trial = bundle.trial("trial")
    assert trial["steps"]["step"] == [0, 1]
    assert [bundle.index["strings"][kind] for kind in trial["steps"]["type"]] == ["train", "eval"]
    expected = ["model: input", "model.0: output", "model.1: output", "model.2: output"]
    for step in (0, 1):
        row = bundle.step_row(trial, step)
        (graph,) = bundle.index["structure_sets"][row["structure_set"]]
        nodes = bundle.listed("structures", graph)["nodes"]
        places = dict(zip(nodes["name"], zip(nodes["type"], nodes["column"], strict=True), strict=True))
        assert [places[name][0] for name in expected] == ["input", "calculated", "calculated", "calculated"]
        columns = [places[name][1] for name in expected]
        assert columns == sorted(set(columns))
        assert len(nodes["name"]) == len(expected) + 6
        layout = bundle.listed("layouts", row["layout"])["tensors"]
        assert {*expected, "model.1.running_mean"} <= set(layout["name"])
    network = bundle.document(trial["network"])
    assert network["modules"][1]["description"] == "in_features=3, out_features=4, bias=True"

"""The names of the package."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

import pytest

import comgra_export
from comgra_export import ComgraRecorder, errors
from comgra_export import recorder as recorder_room

pytestmark = pytest.mark.slow


def run(code: str, *arguments: str) -> str:
    return subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True).stdout.strip()


def test_importing_the_package_imports_no_torch() -> None:
    look = "print('torch' in sys.modules)"
    assert run(f"import sys, comgra_export; dir(comgra_export); {look}; comgra_export.ComgraRecorder; {look}").split() == ["False", "True"]


def test_without_torch_the_error_says_how_to_get_it() -> None:
    block = "import sys; sys.modules['torch'] = None\n"
    code = block + "try:\n from comgra_export import ComgraRecorder\nexcept ImportError as error: print(error)"
    assert "pip install 'comgra-export[recorder]'" in run(code)


# Imports the package again for each version of torch, and prints the messages: importing torch itself takes a second.
WITH_VERSIONS = """
import json, sys, torch
said = {}
for version in sys.argv[1:]:
    torch.__version__ = version
    for name in [name for name in sys.modules if name.partition(".")[0] == "comgra_export"]:
        del sys.modules[name]
    try:
        from comgra_export import ComgraRecorder
        said[version] = ""
    except ImportError as error:
        said[version] = str(error)
print(json.dumps(said))
"""
IS_OLD = {"2.7.1+cu118": True, "2.8.0": False, "2.10.0.dev20260101": False, "3.0.0a0+git1": False, "0.1": True}


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """By the version of torch: the message if a recorder is imported, empty if that works."""
    versions: dict[str, str] = json.loads(run(WITH_VERSIONS, *IS_OLD))
    return versions


@pytest.mark.parametrize("version", IS_OLD)
def test_with_an_old_torch_the_error_says_which_one_is_needed(version: str, said: dict[str, str]) -> None:
    assert (f"needs torch 2.8 or newer, and this is {version}" in said[version]) == IS_OLD[version]
    assert IS_OLD[version] or not said[version]


def test_the_torch_that_is_asked_for_is_the_one_that_is_installed_with_the_recorder(said: dict[str, str]) -> None:
    asked = re.search(r"needs torch (\S+) or newer", said["0.1"])
    assert asked is not None
    required = [line.split(";")[0].strip() for line in requires("comgra-export") or () if "recorder" in line]
    assert [line for line in required if line.startswith("torch")] == [f"torch>={asked[1]}"]


def test_exceptions_can_be_imported_from_the_package() -> None:
    assert set(errors.__all__) < set(comgra_export.__all__)
    for name in errors.__all__:
        assert getattr(comgra_export, name) is getattr(errors, name)


def test_all_names_are_there() -> None:
    assert set(recorder_room.__all__) < set(comgra_export.__all__) <= set(dir(comgra_export))
    for name in recorder_room.__all__:
        assert getattr(comgra_export, name) is getattr(recorder_room, name)
    with pytest.raises(AttributeError, match="nonsense"):
        comgra_export.nonsense  # noqa: B018


def test_the_slot_for_a_recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttributeError, match="Assign a recorder"):
        comgra_export.my_recorder  # noqa: B018
    monkeypatch.setattr(comgra_export, "my_recorder", ComgraRecorder(tmp_path, comgra_is_active=False), raising=False)
    assert not comgra_export.my_recorder.recording_is_active()


def test_the_version_is_that_of_the_project() -> None:
    assert version("comgra-export") == comgra_export.__version__


def test_arguments_are_those_of_comgra() -> None:
    def names(function: object) -> list[str]:
        assert callable(function)
        return [name for name in inspect.signature(function).parameters if name != "self"]

    assert names(ComgraRecorder)[:11] == [
        "comgra_root_path",
        "group",
        "trial_id",
        "decision_maker_for_recordings",
        "max_num_batch_size_to_record",
        "prefixes_for_grouping_module_parameters_visually",
        "prefixes_for_grouping_module_parameters_in_nodes",
        "comgra_is_active",
        "max_num_mappings_to_save_at_once_during_serialization",
        "type_of_serialization",
        "calculate_svd_and_other_expensive_operations_of_parameters",
    ]
    assert names(ComgraRecorder.register_tensor) == [
        "tensor_name",
        "tensor",
        "index_of_batch_dimension",
        "is_input",
        "is_parameter",
        "is_target",
        "is_loss",
        "recording_type",
        "record_per_batch_index",
        "node_name",
        "role_within_node",
        "is_initial_value",
    ]
    assert names(ComgraRecorder.start_batch)[:5] == [
        "training_step",
        "current_batch_size",
        "type_of_execution",
        "record_all_tensors_per_batch_index_by_default",
        "override__recording_is_active",
    ]
    assert names(ComgraRecorder.decide_recording_of_batch)[:2] == ["type_of_execution", "category_per_sample"]
    assert names(ComgraRecorder.batch) == names(ComgraRecorder.start_batch)
    assert names(ComgraRecorder.add_tensor_connection) == ["src", "sink"]
    assert names(ComgraRecorder.record_current_gradients) == ["name_of_loss_group", "set_gradients_to_zero_if_not_a_parameter"]
    assert names(ComgraRecorder.record_kpi_in_graph)[:5] == [
        "kpi_group",
        "kpi_name",
        "val",
        "timepoint",
        "record_even_if_recording_is_inactive",
    ]

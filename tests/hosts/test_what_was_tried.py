"""What docs/hosts.md says was tried with each trainer has a test. Needs none of them."""

from __future__ import annotations

import ast
import re

import pytest

from support.places import CHECKOUT

FILES = {
    "Lightning": "test_lightning.py",
    "transformers": "test_transformers.py",
    "Accelerate": "test_accelerate.py",
    "Keras": "test_keras.py",
    "skorch": "test_skorch.py",
    "Stable-Baselines3": "test_stable_baselines3.py",
}

MAIN = {
    "Lightning": "test_steps_have_the_numbers_of_the_trainer",
    "transformers": "test_steps_have_the_numbers_of_the_trainer",
    "Accelerate": "test_a_step_is_a_step_of_the_optimizer",
    "Keras": "test_a_batch_is_a_step",
    "skorch": "test_steps_and_curves",
    "Stable-Baselines3": "test_a_step_of_the_optimizer_is_a_training_step",
}
"""Weights with and without the callback, gradients of a hook, numbers and curves; and clipping, as all of them have it."""

ENDED = {
    "Lightning": "test_what_ends_the_run_is_noted_and_there_is_a_page",
    "transformers": "test_the_page_is_written_when_something_ends_the_training",
    "Accelerate": "test_the_page_is_written_when_an_exception_ends_the_script",
    "Keras": "test_the_page_is_written_when_something_ends_the_training",
    "Stable-Baselines3": "test_the_page_is_written_when_something_ends_the_training",
}

SHOWN: dict[str, dict[str, tuple[str, ...]]] = {
    "accumulated gradients": {
        **{host: (test,) for host, test in MAIN.items() if host in ("transformers", "Accelerate", "Keras")},
        "Lightning": ("test_accumulation_counts_steps_of_the_optimizer",),
        "skorch": ("test_accelerate_within_skorch",),
    },
    "clipping": {host: (test,) for host, test in MAIN.items()},
    "bfloat16": {
        **{host: (test,) for host, test in MAIN.items() if host in ("transformers", "Accelerate", "Keras")},
        "Lightning": ("test_accumulation_counts_steps_of_the_optimizer",),
        "skorch": ("test_accelerate_within_skorch",),
    },
    "float16 with a loss scale": {
        "Lightning": ("test_float16_has_no_factor_of_the_loss_and_counts_updates_that_are_skipped",),
        "Keras": (MAIN["Keras"],),
    },
    "an exception": {
        **{host: (test,) for host, test in ENDED.items()},
        "skorch": ("test_the_page_is_written_when_an_exception_ends_the_training",),
    },
    "Ctrl-C": {
        **{host: (test,) for host, test in ENDED.items()},
        "skorch": ("test_ctrl_c_leaves_a_page_and_more_training_goes_on",),
    },
    "resuming": {
        "Lightning": ("test_a_run_that_is_resumed_continues_its_recording",),
        "transformers": ("test_a_run_that_is_resumed_continues_its_recording",),
        "Accelerate": ("test_a_run_that_is_resumed_continues_its_recording",),
        "Keras": ("test_a_model_that_is_loaded_continues_its_recording",),
        "skorch": ("test_ctrl_c_leaves_a_page_and_more_training_goes_on",),
        "Stable-Baselines3": ("test_learning_again_continues_the_recording",),
    },
    "two processes": {
        "Lightning": ("test_processes_that_the_trainer_starts_record_their_parts", "test_every_process_records_its_part"),
        "transformers": ("test_every_process_records_its_part",),
        "Accelerate": ("test_every_process_records_its_part", "test_two_processes_of_the_debug_launcher"),
        "skorch": ("test_two_processes_of_accelerate", "test_each_fit_of_a_grid_search_is_a_trial_of_its_own"),
    },
}


def table() -> dict[str, dict[str, str]]:
    """The cells of the page, by row and trainer."""
    page = (CHECKOUT / "docs" / "hosts.md").read_text(encoding="utf-8")
    head, _, *rows = page.split("## What was tried")[1].split("\n\n")[2].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *rows)]
    return {row[0]: dict(zip(cells[0][1:], row[1:], strict=True)) for row in cells[1:]}


def names_of_tests(host: str) -> set[str]:
    tree = ast.parse((CHECKOUT / "tests" / "hosts" / FILES[host]).read_text(encoding="utf-8"))
    return {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def test_the_page_has_the_rows_and_trainers_of_the_tests() -> None:
    assert list(table()) == list(SHOWN)
    assert {tuple(row) for row in table().values()} == {tuple(FILES)}


@pytest.mark.parametrize("host", FILES)
def test_each_cell_has_a_test_or_says_why_not(host: str) -> None:
    there = names_of_tests(host)
    assert MAIN[host] in there
    for row, cells in table().items():
        tests = SHOWN[row].get(host, ())
        assert set(tests) <= there
        # Such as "it has none", or "it needs a GPU".
        assert bool(tests) != bool(re.match("it (has|needs)", cells[host])), row

"""Recording a module in a script that does not call the recorder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any

from torch import nn

from comgra_export.errors import MisuseError
from comgra_export.recorder.detection.batch_sizes import BatchSize
from comgra_export.recorder.host.callers import level_of_user
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.recorder.numbers.histogram_values import HISTOGRAM_VALUES
from comgra_export.recorder.session.recorder import ComgraRecorder
from comgra_export.storage.files.lock import LockTakenError, LockTakenHereError
from comgra_export.storage.text.names import shown

__all__ = ["watch"]


def watch(
    module: nn.Module,
    comgra_root_path: str | os.PathLike[str],
    *,
    name: str = "model",
    values: bool = False,
    histograms: bool = True,
    histogram_values: int | None = HISTOGRAM_VALUES,
    first_step: int | None = None,
    max_num_batch_size_to_record: int | None = 5,
    batch_size: BatchSize = None,
    config: object = None,
    **arguments: Any,  # noqa: ANN401
) -> ComgraRecorder:
    """Makes a recorder that watches a module, and detects the training steps itself.

    The script stays as it is::

        with comgra_export.watch(model, "recordings"):
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()

    A training step begins when the module is called in training mode with gradients turned on. It ends when an optimizer that holds one of
    the module's parameters has made its step. Several calls before that, as in gradient accumulation, are iterations of the step. Gradients
    are recorded as the optimizer gets them: after clipping. Call the recorder's `step()` at the end of each training step if several
    optimizers make up one step, or if something other than a `torch.optim.Optimizer` changes the parameters. Any other call of the module
    is an evaluation step of its own. If it is recorded, so are the losses that the script computes before the next call. The types of
    execution are `train` and `eval`.

    Training steps are numbered by how many there were before. Evaluations are counted apart: their numbers lie between those of training
    steps. The second one after step 136 is 136.000002.

    In a training step, what functions of PyTorch compute from the result of the module is recorded too, up to the loss, and the optimizers
    are tracked. There are curves of the loss, the learning rates, the norm of the gradient and the time per step, unless the script records
    a curve of that name. An exception that leaves the context is noted. Before every update, two gradients are checked for values that
    are not finite, so that the first such step is known even if it is not recorded.

    The batch size is the size of the first dimension of the first tensor that the module is called with, unless `batch_size` says
    otherwise.

    If another living process is writing the trial, as when the processes of a run do not know their ranks yet, the recording gets another
    name, as with `existing_trial="rename"`, and there is a warning.

    Everything else of the recorder can be used too: `register_tensor` while a step is in progress, `watch` for a second module (such as the
    critic of a generator), `track_optimizers`, `track_grad_scaler`, `record_kpi_in_graph`.

    Args:
        module: The module. The script has to call the module, and not its method `forward`. Calls of its parts alone belong to a training
            step. In evaluation they are left out, unless the module itself is never called: then an evaluation goes on until one of its
            parts is called again. `ComgraRecorder.forward_pass` says otherwise.
        comgra_root_path: As for `ComgraRecorder`.
        name: As for `ComgraRecorder.watch`.
        values: As for `ComgraRecorder.watch`.
        histograms: As for `ComgraRecorder.watch`.
        histogram_values: As for `ComgraRecorder.watch`.
        first_step: How many training steps were made before. None: as many as the recording has, if it is resumed with
            `existing_trial="append"`, and otherwise 0. Give it if the run goes on from an earlier checkpoint: the recorded steps from there
            on are then left behind.
        max_num_batch_size_to_record: As for `ComgraRecorder`.
        batch_size: How many samples a batch has: a number, or a function of the arguments of a call, such as
            `lambda data: data.num_graphs`. In a tensor with another first dimension, samples are not told from each other.
        config: The hyperparameters of the run, as for `ComgraRecorder.set_config`. None: none.
        **arguments: The other arguments of `ComgraRecorder`: `group`, `trial_id`, `decision_maker_for_recordings`, ...

    Returns:
        The recorder. As a context it ends the recording; otherwise call `finalize`.

    Raises:
        TypeError: There is no such argument.
        MisuseError: As `ComgraRecorder` and `ComgraRecorder.watch`; or the arguments are the wrong way round; or `first_step` is neither
            None nor an integer from 0 on; or `batch_size` is neither a number from 1 on nor a function; or as `ComgraRecorder.set_config`.
    """
    if not isinstance(module, nn.Module) or isinstance(comgra_root_path, nn.Module):
        raise MisuseError(
            f"watch: the first argument is a {type(module).__name__}, the second a {type(comgra_root_path).__name__}. Give a "
            'torch.nn.Module, then the folder of the recordings: watch(model, "recordings").'
        )
    if first_step is not None and (not isinstance(first_step, int) or first_step < 0):
        raise MisuseError(f"watch: first_step is {first_step!r}. Give how many training steps were made before, 0 or more.")
    is_size = isinstance(batch_size, int) and not isinstance(batch_size, bool) and batch_size > 0
    if batch_size is not None and not is_size and not callable(batch_size):
        raise MisuseError(f"watch: batch_size is {shown(batch_size)}. Give the number of samples, or a function of the module's arguments.")
    _check_names(arguments)
    arguments = {**arguments, "max_num_batch_size_to_record": max_num_batch_size_to_record}
    try:
        recorder = _make_recorder(comgra_root_path, arguments)
    except MisuseError as error:
        # The script has called this function, and may not know the class.
        error.args = (str(error).replace("ComgraRecorder: ", "watch: ", 1),)
        raise
    try:
        if config is not None:
            recorder.set_config(config)
        recorder.watch(module, name, values=values, histograms=histograms, histogram_values=histogram_values)
        recorder._detect_steps(first_step, batch_size)
    except BaseException:
        recorder.finalize()
        raise
    return recorder


def _check_names(arguments: Iterable[str]) -> None:
    """The class would say that its method `__init__` does not know an argument."""
    parameters = [*signature(watch).parameters.values(), *signature(ComgraRecorder).parameters.values()]
    known = [each.name for each in parameters if each.kind is not Parameter.VAR_KEYWORD]
    for name in arguments:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            instead = f"Did you mean {near[0]!r}?" if near else "help(comgra_export.watch) lists them."
            raise TypeError(f"watch() has no argument {name!r}. {instead}")


def _make_recorder(comgra_root_path: str | os.PathLike[str], arguments: dict[str, Any]) -> ComgraRecorder:
    """Makes the recorder, under another name if another process writes the trial. Training must not end for that."""
    try:
        return ComgraRecorder(comgra_root_path, **arguments)
    except LockTakenHereError:
        raise
    except LockTakenError as error:
        recorder = ComgraRecorder(comgra_root_path, **{**arguments, "existing_trial": "rename"})
        warnings.warn(
            f"watch: {error} This process records as {recorder.trial_id!r} instead. If both belong to one run, call watch after "
            "torch.distributed.init_process_group, or give it rank and world_size.",
            ComgraRecordingWarning,
            stacklevel=level_of_user(),
        )
        return recorder

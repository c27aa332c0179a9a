"""Functions on many inputs, computed here or by workers of an existing engine through joblib, with results in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from comgra_export.errors import ExportError, WrongChoiceError
from comgra_export.storage.text.limits import are_limits_lifted, without_limits
from comgra_export.version import __version__

__all__ = ["BACKENDS", "Workers"]

BACKENDS = ("loky", "dask", "ray")
"""Processes of this machine, and the engines whose clusters can be used."""

# Results wait here until those before them are there, so there must not be many. Workers wait at the end of each round, so not few.
_PER_ROUND = 8
_MOST_LOSSES = 3

_Input = TypeVar("_Input")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Workers:
    """Who computes.

    Attributes:
        jobs: How many workers. None: this process alone, or all that a backend has.
        backend: `loky`: processes of this machine. `dask`, `ray`: the workers of a cluster. None: `loky` if there are several jobs.
        address: That of the cluster, as its engine writes it; None: the engine decides.

    Raises:
        WrongChoiceError: There is no such backend, an address is given without a cluster, or `jobs` is below 1.
    """

    jobs: int | None = None
    backend: str | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise WrongChoiceError(f"jobs={self.jobs} is not understood. Give a number of workers: 1 or more.")
        if self.backend is not None and self.backend not in BACKENDS:
            raise WrongChoiceError(f"There is no backend {self.backend!r}. There are: {', '.join(BACKENDS)}.")
        if self.address is not None and self.backend in (None, "loky"):
            raise WrongChoiceError("An address is that of a cluster. Give its backend, too: dask or ray.")

    @property
    def are_one(self) -> bool:
        """Whether this process computes everything itself, without joblib."""
        return self.backend is None and self.jobs in (None, 1)

    def map(self, function: Callable[[_Input], _Result], inputs: Iterable[_Input]) -> Iterator[_Result]:
        """Computes a function of every input. Functions, inputs and results are pickled if there are workers.

        What a killed worker was computing is computed again, by another one.

        Yields:
            The results, in the order of the inputs. joblib computes in this process if there is a single worker.

        Raises:
            WrongChoiceError: joblib or the engine is not installed.
            ExportError: Workers were killed again and again, or have another version of this package.
        """
        if self.are_one:
            yield from map(function, inputs)
            return
        remaining = iter(inputs)
        task = partial(_compute, function, __version__, are_limits_lifted())
        with self._engine() as engine:
            while one_round := list(islice(remaining, engine.workers * _PER_ROUND)):
                yield from engine.results(task, one_round)

    @contextmanager
    def _engine(self) -> Iterator[_Engine]:
        try:
            import joblib
        except ImportError:
            raise WrongChoiceError("Several workers need joblib. Run: pip install 'comgra-export[parallel]'") from None
        jobs = -1 if self.jobs is None else self.jobs
        with ExitStack() as stack:
            try:
                cluster = _CLUSTERS[self.backend or "loky"](self.address, stack)
            except ImportError as error:
                raise WrongChoiceError(f"The backend {self.backend} is not installed: {error}.") from None
            except OSError as error:
                raise ExportError(f"The cluster cannot be reached: {error}") from error
            with joblib.parallel_config(**cluster.settings):
                workers = joblib.effective_n_jobs(jobs)
            yield _Engine(joblib, cluster, jobs, max(1, workers))


@dataclass(frozen=True)
class _Cluster:
    """How joblib uses an engine.

    Attributes:
        settings: Those of `joblib.parallel_config`.
        losses: What is raised if a worker was killed, and the engine does not compute again itself.
        one_by_one: Whether results come one after the other, or those of a round at once.
    """

    settings: dict[str, Any]
    losses: tuple[type[Exception], ...] = (BrokenExecutor,)
    one_by_one: bool = True


@dataclass(frozen=True)
class _Engine:
    """joblib, the cluster that it is to use, and how many workers that has."""

    joblib: Any
    cluster: _Cluster
    jobs: int
    workers: int

    def results(self, task: Callable[[_Input], _Result], inputs: list[_Input]) -> Iterator[_Result]:
        """The results of one round, in order."""
        done = losses = 0
        while done < len(inputs):
            try:
                for result in self._start(task, inputs[done:]):
                    yield result
                    done += 1
            except self.cluster.losses as error:
                losses += 1
                if losses > _MOST_LOSSES:
                    raise ExportError(
                        "Workers were killed, and so were their replacements, perhaps because memory ran out. Use fewer with --jobs."
                    ) from error

    def _start(self, task: Callable[[_Input], _Result], inputs: list[_Input]) -> Iterator[_Result]:
        return_as = "generator" if self.cluster.one_by_one else "list"
        with self.joblib.parallel_config(**self.cluster.settings):
            parallel = self.joblib.Parallel(n_jobs=self.jobs, return_as=return_as, batch_size=1, pre_dispatch="all", max_nbytes=None)
        return iter(parallel(self.joblib.delayed(task)(each) for each in inputs))


def _compute(function: Callable[[_Input], _Result], version: str, no_limits: bool, given: _Input) -> _Result:
    """Runs in a worker."""
    if version != __version__:
        raise ExportError(f"A worker has comgra_export {__version__}, and this is {version}. Install the same version everywhere.")
    with ExitStack() as stack:
        if no_limits:
            stack.enter_context(without_limits())
        return function(given)


def _loky(_: str | None, __: ExitStack) -> _Cluster:
    return _Cluster({"backend": "loky"})


def _dask(address: str | None, stack: ExitStack) -> _Cluster:
    from distributed import Client

    # Results are large, so they do not go through the scheduler.
    return _Cluster({"backend": "dask", "client": stack.enter_context(Client(address, set_as_default=False, direct_to_workers=True))})


def _ray(address: str | None, stack: ExitStack) -> _Cluster:
    import ray
    from ray.util.joblib import register_ray

    if not ray.is_initialized():
        stack.enter_context(ray.init(address=address))
    register_ray()
    return _Cluster({"backend": "ray"}, (ray.exceptions.RayError,), one_by_one=False)


_CLUSTERS: dict[str, Callable[[str | None, ExitStack], _Cluster]] = {"loky": _loky, "dask": _dask, "ray": _ray}

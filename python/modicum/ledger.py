"""Budgets that last: every charge is recorded before anything is shown."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, List, Optional, Union

from . import _core
from .commands import Answer, Path, command
from .losses import Loss

Described = Union[Loss, Mapping[str, Any], Path]


class Plan:
    """Releases fixed in advance, reserved as one entry. Used with ``with``: what was drawn stays spent,
    and a plan of which nothing was drawn is given back. Releases, and estimators in each ``fit``, draw
    from it with ``plan=`` beside ``ledger=``:

    >>> with ledger.plan([{"mechanism": "gaussian_dp", "mu": 0.05, "count": 10}]) as plan:
    ...     modicum.release_count(people, mu=0.05, ledger=ledger, plan=plan)
    """

    def __init__(self, ledger: Ledger, answer: Answer, unit: Optional[str] = None,
                 part: Optional[str] = None) -> None:
        self._ledger = ledger
        #: number of its entry
        self.entry: int = answer["entry"]
        #: what it cost: mu_squared, slack, pure
        self.price: Answer = answer["price"]
        # Of the budget, and whose records it is for.
        self._unit: Optional[str] = unit
        self._part: Optional[str] = part

    def __index__(self) -> int:
        # So that it can be given wherever the number of a plan is asked for.
        return self.entry

    def __deepcopy__(self, memo: Any) -> Plan:
        # A copy of an estimator draws from the same one.
        return self

    def draw(self, description: Union[Mapping[str, Any], Path]) -> Answer:
        """One of the releases, which costs nothing more: by the description of one, or of something that
        one is proved to dominate. Call this before the mechanism is run. Raises TargetUnreachable where
        none of it is left."""
        return self._ledger._ask("charge", description, plan=self.entry, unit=self._unit, part=self._part)

    def cancel(self) -> None:
        """Gives it back. Raises InvalidParameter where something was drawn."""
        self._ledger._ask("cancel", plan=self.entry)

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        with contextlib.suppress(_core.InvalidParameter):  # something was drawn
            self.cancel()


def _partition(name: str, parts: Sequence[str]) -> str:
    """As the program has it, parts with a comma in quotation marks."""
    if isinstance(parts, str) or "=" in name or any('"' in part for part in parts):
        raise _core.InvalidParameter(
            f"parts are {{{name!r}: {parts!r}}}, but must be lists of names without quotation marks, by a name without =")
    return f"{name}=" + ",".join(f'"{part}"' if "," in part else part for part in parts)


def say_that_copies_pay() -> None:
    warnings.warn("a copy is made of an estimator that has a ledger, as cross-validation does: each fit of each "
                  "copy is an entry of the ledger, and spends its budget again", UserWarning, stacklevel=3)


class StorePath(str):
    """A store as a text that says when it is copied, as a Ledger does: scikit-learn before 1.3 copies an
    estimator by copies of its parameters, and asks nobody else."""

    def __deepcopy__(self, memo: Any) -> StorePath:
        say_that_copies_pay()
        return self


class Ledger:
    """A ledger in a file (SQLite), or on a server: ``postgresql://...``.

    >>> ledger = Ledger.create("study.db", budget="study", epsilon=1, delta=1e-6)
    >>> ledger.charge({"mechanism": "gaussian", "standard_deviation": 20, "sensitivity": 1}).price
    Answer(mu_squared=0.0025, slack=0.0, pure=0.0)

    What is guaranteed is the budget, whatever is charged to it and however each choice depends on the
    answers before.
    """

    def __init__(self, store: Path) -> None:
        self.store = os.fspath(store)

    def __fspath__(self) -> str:
        # So that it can be given wherever a store is asked for: release("vector", rows, ledger=ledger).
        return self.store

    def __repr__(self) -> str:
        return "<Ledger>" if "://" in self.store else f"<Ledger: {self.store}>"

    def __deepcopy__(self, memo: Any) -> Ledger:
        # Who copies an estimator, as cross-validation does, is going to fit the copies.
        say_that_copies_pay()
        return Ledger(self.store)

    @classmethod
    def open(cls, store: Path) -> Ledger:
        """One that is there. Raises UnreadableFile."""
        ledger = cls(store)
        ledger.status()
        return ledger

    @classmethod
    def create(cls, store: Path, *, budget: str, epsilon: Optional[float] = None,
               delta: Optional[float] = None, mu: Optional[float] = None, rho: Optional[float] = None,
               slack: Optional[float] = None, pure: Optional[float] = None, zcdp: Optional[float] = None,
               parts: Optional[Mapping[str, Sequence[str]]] = None, unit: Optional[str] = None,
               **options: Any) -> Ledger:
        """A new budget, and a new ledger where there is none. ``parts``: partitions of the records,
        ``{"region": ["north", "south"]}``. ``unit``: the column that tells whose
        row it is, where a person with all rows is protected. ``options``: neighbors, population, unit_words,
        one_part_each."""
        ledger = cls(store)
        texts = None if parts is None else [_partition(name, each) for name, each in parts.items()]
        ledger._ask("create", budget=budget, epsilon=epsilon, delta=delta, mu=mu, rho=rho, slack=slack,
                    pure=pure, zcdp=zcdp, parts=texts, unit=unit, **options)
        return ledger

    def charge(self, loss: Described, *, budget: Optional[str] = None, slack: Optional[float] = None,
               guarantee: Optional[str] = None, part: Optional[str] = None,
               unit: Optional[str] = None) -> Answer:
        """Charges a mechanism that is run elsewhere, afterwards: a description, a certificate, or a
        loss. ``part``: whose records it reads, ``"region=north"``. ``unit``: the column that tells whose
        row it is, where the loss is about all rows of a person. Raises TargetUnreachable where it does not
        fit, and has then changed nothing."""
        return self._ask("charge", loss, budget=budget, slack=slack, guarantee=guarantee, part=part, unit=unit)

    def plan(self, releases: Union[Sequence[Mapping[str, Any]], Path], *, budget: Optional[str] = None,
             slack: Optional[float] = None, guarantee: Optional[str] = None,
             part: Optional[str] = None, unit: Optional[str] = None) -> Plan:
        """Reserves releases that are fixed in advance, each a description with its ``count``. Their
        losses are composed exactly, which costs less than one charge each.

        >>> with ledger.plan([{"mechanism": "laplace", "scale": 9, "sensitivity": 1, "count": 9}]) as plan:
        ...     plan.draw({"mechanism": "laplace", "scale": 9, "sensitivity": 1})
        """
        source = releases if isinstance(releases, (str, os.PathLike)) else list(releases)
        answer = self._ask("plan", source, budget=budget, slack=slack, guarantee=guarantee, part=part, unit=unit)
        return Plan(self, answer, unit, part)

    def status(self, *, budget: Optional[str] = None) -> List[Answer]:
        """Each budget: what there is in all and what is spent of mu_squared, slack and pure."""
        return list(self._ask("status", budget=budget)["budgets"])

    def list(self, *, budget: Optional[str] = None) -> List[Answer]:
        """All entries, in their order."""
        return list(self._ask("list", budget=budget)["entries"])

    def verify(self, *, head: Optional[str] = None) -> Answer:
        """Raises Error where anything was changed afterwards, or where the record with the hash
        ``head`` is no longer there."""
        return self._ask("verify", head=head)

    def export(self, path: Path) -> Answer:
        """The whole ledger to a file: .json, or .html for a page to read."""
        return self._ask("export", output=os.fspath(path))

    def _ask(self, job: str, /, *inputs: Any, **options: Any) -> Answer:
        return command(f"ledger {job}", *inputs, ledger=self.store, **options)


def price(loss: Described, *, slack: float) -> Answer:
    """The smallest ``mu`` such that a Gaussian with this mean, beside an infinite loss with the
    probability ``slack``, gives away at least as much at every epsilon. Proved, rounded up.

    >>> price(laplace(scale=2, sensitivity=1), slack=0).mu
    0.56176...
    """
    return command("price", loss, slack=slack)


__all__ = ["Ledger", "Plan", "price"]

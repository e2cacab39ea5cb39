"""What goes wrong, as exceptions: one class per exit code of the program."""

from __future__ import annotations

from typing import Any


class VisqError(Exception):
    """The program ended with an exit code other than 0. The text of the exception is the program's line."""

    def __init__(self, message: str, exit_code: int, result: Any = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.result = result
        """What the command found, where it got that far (exit codes 1 and 4); otherwise None."""


class ConditionFailed(VisqError):
    """Exit code 1: done, and a condition (`min`, `max`, `baseline`, `fail_on`) does not hold. `result` is complete."""


class UsageError(VisqError, ValueError):
    """Exit code 2: an unknown option, or a value that it does not take."""


class InputError(VisqError, ValueError):
    """Exit code 3: an input cannot be read or used, or an output cannot be written."""


class Incomplete(VisqError):
    """Exit code 4: an operator could not be computed; `result` has the rest. `allow_partial=True` accepts that."""


class Fault(VisqError):
    """Exit code 5, or death by a signal: a fault of visqerror's own."""


class VisqWarning(UserWarning):
    """A warning of the program."""


BY_EXIT_CODE: dict[int, type[VisqError]] = {1: ConditionFailed, 2: UsageError, 3: InputError, 4: Incomplete, 5: Fault}

"""Runs the program: finds it, hands its messages on, shows its progress, and takes it along when Python is interrupted."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Sequence

from .errors import VisqError, VisqWarning
from .surroundings import progress_bar

log = logging.getLogger("visqerror")

_INTERRUPTED = 130
_BAR = re.compile(r"\[[# ]*\] (\d+) of (\d+) ([^,]*)")
_LINE_END = re.compile(rb"[\r\n]+")


def binary() -> str:
    """The program: that of VISQERROR_BINARY, the one beside this module (in a wheel), or the first in PATH."""
    named = os.environ.get("VISQERROR_BINARY")
    if named:
        return named
    bundled = Path(__file__).parent / "bin" / "visqerror"
    found = str(bundled) if bundled.exists() else shutil.which("visqerror")
    if found is None:
        raise FileNotFoundError("no program visqerror beside this module or in PATH; name it in the environment variable VISQERROR_BINARY")
    return found


@dataclass
class Outcome:
    exit_code: int
    stdout: bytes
    lines: list[str] = field(default_factory=list)
    """What the program said on stderr, without warnings, progress and its name in front."""

    @property
    def message(self) -> str:
        """What an exception should say."""
        broken = [line for line in self.lines if " does not hold" in line]
        if self.exit_code == 1 and broken:
            return "\n".join(broken)
        if self.lines:
            return self.lines[-1]
        return f"visqerror ended by signal {-self.exit_code}" if self.exit_code < 0 else f"exit code {self.exit_code}"


class _Listener:
    """Takes stderr apart into warnings, notes and progress."""

    def __init__(self, tqdm: Any) -> None:
        self.lines: list[str] = []
        self._tqdm = tqdm
        self._bar: Any = None
        self._rest = b""

    def hear(self, data: bytes) -> None:
        *complete, self._rest = _LINE_END.split(self._rest + data)
        for line in complete:
            self._line(line)
        if self._rest.startswith(b"\x1b[K["):  # a bar stays on its line; it is there as soon as it is written
            self._line(self._rest)

    def close(self) -> None:
        self._line(self._rest)
        self._close_bar()

    def _line(self, raw: bytes) -> None:
        line = raw.replace(b"\x1b[K", b"").decode("utf-8", "replace")
        progress = _BAR.match(line)
        if progress:
            self._show(int(progress[1]), int(progress[2]), progress[3])
            return
        message = line.removeprefix("visqerror: ")
        if message.startswith("warning: "):
            self._close_bar()
            warnings.warn(message.removeprefix("warning: "), VisqWarning, stacklevel=_outside())
        elif message:
            log.info("%s", message)
            self.lines.append(message)

    def _show(self, done: int, total: int, unit: str) -> None:
        if self._tqdm is None:
            return
        if self._bar is None or self._bar.total != total or self._bar.unit != unit:
            self._close_bar()
            self._bar = self._tqdm(total=total, unit=unit, leave=False)
        self._bar.n = done
        self._bar.refresh()

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _outside() -> int:
    """The stack level, seen from the caller, of the first frame that is not in this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    return level


def _listen(descriptor: int, listener: _Listener) -> None:
    while True:
        try:
            data = os.read(descriptor, 65536)
        except OSError:  # a terminal that the program has left
            return
        if not data:
            return
        listener.hear(data)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Lets the program clean up; who asks twice does not want to wait."""
    try:
        child.send_signal(signal.SIGINT)
        child.wait()
    except KeyboardInterrupt:
        child.kill()
        child.wait()


class _HeldInterrupt:
    """Ctrl-C while the program starts comes once its process is known: else that would go on without anybody to end it."""

    def __init__(self) -> None:
        self._came = False
        self._held = threading.current_thread() is threading.main_thread()  # no other has handlers of signals
        if self._held:
            self._before = signal.signal(signal.SIGINT, self._note)

    def _note(self, _number: int, _frame: object) -> None:
        self._came = True

    def release(self) -> None:
        if not self._held:
            return
        self._held = False
        signal.signal(signal.SIGINT, self._before)
        if self._came:
            signal.raise_signal(signal.SIGINT)


def _start(words: Sequence[str], stderr: int) -> subprocess.Popen[bytes]:
    """In a session of its own: Ctrl-C of a terminal reaches Python, which passes it on once."""
    try:
        return subprocess.Popen(
            [binary(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
        )
    finally:
        os.close(stderr)


def _drain(pipe: IO[bytes], said: list[bytes]) -> None:
    with pipe:
        said.append(pipe.read())


def _attend(child: subprocess.Popen[bytes], stderr: int, listener: _Listener, interrupt: _HeldInterrupt) -> bytes:
    """Hears the program to its end, and ends it if that is cut short. Returns its stdout."""
    said: list[bytes] = []
    try:
        interrupt.release()
        reader = threading.Thread(target=_drain, args=[child.stdout, said])
        reader.start()
        _listen(stderr, listener)
        reader.join()
        child.wait()
        return b"".join(said)
    except BaseException:  # KeyboardInterrupt, or a warning that the user turned into an error
        _end(child)
        raise
    finally:
        listener.close()


def call(words: Sequence[str]) -> Outcome:
    """Runs the program. It shows progress on terminals only, so it is given one where tqdm can show it."""
    tqdm = progress_bar()
    listener = _Listener(tqdm)
    ours, theirs = os.openpty() if tqdm is not None else os.pipe()
    interrupt = _HeldInterrupt()
    try:
        child = _start(words, theirs)
        stdout = _attend(child, ours, listener, interrupt)
    finally:
        os.close(ours)
        interrupt.release()
    if child.returncode == _INTERRUPTED:
        raise KeyboardInterrupt
    return Outcome(child.returncode, stdout, listener.lines)


def version() -> str:
    """What `visqerror --version` prints."""
    outcome = call(["--version"])
    if outcome.exit_code != 0:
        raise VisqError(outcome.message, outcome.exit_code)
    return outcome.stdout.decode()

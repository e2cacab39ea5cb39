"""Whether anybody watches: a notebook, or a terminal."""

from __future__ import annotations

import sys
from typing import Any


def in_notebook() -> bool:
    """Whether results are shown as HTML: IPython with a kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def progress_bar() -> Any:
    """tqdm's class, where it is installed and somebody watches; otherwise None."""
    if not (in_notebook() or (sys.stderr is not None and sys.stderr.isatty())):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm

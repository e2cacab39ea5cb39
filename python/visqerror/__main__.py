"""`visqerror` on the command line of a wheel: the program itself takes over."""

import os
import sys

from .program import binary


def main() -> None:
    path = binary()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()

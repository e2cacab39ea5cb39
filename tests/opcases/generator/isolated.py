"""A call in a process of its own: LiteRT aborts on some models, and that must not end the generator."""

import os
import pickle


def isolated(function, *arguments):
    """The function's result; RuntimeError where it raises or its process ends."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(source)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                answer = (function(*arguments), None)
            except Exception as error:
                answer = (None, f"{type(error).__name__}: {error}")
            with os.fdopen(sink, "wb") as pipe:
                pickle.dump(answer, pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(sink)
    with os.fdopen(source, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    if not data:
        raise RuntimeError("LiteRT aborts")
    result, error = pickle.loads(data)
    if error:
        raise RuntimeError(error)
    return result

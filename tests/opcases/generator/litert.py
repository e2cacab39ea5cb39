"""LiteRT's results."""

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

RESOLVERS = {"reference": OpResolverType.BUILTIN_REF, "optimized": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES}


class Session:
    """One interpreter; its state goes on from record to record."""

    def __init__(self, model, resolver="reference"):
        self.model = model  # the interpreter does not keep it alive
        try:
            self.interpreter = self._interpreter(resolver)
        except ValueError as error:
            if "Didn't find op" not in str(error):
                raise
            self.interpreter = self._interpreter("optimized")  # a few operators have no reference kernel
        self.allocated = False

    def _interpreter(self, resolver):
        return Interpreter(model_content=self.model, num_threads=1, experimental_op_resolver_type=RESOLVERS[resolver])

    def run(self, values):
        """Graph outputs for one record's graph inputs."""
        details = self.interpreter.get_input_details()
        for detail, value in zip(details, values, strict=True):
            if tuple(detail["shape"]) != np.shape(value):
                self.interpreter.resize_tensor_input(detail["index"], np.shape(value))
                self.allocated = False
        if not self.allocated:
            self.interpreter.allocate_tensors()
            self.allocated = True
        for detail, value in zip(details, values, strict=True):
            if np.size(value):
                self.interpreter.set_tensor(detail["index"], np.asarray(value, object) if detail["dtype"] in (np.object_, np.bytes_) else np.asarray(value, detail["dtype"]))
        self.interpreter.invoke()
        return [self.value(d) for d in self.interpreter.get_output_details()]

    def value(self, detail):
        if 0 in detail["shape"]:  # has no memory
            return np.zeros(detail["shape"], detail["dtype"])
        return np.array(self.interpreter.get_tensor(detail["index"]))

    def shapes(self):
        return {d["index"]: tuple(int(n) for n in d["shape"]) for d in self.interpreter.get_tensor_details()}

"""A case: a small model, the scheme of its types, and how its results are to be judged."""

import copy
import dataclasses

from .model import Graph
from .tensors import SCHEMES, y


@dataclasses.dataclass(eq=False)
class Case:
    op: str  # the operators it proves, joined by '+'
    name: str
    graphs: list
    scheme: str = "float"
    resolver: str = "reference"  # whose kernels are right
    moves: bool = False  # values only move: no tolerance
    twin: bool = True  # the operators have float kernels that do the same
    records: int = 2

    @property
    def key(self):
        return f"{self.op}/{self.name}"


def each(schemes, op, name, inputs, outputs=None, *, moves=False, resolver="reference", twin=True, intermediates=(), custom=None, records=2, **options):
    """One case per scheme of a single operator. `outputs` defaults to one result; where values only move, it is quantized as the first
    activation is."""
    for scheme in schemes.split():
        ins, outs, middle = copy.deepcopy((inputs, outputs, list(intermediates)))
        if outs is None:
            first = next((t for t in ins if t is not None and t.use == "activation"), None)
            outs = [y(like=first) if moves else y()]
        graph = Graph()
        graph.op(op, ins, outs, middle, custom, **options)
        graph.outputs = list(graph.ops[0].outputs)
        yield Case(op, name if scheme == "float" else f"{name}_{scheme}", [graph], scheme, resolver, moves, twin, records)


def graph_case(op, name, graphs, scheme="float", **more):
    """A case of several operators or subgraphs."""
    return Case(op, name if scheme == "float" else f"{name}_{scheme}", graphs if isinstance(graphs, list) else [graphs], scheme, **more)


def uses_quantization(case):
    return any(t.quantized() for graph in case.graphs for t in graph.tensors()) or any(t.block for g in case.graphs for t in g.tensors())


def scheme_of(case):
    return SCHEMES[case.scheme]

import numpy as np

from family import Family, Fixed


def cases():
    f = Family("matrices")
    a, b = f.values(3, 4), f.values(4, 5)
    f.case("Gemm", a, f.fixed(5, 4), f.fixed(5), transB=1)
    f.case("Gemm", a, Fixed(b), f.fixed(3, 1), alpha=0.5, beta=2.0)
    f.case("Gemm", f.values(4, 3), b, transA=1, name="fed")
    f.case("Gemm", a, b, f.fixed(1), name="scalar")
    f.case("MatMul", a, Fixed(b))
    f.case("MatMul", f.values(2, 1, 3, 4), f.values(5, 4, 2))
    f.case("MatMul", f.values(4), f.values(4), name="vectors")
    f.case("MatMul", f.values(4), f.values(2, 4, 3), name="vector_times_matrices")
    f.case("MatMul", f.values(2, 3, 4), f.fixed(4), name="matrices_times_vector")
    g = f.values(2, 3, 4, 5)
    f.case("BatchNormalization", g, f.fixed(3), f.fixed(3), f.fixed(3), Fixed(np.abs(f.values(3))), epsilon=0.01)
    f.case("InstanceNormalization", g, f.fixed(3), f.fixed(3))
    f.case("LayerNormalization", g, f.fixed(5), f.fixed(5))
    f.case("LayerNormalization", g, f.fixed(4, 5), axis=2, epsilon=0.1)
    return f

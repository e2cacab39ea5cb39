import numpy as np

from family import Family, Fixed


def cases():
    f = Family("elementwise")
    x, y = f.values(2, 3, 4), f.values(3, 1)
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal", "PRelu"):
        f.case(op, x, y)
    f.case("Add", np.array([-np.inf, 1], np.float32), np.array([1, 2], np.float32), name="infinite")
    f.case("Pow", np.abs(x), Fixed(np.float32(2.5)))
    f.case("Pow", x, Fixed(np.float32(2)))
    f.case("Div", np.array([7, -7, 9], np.int64), Fixed([2, 2, -4], np.int64), name="integers")
    f.case("Mul", np.array([7, -7, 9], np.int32), Fixed([2, 2, -4], np.int32), name="int32")
    for op in ("Abs", "Neg", "Exp", "Sin", "Cos", "Floor", "Ceil", "Round", "Sign", "Sigmoid", "Tanh", "Relu", "HardSwish", "Erf", "Reciprocal", "Softplus",
               "LeakyRelu", "HardSigmoid", "Elu", "Gelu"):
        f.case(op, x * 3)
    f.case("Sqrt", np.abs(x))
    f.case("Log", np.abs(x))
    f.case("LeakyRelu", x, alpha=0.3)
    f.case("HardSigmoid", x, alpha=1.0 / 6, beta=0.4)
    f.case("Elu", x, alpha=2.0)
    f.case("Gelu", x, approximate="tanh")
    f.case("Clip", x, Fixed(np.float32(-0.5)), Fixed(np.float32(0.7)))
    f.case("Clip", x, None, Fixed(np.float32(0.1)), name="upper")
    f.case("Clip", x, Fixed(np.float32(0.1)), name="lower")
    truth = np.array([True, False, True, True])
    f.case("And", truth, np.array([True, True, False, False]))
    f.case("Or", truth, np.array([False, False, False, True]))
    f.case("Not", truth)
    f.case("Where", truth, x, Fixed(np.float32(-9)))
    f.case("Round", np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32), name="ties")
    return f

"""RNN, GRU, LSTM: directions, states, lengths, activations."""
import numpy as np

from family import Family, Fixed

STEPS, BATCH, FEATURES, HIDDEN = 4, 2, 3, 5


def cases():
    f = Family("recurrent")
    x = f.values(STEPS, BATCH, FEATURES)
    lengths = Fixed([4, 2], np.int32)

    def case(op, gates, directions=1, bias=True, seq=None, states=0, peep=False, count=None, **attributes):
        w, r = f.fixed(directions, gates * HIDDEN, FEATURES), f.fixed(directions, gates * HIDDEN, HIDDEN)
        inputs = [x, w, r, f.fixed(directions, 2 * gates * HIDDEN) if bias else None, seq]
        inputs += [f.fixed(directions, BATCH, HIDDEN) for _ in range(states)]
        if peep:
            inputs += [None] * (7 - len(inputs)) + [f.fixed(directions, 3 * HIDDEN)]
        f.case(op, *inputs, count=count or (3 if op == "LSTM" else 2), hidden_size=HIDDEN, **attributes)

    case("RNN", 1)
    case("RNN", 1, 2, seq=lengths, states=1, direction="bidirectional", activations=["Relu", "Sigmoid"], name="RNN_both_ways")
    case("RNN", 1, bias=False, direction="reverse", activations=["LeakyRelu"], activation_alpha=[0.3], clip=0.7, name="RNN_reverse")
    case("GRU", 3)
    case("GRU", 3, 2, seq=lengths, states=1, direction="bidirectional", name="GRU_both_ways")
    case("GRU", 3, seq=lengths, states=1, direction="reverse", linear_before_reset=1, name="GRU_before_reset")
    case("GRU", 3, activations=["HardSigmoid", "Softsign"], activation_alpha=[0.3], activation_beta=[0.4], name="GRU_activations")
    case("LSTM", 4)
    case("LSTM", 4, 2, seq=lengths, states=2, direction="bidirectional", name="LSTM_both_ways")
    case("LSTM", 4, states=2, peep=True, direction="reverse", clip=0.9, name="LSTM_peepholes")
    case("LSTM", 4, bias=False, input_forget=1, count=1, name="LSTM_input_forget")
    case("LSTM", 4, activations=["Sigmoid", "Softplus", "Elu"], activation_alpha=[0.5], name="LSTM_activations")
    return f

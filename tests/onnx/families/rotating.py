"""RotaryEmbedding of the standard and of ONNX Runtime."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("rotating", opset=23)
    heads, flat = f.values(2, 3, 4, 8), f.values(2, 4, 24)
    angles = 6 * f.rng.random((10, 4))
    cosines, sines = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    positions = np.array([[0, 3, 2, 9], [1, 1, 5, 4]], np.int64)
    f.case("RotaryEmbedding", heads, Fixed(cosines), Fixed(sines), positions)
    f.case("RotaryEmbedding", heads, Fixed(cosines), Fixed(sines), positions, interleaved=1, name="interleaved")
    f.case("RotaryEmbedding", flat, Fixed(cosines), Fixed(sines), positions, num_heads=3, name="heads_behind")
    f.case("RotaryEmbedding", heads, Fixed(cosines[:8].reshape(2, 4, 4)), Fixed(sines[:8].reshape(2, 4, 4)), name="angles_by_step")
    f.case("RotaryEmbedding", heads, Fixed(cosines[:, :2]), Fixed(sines[:, :2]), positions, rotary_embedding_dim=4, name="partial")
    ms = {"domain": "com.microsoft"}
    f.case("RotaryEmbedding", flat, positions, Fixed(cosines), Fixed(sines), name="of_runtime", **ms)
    f.case("RotaryEmbedding", heads, Fixed([2], np.int64), Fixed(cosines), Fixed(sines), interleaved=1, name="of_runtime_offset", **ms)
    return f

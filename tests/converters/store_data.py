"""Test data beside converted models."""

import h5py


def store_data(folder, records):
    """`records`: per record the arrays of the model's inputs."""
    with h5py.File(folder / "data.h5", "w") as file:
        for r, record in enumerate(records):
            for i, array in enumerate(record):
                file[f"value/{r}/{i}"] = array

#!/usr/bin/env python3
"""Compares an exported ONNX file with the weights it was made from, by foreign programs alone.

    pip install numpy onnx onnxruntime safetensors
    train/python/check_export.py net.safetensors net.onnx DATA/part-00000.csv

ONNX Runtime evaluates the one and NumPy, by the recipe of data/README.md, the other, on the first 1,000 positions of a
part of a dataset. Exit code 1 where any value differs by more than 1e-5.
"""

import csv
import itertools
import sys

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import load_file

ROWS = 1000
MOST = 1e-5


def positions(path):
    """Seeds from the first pit of the player to move, and that player's lead."""
    pits, leads = [], []
    with open(path, newline="", encoding="utf-8") as file:
        for row in itertools.islice(csv.DictReader(file), ROWS):
            ring = [int(row[name]) for name in row if name[0] == "p" and name[1:].isdigit()]
            player = int(row["player"])
            piles = [int(row["pile0"]), int(row["pile1"])]
            pits.append(np.roll(ring, -len(ring) // 2) if player == 0 else ring)
            leads.append(piles[player] - piles[1 - player])
    return np.array(pits, np.int64), np.array(leads, np.float32)


def values(net, pits, leads):
    """Expected results by the recipe."""
    rows = 24 * np.arange(pits.shape[1]) + np.minimum(pits, 23)
    x = net["input.weight"][rows].sum(1) + leads[:, None] / 16 * net["lead.weight"] + net["input.bias"]
    x = np.clip(x, 0, 1) @ net["hidden.weight"].T + net["hidden.bias"]
    logits = np.clip(x, 0, 1) @ net["output.weight"].T + net["output.bias"]
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return (odds[:, 0] - odds[:, 2]) / odds.sum(1)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: check_export.py NET.safetensors NET.onnx PART.csv")
    weights, exported, part = sys.argv[1:]
    onnx.checker.check_model(onnx.load(exported), full_check=True)
    pits, leads = positions(part)
    session = onnxruntime.InferenceSession(exported)
    found = session.run(["value"], {"pits": pits, "lead": leads})[0]
    wanted = values(load_file(weights), pits, leads)
    worst = np.abs(found - wanted).max()
    print(f"{len(pits)} positions, worst difference {worst:.1e}")
    sys.exit(int(worst > MOST))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares exported files with the network's values, by foreign programs and by the recipes of data/README.md alone.

    pip install numpy safetensors onnx onnxruntime torch==2.13.0
    giuthi train export net.safetensors --values values.csv --onnx net.onnx --torchscript net.pt --quantised net.giuthiq
    train/python/check_export.py values.csv net.safetensors net.onnx net.pt net.giuthiq

What a file is, its name's end tells; only what it needs has to be installed. Each is asked for all positions at once
and for the first ones one by one. Weights, ONNX and TorchScript have to be within 1e-5 of the column `value`, integers
to the bit those of the column `quantised`. The recipes are the Python blocks of data/README.md, run as they stand.
Exit code 1 where a value is another.
"""

import ast
import csv
import functools
import pathlib
import re
import sys

import numpy as np

MOST = 1e-5
ONE_BY_ONE = 50
README = pathlib.Path(__file__).parents[2] / "data" / "README.md"


@functools.cache
def recipes():
    """The functions of the Python blocks in data/README.md; what the blocks try them on is left out."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
        tree = ast.parse(block)
        keep = (ast.Import, ast.ImportFrom, ast.FunctionDef)
        constant = lambda node: isinstance(node, ast.Assign) and all(name.id.isupper() for name in node.targets)
        tree.body = [node for node in tree.body if isinstance(node, keep) or constant(node)]
        exec(compile(tree, str(README), "exec"), names)
    return names


class Positions:
    """The rows of the table."""

    def __init__(self, path):
        self.positions, pits, leads, self.value, self.quantised = [], [], [], [], []
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                north, south, *numbers = row["position"].split()
                ring = [int(seeds) for seeds in f"{north},{south}".split(",")]
                *piles, player = map(int, numbers)
                self.positions.append((ring, piles, player))
                pits.append(np.roll(ring, len(ring) // 2) if player == 0 else ring)
                leads.append(piles[player] - piles[1 - player])
                self.value.append(float(row["value"]))
                self.quantised.append(np.float32(row["quantised"]))
        self.pits, self.leads = np.array(pits, np.int64), np.array(leads, np.float32)

    def each(self, value):
        return np.array([value(*position) for position in self.positions])

    def batches(self, run):
        """What `run` gives to all at once; what it gives to single ones has to be the same."""
        together = run(self.pits, self.leads)
        for at in range(min(ONE_BY_ONE, len(self.pits))):
            alone = run(self.pits[at : at + 1], self.leads[at : at + 1])
            assert np.abs(alone[0] - together[at]) <= MOST, f"alone, position {at} is worth {alone[0]}, not {together[at]}"
        return together


def weights(path, table):
    from safetensors.numpy import load_file

    net, value = load_file(path), recipes()["value"]
    return table.each(lambda *position: value(net, *position))


def onnx(path, table):
    import onnx as standard
    import onnxruntime

    standard.checker.check_model(standard.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path)

    def run(pits, leads):
        logits, probabilities, value = session.run(
            ["logits", "probabilities", "value"], {"pits": pits, "lead": leads}
        )
        assert logits.shape == probabilities.shape == (len(pits), 3)
        return value

    return table.batches(run)


def torchscript(path, table):
    import torch

    module = torch.jit.load(path)

    def run(pits, leads):
        with torch.no_grad():
            probabilities = module(torch.from_numpy(pits), torch.from_numpy(leads))
        assert probabilities.shape == (len(pits), 3)
        return (probabilities[:, 0] - probabilities[:, 2]).numpy()

    return table.batches(run)


def integers(path, table):
    net, value = recipes()["load_quantised"](path), recipes()["quantised_value"]
    return table.each(lambda *position: value(net, *position))


READERS = {".safetensors": weights, ".onnx": onnx, ".pt": torchscript, ".giuthiq": integers}


def main():
    if len(sys.argv) < 3 or any(pathlib.Path(path).suffix not in READERS for path in sys.argv[2:]):
        sys.exit(f"usage: check_export.py VALUES.csv FILE…, each a {', '.join(READERS)}")
    table = Positions(sys.argv[1])
    wrong = False
    for path in sys.argv[2:]:
        reader = READERS[pathlib.Path(path).suffix]
        found = reader(path, table)
        wanted, most = (table.quantised, 0) if reader is integers else (table.value, MOST)
        worst = np.abs(found - np.array(wanted)).max()
        # No number is near to anything.
        good = bool(worst <= most)
        wrong |= not good
        distance = f", {np.abs(found - np.array(table.value)).max():.1e} from the weights'" if reader is integers else ""
        print(f"{path}: {len(found)} positions, worst difference {worst:.1e}{distance}{'' if good else ': WRONG'}")
    sys.exit(int(wrong))


if __name__ == "__main__":
    main()

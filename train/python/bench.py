"""Training samples a second of Python's PyTorch on the rows, network, optimiser and batch of `giuthi train bench --only fit`.

    python train/python/bench.py DATA [BATCH] [SECONDS] [THREADS]

Tries the usual ways (a bag of embeddings or a dense first layer; AdamW tensor by tensor, in groups, fused) and prints
each one's fastest round, the best last. Needs torch and numpy.
"""

import csv
import json
import pathlib
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

LAYERS = (128, 32)


def read(folder):
    """Categories [n, 2W] int32, leads [n], targets [n, 3] of all rows."""
    parts = json.loads((folder / "manifest.json").read_text())["parts"]
    pits, leads, results = [], [], []
    for part in parts:
        with open(folder / part["file"], newline="") as file:
            for row in csv.DictReader(file):
                seeds = [int(row[name]) for name in row if name[0] == "p" and name[1:].isdigit()]
                piles = int(row["pile0"]), int(row["pile1"])
                player = int(row["player"])
                half = len(seeds) // 2
                pits.append(seeds if player == 1 else seeds[half:] + seeds[:half])
                leads.append((piles[player] - piles[1 - player]) / 16)
                results.append(1 - int(row["result"]))
    pits = np.minimum(np.array(pits, np.int32), 23)
    categories = 24 * np.arange(pits.shape[1], dtype=np.int32) + pits
    return categories, np.array(leads, np.float32), np.eye(3, dtype=np.float32)[results]


class Net(nn.Module):
    def __init__(self, categories, dense):
        super().__init__()
        first, second = LAYERS
        self.dense = dense
        self.input = nn.Parameter(torch.randn(categories, first) * 0.1)
        self.lead = nn.Parameter(torch.randn(first) * 0.1)
        self.bias = nn.Parameter(torch.full((first,), 0.5))
        self.hidden = nn.Linear(first, second)
        self.output = nn.Linear(second, 3)

    def forward(self, seen, lead):
        sums = seen @ self.input if self.dense else F.embedding_bag(seen, self.input, mode="sum")
        x = torch.clamp(sums + lead[:, None] * self.lead + self.bias, 0, 1)
        return self.output(torch.clamp(self.hidden(x), 0, 1))


def rate(data, batch, seconds, dense, **optimiser):
    categories, leads, targets = data
    count = 24 * categories.shape[1]
    order = np.random.default_rng(1).permutation(len(leads))
    batches = []
    for start in range(0, min(len(order), 200 * batch), batch):
        rows = order[start : start + batch]
        seen = torch.from_numpy(categories[rows])
        if dense:
            seen = torch.zeros(len(rows), count).scatter_(1, seen.long(), 1.0)
        batches.append((seen, torch.from_numpy(leads[rows]), torch.from_numpy(targets[rows])))
    net = Net(count, dense)
    adamw = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01, **optimiser)
    best = 0.0
    for _ in range(4):
        started, samples, at = time.perf_counter(), 0, 0
        while time.perf_counter() - started < seconds / 4:
            seen, lead, target = batches[at % len(batches)]
            at += 1
            loss = -(F.log_softmax(net(seen, lead), 1) * target).sum() / len(target)
            loss.item()
            adamw.zero_grad()
            loss.backward()
            adamw.step()
            samples += len(target)
        best = max(best, samples / (time.perf_counter() - started))
    return best


def main():
    arguments = sys.argv[1:]
    if not 1 <= len(arguments) <= 4:
        sys.exit(__doc__)
    folder = pathlib.Path(arguments[0])
    batch = int(arguments[1]) if len(arguments) > 1 else 512
    seconds = float(arguments[2]) if len(arguments) > 2 else 5.0
    torch.set_num_threads(int(arguments[3]) if len(arguments) > 3 else 1)
    data = read(folder)
    ways = [
        ("embedding_bag", False, {"foreach": False}),
        ("embedding_bag, foreach", False, {"foreach": True}),
        ("embedding_bag, fused", False, {"fused": True}),
        ("dense, fused", True, {"fused": True}),
    ]
    best = 0.0
    for name, dense, optimiser in ways:
        found = rate(data, batch, seconds, dense, **optimiser)
        best = max(best, found)
        print(f"{name}: {found:.0f} samples/s, batch {batch}", flush=True)
    print(f"best of Python: {best:.0f} samples/s, torch {torch.__version__}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Reckons ratings and sequential tests once more, in plain Python and by other means, and compares with giuthi-eval.

Usage: scripts/ratings.py [PROGRAM]    (PROGRAM: target/release/giuthi-eval when not given)

Ratings by fixed points (Zermelo's iteration over strengths, bisection for the first move) instead of Newton's method; likelihoods of tests by a search over all chances instead of a Lagrange multiplier; LOS and normalised Elo from
single results. The data are those of eval/tests/golden.
"""

import csv
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "eval/tests/golden"
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/giuthi-eval")


def ask(*arguments, text=""):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(what, ours, theirs, tolerance):
    print(f"{what:42} {ours:14.6f} {theirs:14.6f}")
    if not abs(ours - theirs) <= tolerance:
        sys.exit(f"{what}: {theirs} by giuthi-eval, {ours} here")


def zermelo(games, advantage):
    """Strengths (odds, A's is 1) at which everybody's points are those expected, the first mover's times `advantage`."""
    names = sorted({name for pair in games for name in pair})
    strength = dict.fromkeys(names, 1.0)
    for _ in range(20_000):
        points = dict.fromkeys(names, 0.0)
        weight = dict.fromkeys(names, 0.0)
        for (first, second), (wins, draws, losses) in games.items():
            total = advantage * strength[first] + strength[second]
            count = wins + draws + losses
            points[first] += wins + draws / 2
            points[second] += losses + draws / 2
            weight[first] += count * advantage / total
            weight[second] += count / total
        moved = {name: points[name] / weight[name] for name in names}
        moved = {name: moved[name] / moved["A"] for name in names}
        change = max(abs(math.log(moved[name] / strength[name])) for name in names)
        strength = moved
        if change < 1e-13:
            break
    taken = sum(wins + draws / 2 for wins, draws, _ in games.values())
    expected = sum(
        sum(counts) * advantage * strength[first] / (advantage * strength[first] + strength[second])
        for (first, second), counts in games.items()
    )
    return {name: 400 * math.log10(strength[name]) for name in names}, taken - expected


def first_move(games):
    """The advantage at which the first movers' points are those expected."""
    low, high = 0.5, 2.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        if zermelo(games, middle)[1] > 0:
            low = middle
        else:
            high = middle
    return middle


def greatest(value, low, high, turns=200):
    """The greatest value of a concave function, by golden section."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    for _ in range(turns):
        if value(a) >= value(b):
            high, b = b, a
            a = high - ratio * (high - low)
        else:
            low, a = a, b
            b = low + ratio * (high - low)
    return value((low + high) / 2)


def trinomial(counts, elo, normalised):
    """Greatest log-likelihood of losses, draws, wins under a hypothesis, over all shares of draws."""
    losses, draws, wins = (count or 1e-3 for count in counts)

    def value(draw):
        if normalised:
            excess = elo * math.log(10) / 800
            beyond = excess * math.sqrt((1 - draw) / 4 / (1 + excess * excess))
        else:
            beyond = 1 / (1 + 10 ** (-elo / 400)) - 0.5
        win = 0.5 + beyond - draw / 2
        loss = 1 - win - draw
        if min(win, draw, loss) <= 0:
            return -math.inf
        return losses * math.log(loss) + draws * math.log(draw) + wins * math.log(win)

    middle, width = max((value(i / 1000), i / 1000) for i in range(1, 1000))[1], 1e-3
    return greatest(value, max(middle - width, 1e-12), min(middle + width, 1 - 1e-12))


def main():
    with open(GOLDEN / "ordo_pairs_directed.csv") as file:
        games = {
            (row["first"], row["second"]): tuple(int(row[f"{key}"]) for key in ("first_wins", "draws", "second_wins"))
            for row in csv.DictReader(file)
        }
    table = "player0,player1,result\n"
    for (first, second), counts in games.items():
        for result, count in zip(("1-0", "1/2-1/2", "0-1"), counts):
            table += f"{first},{second},{result}\n" * count
    print(f"{'':42} {'here':>14} {'giuthi-eval':>14}")
    for label, advantage, flags in (("", 1.0, ()), (", first move", first_move(games), ("--first-move", "fit"))):
        ratings, _ = zermelo(games, advantage)
        for agent in ask("rate", "-", "--json", "--anchor", "A", *flags, text=table):
            compare(f"{agent['agent']}{label}", ratings[agent["agent"]], agent["elo"], 0.006)

    with open(GOLDEN / "fastchess_wdl.csv") as file:
        for row in csv.DictReader(file):
            wins, draws, losses = (int(row[key]) for key in ("wins", "draws", "losses"))
            text = f"{wins},{draws},{losses}"
            for model in ("logistic", "normalised"):
                here = [trinomial((losses, draws, wins), elo, model == "normalised") for elo in (0, 5)]
                (there,) = ask("sprt", "--counts", text, "--elo1", "5", "--model", model, "--json")
                compare(f"LLR {text} {model}", here[1] - here[0], there["llr"], 2e-5)
            results = [0.0] * losses + [0.5] * draws + [1.0] * wins
            mean = sum(results) / len(results)
            deviation = math.sqrt(sum((result - mean) ** 2 for result in results) / len(results))
            if deviation > 0:
                los = math.erfc(-(mean - 0.5) / deviation * math.sqrt(len(results) / 2)) / 2
                compare(f"LOS {text}", los, there["los"], 1e-6)
                nelo = (mean - 0.5) / deviation * 800 / math.log(10)
                compare(f"normalised Elo {text}", nelo, there["normalised_elo"][1], 1e-4)
    print("all the same")


if __name__ == "__main__":
    main()

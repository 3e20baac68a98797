#!/usr/bin/env python3
"""Checks proofs that `giuthi solve --certificate` wrote, with rules of its own: nothing of the engine is used.

    python3 scripts/verify_proof.py data/proofs/2x5x4.txt

What a proof is and why the check proves it: docs/solved.md. Proofs that lean on endgame tables are not checked.
"""

import sys


def sow(pits, player, pit, step):
    """Sows a pit of the player's with step +1 (ccw) or -1 (cw): pits after it, seeds captured, whether the player moves
    again; None for a relay that never ends (R9)."""
    ring = len(pits)
    width = ring // 2
    own = range(width, ring) if player == 0 else range(width)
    first = (list(pits), pit, step)
    pits, entered = list(pits), False
    while True:
        seeds, pits[pit] = pits[pit], 0
        for _ in range(seeds):
            pit = (pit + step) % ring
            pits[pit] += 1
            entered = entered or pit not in own
        if pits[pit] == 1:
            break
        step = -step
        # A lap can be undone in one way only, so what comes round comes round to its first state.
        if (pits, pit, step) == first:
            return None
    if pit not in own:
        return tuple(pits), 0, False
    if not entered:
        return tuple(pits), 0, True
    captured, pits[pit] = pits[pit], 0
    while True:
        captured += pits[ring - 1 - pit]
        pits[ring - 1 - pit] = 0
        pit += step
        if pit not in own or pits[pit] > 0:
            return tuple(pits), captured, False


def moves(position):
    """The legal moves as (pit, step), in the order in which proofs count them; [None] for a forced pass."""
    pits, _, player = position
    width = len(pits) // 2
    own = range(width, 2 * width) if player == 0 else range(width)
    found = [(pit, step) for pit in own if pits[pit] >= 2 for step in (1, -1)]
    return found or ([None] if any(seeds >= 2 for seeds in pits) else [])


def play(position, move):
    """The position after a move; None after an endless relay."""
    pits, piles, player = position
    if move is None:
        return pits, piles, 1 - player
    sown = sow(pits, player, *move)
    if sown is None:
        return None
    pits, captured, again = sown
    piles = tuple(pile + captured * (owner == player) for owner, pile in enumerate(piles))
    return pits, piles, player if again else 1 - player


def mirrored(position):
    pits, piles, player = position
    width = len(pits) // 2
    return pits[:width][::-1] + pits[width:][::-1], piles, player


def holds_circle(position):
    """Whether extra moves lead back to a position of the same turn, or never end."""
    player, states, tasks = position[2], {}, [(position, False)]
    while tasks:
        place, leaves = tasks.pop()
        if leaves:
            states[place] = "done"
        elif states.get(place) == "open":
            return True
        elif place not in states:
            states[place] = "open"
            tasks.append((place, True))
            for move in moves(place):
                after = play(place, move)
                if after is None:
                    return True
                # An extra move leaves the player to move and captures nothing; so does nothing else.
                if move is not None and after[2] == player:
                    tasks.append((after, False))
    return False


def verify(position, player, goal, steps):
    """Goes through all that can be reached while the player plays the proof's moves; raises ValueError at a flaw.
    Returns the number of positions met."""
    steps, draw, states, tasks = iter(steps), goal == "draw", {}, [(position, False)]
    while tasks:
        place, leaves = tasks.pop()
        key = min(place, mirrored(place))
        if leaves:
            states[key] = "done"
            continue
        pits, piles, to_move = place
        legal = moves(place)
        if not legal:
            width = len(pits) // 2
            score = (piles[0] + sum(pits[width:]), piles[1] + sum(pits[:width]))
            margin = score[player] - score[1 - player]
            if margin < 0 or margin == 0 and not draw:
                raise ValueError(f"the game is over and the goal missed: {place}")
            continue
        if draw and piles[player] - piles[1 - player] >= sum(pits):
            continue
        if key in states:
            if not draw and states[key] == "open":
                raise ValueError(f"play can come back to {place}")
            continue
        states[key] = "open"
        tasks.append((place, True))
        if to_move == player:
            word = next(steps, None)
            if word is None:
                raise ValueError(f"no move for {place}")
            if word == "circle":
                if not draw or not holds_circle(place):
                    raise ValueError(f"no circle that helps in {place}")
                continue
            move = None if word == "pass" else (int(word.rstrip("cw")), 1 if word.endswith("ccw") else -1)
            if move not in legal:
                raise ValueError(f"{word} is not legal in {place}")
            played = [move]
        else:
            played = legal
        for move in reversed(played):
            after = play(place, move)
            if after is not None:
                tasks.append((after, False))
            elif not draw:
                raise ValueError(f"an endless relay draws in {place}")
    if next(steps, None) is not None:
        raise ValueError("moves are left over")
    return len(states)


def read(path):
    """The proofs of a file: (position, player, goal, moves)."""
    with open(path, encoding="utf-8") as file:
        lines = iter(file.read().splitlines())
    for line in lines:
        if line != "giuthi-proof 1":
            raise ValueError(f"{path}: not a proof")
        north, south, pile0, pile1, to_move = next(lines).removeprefix("position ").split(" ")
        pits = tuple(int(seeds) for seeds in (north + "," + south).split(","))
        player, goal = int(next(lines).removeprefix("player ")), next(lines).removeprefix("goal ")
        if next(lines) != "tables none":
            raise ValueError(f"{path}: leans on endgame tables")
        count, steps = int(next(lines).removeprefix("moves ")), []
        while len(steps) < count:
            steps += next(lines).split()
        yield (pits, (int(pile0), int(pile1)), int(to_move)), player, goal, steps


def main():
    for path in sys.argv[1:]:
        for position, player, goal, steps in read(path):
            met = verify(position, player, goal, steps)
            print(f"{path}: player {player}, {goal}: proven, {len(steps)} moves for {met} positions")


if __name__ == "__main__":
    try:
        main()
    except ValueError as flaw:
        sys.exit(f"verify_proof.py: {flaw}")

#!/usr/bin/env python3
"""A bot that plays at random: the smallest program that can enter a tournament.

It speaks the engine protocol (docs/ugi.md) and knows the rules by itself; nothing but Python 3 is needed. To make a
bot of your own, change `choose`.
"""

import random
import sys


class Position:
    """Seeds in ring order, the two piles, and the player to move (0 or 1)."""

    def __init__(self, pits, piles, player):
        self.pits, self.piles, self.player = pits, piles, player
        self.width = len(pits) // 2

    @classmethod
    def start(cls, width, seeds):
        return cls([seeds] * (2 * width), [0, 0], 0)

    @classmethod
    def parse(cls, fields):
        north, south, pile0, pile1, player = fields
        rows = [[int(seeds) for seeds in row.split(",")] for row in (north, south)]
        piles, player = [int(pile0), int(pile1)], int(player)
        if len(rows[0]) != len(rows[1]) or not 5 <= len(rows[0]) <= 10:
            raise ValueError("the rows must be equal and have 5 to 10 pits")
        seeds = rows[0] + rows[1] + piles
        if min(seeds) < 0 or sum(seeds) > 255 or player not in (0, 1):
            raise ValueError("a number is out of bounds")
        return cls(rows[0] + rows[1], piles, player)

    def __str__(self):
        rows = (self.pits[: self.width], self.pits[self.width :])
        north, south = (",".join(map(str, row)) for row in rows)
        return f"{north} {south} {self.piles[0]} {self.piles[1]} {self.player}"

    def row(self, player):
        """The pits of a player: player 1 owns the first half of the ring."""
        return range(self.width) if player == 1 else range(self.width, 2 * self.width)

    def can_sow(self, player):
        return any(self.pits[pit] >= 2 for pit in self.row(player))

    def moves(self):
        own = [pit for pit in self.row(self.player) if self.pits[pit] >= 2]
        if own:
            return [f"{pit}{way}" for pit in own for way in ("ccw", "cw")]
        return ["pass"] if self.can_sow(1 - self.player) else []

    def play(self, move):
        """Plays a legal move; False when its relay is endless."""
        if move == "pass":
            self.player = 1 - self.player
            return True
        step = 1 if move.endswith("ccw") else -1
        pit = int(move.removesuffix("ccw").removesuffix("cw"))
        ring, own = 2 * self.width, self.row(self.player)
        before, first = list(self.pits), (pit, step)
        entered = False
        while True:
            seeds, self.pits[pit] = self.pits[pit], 0
            for _ in range(seeds):
                pit = (pit + step) % ring
                self.pits[pit] += 1
                entered = entered or pit not in own
            if self.pits[pit] == 1:
                break
            # Occupied: on from here, the other way.
            step = -step
            if (pit, step) == first and self.pits == before:
                return False
        if pit not in own:
            self.player = 1 - self.player
        elif entered:
            self.capture(pit, step, own)
            self.player = 1 - self.player
        return True

    def capture(self, pit, step, own):
        """The landing seed, all opposite it, and on along empty pits of the own row."""
        taken, self.pits[pit] = self.pits[pit], 0
        while pit in own and self.pits[pit] == 0:
            opposite = 2 * self.width - 1 - pit
            taken += self.pits[opposite]
            self.pits[opposite] = 0
            pit += step
        self.piles[self.player] += taken


class Game:
    """A position and what went before it."""

    def __init__(self, position):
        self.position = position
        self.seen = {str(position)}
        self.drawn = False

    def over(self):
        return self.drawn or not self.position.moves()

    def play(self, move):
        if self.over() or move not in self.position.moves():
            raise ValueError(f"{move} is illegal at {self.position}")
        self.drawn = not self.position.play(move) or str(self.position) in self.seen
        self.seen.add(str(self.position))

    def result(self):
        if not self.over():
            return "none"
        if self.drawn:
            return "draw"
        position = self.position
        score = [position.piles[p] + sum(position.pits[pit] for pit in position.row(p)) for p in (0, 1)]
        if score[0] == score[1]:
            return "draw"
        return "p1win" if score[0] > score[1] else "p2win"


def choose(game):
    """The move to play: here is where a better bot begins."""
    return random.choice(game.position.moves())


def variant(text):
    """`2x8x6` as (8, 6)."""
    two, width, seeds = (int(part) for part in text.split("x"))
    if two != 2 or not 5 <= width <= 10 or not 1 <= seeds <= 9:
        raise ValueError("a variant is 2xWxS, W from 5 to 10, S from 1 to 9")
    return width, seeds


class Bot:
    def __init__(self):
        self.variant = (8, 8)
        self.game = Game(Position.start(*self.variant))
        # A move that `go infinite` found, kept back until `stop`.
        self.pending = None

    def say(self, text):
        print(text, flush=True)

    def obey(self, words):
        """Follows one command; a ValueError says what was wrong with it."""
        match words:
            case ["ugi"]:
                self.say("id name Random bot (Python)")
                self.say("id author The Giuthi developers")
                self.say("option name variant type string default 2x8x8")
                self.say("ugiok")
            case ["isready"]:
                self.say("readyok")
            case ["setoption", "name", "variant", "value", text]:
                self.variant = variant(text)
                self.game = Game(Position.start(*self.variant))
            case ["uginewgame"]:
                self.game = Game(Position.start(*self.variant))
            case ["position", "startpos", *rest]:
                self.place(Position.start(*self.variant), rest)
            case ["position", "fen", *rest] if len(rest) >= 5:
                self.place(Position.parse(rest[:5]), rest[5:])
            case ["go", *limits]:
                # Whatever the limits are: a random move is found within all of them.
                self.stop()
                move = "none" if self.game.over() else choose(self.game)
                if limits == ["infinite"] and move != "none":
                    self.pending = move
                else:
                    self.say(f"bestmove {move}")
            case ["stop"]:
                self.stop()
            case ["query", question]:
                self.query(question)
            case ["quit"]:
                sys.exit(0)
            case []:
                pass
            case _:
                raise ValueError("unknown command")

    def place(self, start, rest):
        """Sets up a game; the old one stays when a move is illegal."""
        if rest and rest[0] != "moves":
            raise ValueError("`moves` is missing")
        game = Game(start)
        for move in rest[1:]:
            game.play(move)
        self.game = game

    def query(self, question):
        game = self.game
        answers = {
            "gameover": lambda: "true" if game.over() else "false",
            "p1turn": lambda: "true" if game.position.player == 0 else "false",
            "result": game.result,
            "legalmoves": lambda: "none" if game.over() else " ".join(game.position.moves()),
            "position": lambda: str(game.position),
        }
        if question not in answers:
            raise ValueError("unknown question")
        self.say(f"response {answers[question]()}")

    def stop(self):
        if self.pending:
            self.say(f"bestmove {self.pending}")
            self.pending = None


def main():
    bot = Bot()
    # Bytes, so that no line can be a wrong encoding.
    for line in sys.stdin.buffer:
        try:
            bot.obey(line.decode("utf-8", "replace").split())
        except ValueError as error:
            bot.say(f"info string {error}"[:200])
        except BrokenPipeError:
            # The referee has gone.
            sys.stderr.close()
            return


if __name__ == "__main__":
    main()

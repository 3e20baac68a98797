#!/usr/bin/env python3
"""A bot with a bad habit, for the tests: `bot.py HABIT[=N] [PID FILE]`.

It plays like examples/random_bot.py, but for the habit, which shows from its N-th question on (the first where N is
not said). Every process it consists of adds its number to the PID file.
"""

import os
import signal
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples"))
from random_bot import Bot  # noqa: E402

habit, _, number = sys.argv[1].partition("=")
number = int(number or 0)


class Bad(Bot):
    asked = 0

    def obey(self, words):
        match words[:1]:
            case ["quit"] if habit == "deaf":
                return
            case ["isready"] if habit == "unready":
                return
            case ["go"]:
                self.asked += 1
                if self.misbehave():
                    return
        super().obey(words)

    def misbehave(self):
        """Shows the habit; True where that was all there is to the answer."""
        moves = self.game.position.moves()
        match habit:
            case "crash" if self.asked >= number:
                print("it hurts", file=sys.stderr)
                os._exit(3)
            case "orphan":
                # Its child keeps the output open.
                if os.fork() == 0:
                    note()
                    time.sleep(600)
                os._exit(4)
            case "silent":
                return True
            case "late":
                time.sleep(number / 1000)
            case "late-once" if self.asked == 1:
                # In the grace, so that the answer is there when the next question is put.
                time.sleep(number / 1000)
            case "illegal":
                self.say("bestmove pass" if moves != ["pass"] else "bestmove 0cw")
                return True
            case "garbage":
                self.say("bestmove \0\x01 nonsense")
                return True
            case "babble":
                self.say("I would rather not")
                return True
            case "twice":
                self.say(f"bestmove {moves[0]}")
            case "flood":
                for _ in range(20_000):
                    sys.stdout.write("so much to say\n" * 20)
                return True
            case "grumble":
                for _ in range(100):
                    sys.stderr.write("so much to say\n" * 100)
                sys.stderr.flush()
        return False


def note():
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a") as file:
            file.write(f"{os.getpid()}\n")


def main():
    note()
    if habit == "never":
        sys.exit("no")
    if habit == "mute":
        time.sleep(600)
    if habit == "deaf":
        for number_of in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number_of, signal.SIG_IGN)
    if habit == "fork" and os.fork() == 0:
        note()
        time.sleep(600)
        os._exit(0)
    bot = Bad()
    for line in sys.stdin.buffer:
        try:
            bot.obey(line.decode("utf-8", "replace").split())
        except ValueError as error:
            bot.say(f"info string {error}"[:200])
    if habit == "deaf":
        time.sleep(600)


if __name__ == "__main__":
    main()

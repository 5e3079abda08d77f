#!/usr/bin/env python3
"""Drives one process for hours like a server: analyses of every kind, one after the other, and watches the process.

    scripts/endurance.py [--hours H] [--pause S] [--threads LIST] [--hash MIB] [--seed N] ENGINE

A visit is a new game from a position that `enfilade speedtest` searches, and up to 12 searches that follow the
engine's best moves. A search is limited by time, nodes, depth or a clock, runs until `stop`, or ponders. Each visit
draws the number of threads and lines and the size of the table. Some searches have only a few root moves.
`--pause S` sleeps for S seconds after each search (0), for a machine with other work.

The script reads every line. The moves of every line and the move played must be legal, each search must end with one
bestmove, and `isready` must be answered. Once a minute it takes a sample of resident memory, threads and open files,
with the first settings and a cleared table. It prints a line after each sixtieth of the time. At the end
it prints the growth of memory from the first quarter of the samples to the last (medians), the latencies of `stop` and
`isready` (median and longest), and the number of faults. The exit code is 1 if there are faults. The script needs Linux
and python-chess.
"""
import argparse
import pathlib
import random
import statistics
import subprocess
import sys
import threading
import time
from queue import Empty, Queue

import chess

POSITIONS = pathlib.Path(__file__).parent.parent / "src/lab/scaling/positions.fen"
PATIENCE = 60.0


class Engine:
    """The engine's process, its output, and the faults that were found."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = Queue()
        self.faults = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def send(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def until(self, word, seconds=PATIENCE):
        """The lines up to the first one that begins with `word`."""
        lines = []
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                sys.exit(f"no {word} within {seconds} seconds; before it: {lines[-3:]}")
            if line is None:
                sys.exit(f"the engine ended with {self.process.wait()}; before it: {lines[-3:]}")
            lines.append(line)
            if line.split(" ", 1)[0] == word:
                return lines

    def ready(self):
        """The lines before `readyok`, and the seconds until `readyok` came."""
        start = time.monotonic()
        self.send("isready")
        return self.until("readyok")[:-1], time.monotonic() - start

    def fault(self, text):
        self.faults.append(text)
        print(f"fault: {text}", flush=True)

    def usage(self):
        """Resident memory in MiB, threads, and open files."""
        folder = pathlib.Path(f"/proc/{self.process.pid}")
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        return int(status["VmRSS"].split()[0]) / 1024, int(status["Threads"]), len(list((folder / "fd").iterdir()))


def check(engine, board, lines, what):
    """Looks for faults in the answer to one `go`. Returns the move, or None."""
    for line in lines:
        words = line.split()
        if words[:1] == ["info"]:
            if "pv" not in words:
                continue
            after = board.copy(stack=False)
            for word in words[words.index("pv") + 1 :]:
                try:
                    after.push(after.parse_uci(word))
                except ValueError:
                    engine.fault(f"{board.fen()}, {what}: {word} in {line!r}")
                    break
        elif words[:1] not in (["bestmove"], ["readyok"]):
            engine.fault(f"{board.fen()}, {what}: {line!r}")
    best = lines[-1].split()
    if best[1] in ("(none)", "0000"):
        if any(board.legal_moves):
            engine.fault(f"{board.fen()}, {what}: {lines[-1]!r}")
        return None
    try:
        return board.parse_uci(best[1])
    except ValueError:
        engine.fault(f"{board.fen()}, {what}: {lines[-1]!r}")
        return None


def search(engine, board, draw, latencies):
    """Runs one search of a random kind. Returns the move, or None."""
    kind = draw.choice(("movetime", "nodes", "depth", "clock", "infinite", "ponder"))
    restricted = ""
    if draw.random() < 0.2 and any(board.legal_moves):
        moves = list(board.legal_moves)
        restricted = " searchmoves " + " ".join(move.uci() for move in draw.sample(moves, min(3, len(moves))))
    limit = {
        "movetime": f"movetime {draw.randint(1, 800)}",
        "nodes": f"nodes {draw.randint(1, 1_000_000)}",
        "depth": f"depth {draw.randint(1, 12)}",
        "clock": f"wtime {draw.randint(10, 10_000)} btime {draw.randint(10, 10_000)} winc 50 binc 50",
        "infinite": "infinite",
        "ponder": f"ponder wtime {draw.randint(10, 5_000)} btime {draw.randint(10, 5_000)}",
    }[kind]
    what = limit + restricted
    engine.send(f"position fen {board.fen()}")
    engine.send(f"go {what}")
    before = []
    if kind in ("infinite", "ponder"):
        time.sleep(draw.uniform(0.0, 0.8))
        before, wait = engine.ready()
        latencies["isready"].append(wait)
        if any(line.startswith("bestmove") for line in before):
            engine.fault(f"{board.fen()}, {what}: a bestmove before `stop` or `ponderhit`")
        if kind == "ponder" and draw.random() < 0.5:
            engine.send("ponderhit")
            return check(engine, board, before + engine.until("bestmove"), what)
        start = time.monotonic()
        engine.send("stop")
        after = engine.until("bestmove")
        latencies["stop"].append(time.monotonic() - start)
        return check(engine, board, before + after, what)
    return check(engine, board, engine.until("bestmove"), what)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--hours", type=float, default=2.0, help="hours to run")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds to sleep after each search")
    parser.add_argument("--threads", default="1,2,4,16", help="numbers of threads to change between; samples are taken with the first")
    parser.add_argument("--hash", type=int, default=64, help="size of the table for the samples, in MiB")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random choices")
    parser.add_argument("engine")
    arguments = parser.parse_args()
    threads = [int(number) for number in arguments.threads.split(",")]
    draw = random.Random(arguments.seed)
    fens = [line for line in POSITIONS.read_text().splitlines() if line]
    engine = Engine(arguments.engine)
    engine.send("uci")
    engine.until("uciok")
    latencies = {"stop": [], "isready": []}
    samples, searches, visits = [], 0, 0
    start = time.monotonic()
    seconds = arguments.hours * 3600
    sampled = said = float("-inf")

    def settings(count, size):
        engine.send(f"setoption name Threads value {count}\nsetoption name Hash value {size}")

    while time.monotonic() - start < seconds:
        visits += 1
        settings(draw.choice(threads), draw.choice((1, 16, arguments.hash)))
        engine.send(f"setoption name MultiPV value {draw.randint(1, 5)}\nucinewgame")
        said_before, _ = engine.ready()
        for line in said_before:
            if not line.startswith("info string "):
                engine.fault(f"between searches: {line!r}")
        board = chess.Board(draw.choice(fens))
        for _ in range(draw.randint(1, 12)):
            move = search(engine, board, draw, latencies)
            searches += 1
            time.sleep(arguments.pause)
            if move is None:
                break
            board.push(move)
        now = time.monotonic()
        if now - sampled >= 60:
            settings(threads[0], arguments.hash)
            engine.send("ucinewgame")
            engine.ready()
            samples.append(engine.usage())
            sampled = now
        if now - said >= seconds / 60:
            resident, running, files = samples[-1]
            print(
                f"{(now - start) / 60:.0f} minutes, {visits} visits, {searches} searches: {resident:.1f} MiB,"
                f" {running} threads, {files} files, {len(engine.faults)} faults",
                flush=True,
            )
            said = now
    engine.send("quit")
    if engine.process.wait(PATIENCE) != 0:
        engine.fault(f"exit code {engine.process.returncode}")
    quarter = max(1, len(samples) // 4)
    for place, name in enumerate(("resident MiB", "threads", "open files")):
        first, last = (statistics.median(sample[place] for sample in part) for part in (samples[:quarter], samples[-quarter:]))
        print(f"{name}: {first:.1f} in the first quarter, {last:.1f} in the last; {len(samples)} samples")
    for name, values in latencies.items():
        if values:
            print(f"{name}: median {1000 * statistics.median(values):.2f} ms, longest {1000 * max(values):.1f} ms, {len(values)} times")
    print(f"{searches} searches, faults: {len(engine.faults)}")
    sys.exit(1 if engine.faults else 0)


if __name__ == "__main__":
    main()

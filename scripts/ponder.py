#!/usr/bin/env python3
"""Plays games in which both sides ponder, and reports them as fastchess does ("Finished game ...").

fastchess does not ponder. This program keeps the clocks itself, with a margin of 50 ms for its own delays. It needs
python-chess. scripts/soak uses it.
"""
import argparse
import logging
import random
import time

import chess
import chess.engine

MARGIN = 0.05
THREADS = (1, 2, 4, 16)


class Warnings(logging.Handler):
    """Prints the lines that python-chess logs because it cannot read them, except free text outside of a search."""

    def emit(self, record):
        if "'info string " not in record.getMessage():
            print(f"Warning; {record.getMessage()}", flush=True)


def opening(draw):
    """A position after eight random plies in which the game is not over."""
    while True:
        board = chess.Board()
        for _ in range(8):
            if board.is_game_over():
                break
            board.push(draw.choice(list(board.legal_moves)))
        if not board.is_game_over():
            return board


def play(engines, board, base, increment):
    """Plays one game. Returns its end in the words of fastchess."""
    clocks = {chess.WHITE: base, chess.BLACK: base}
    game = object()
    while not board.is_game_over(claim_draw=True):
        if board.ply() > 400:
            return "1/2-1/2 {Draw by length}"
        side = board.turn
        name, other = ("White", "0-1") if side == chess.WHITE else ("Black", "1-0")
        limit = chess.engine.Limit(
            white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=increment, black_inc=increment
        )
        start = time.monotonic()
        try:
            result = engines[side].play(board, limit, game=game, ponder=True)
        except chess.engine.EngineTerminatedError:
            return f"{other} {{{name} disconnects}}"
        except (chess.engine.EngineError, TimeoutError) as error:
            return f"{other} {{{name} makes an illegal move: {error}}}"
        clocks[side] -= time.monotonic() - start
        if clocks[side] < -MARGIN:
            return f"{other} {{{name} loses on time}}"
        clocks[side] = max(clocks[side], 0.001) + increment
        if result.move is None:
            return f"{other} {{{name} stalls}}"
        board.push(result.move)
    return f"{board.result(claim_draw=True)} {{normal end}}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--tc", default="0.5+0.005")
    parser.add_argument("--hash", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    base, _, increment = arguments.tc.partition("+")
    logging.getLogger("chess.engine").addHandler(Warnings(logging.WARNING))
    draw = random.Random(arguments.seed)
    for number in range(1, arguments.games + 1):
        threads = [draw.choice(THREADS) for _ in range(2)]
        engines = {}
        try:
            for side, count in zip((chess.WHITE, chess.BLACK), threads):
                engine = chess.engine.SimpleEngine.popen_uci(arguments.engine, timeout=60)
                engines[side] = engine
                engine.configure({"Threads": count, "Hash": arguments.hash})
                engine.ping()
            end = play(engines, opening(draw), float(base), float(increment or 0))
        finally:
            for engine in engines.values():
                try:
                    engine.quit()
                except (chess.engine.EngineError, TimeoutError):
                    print("Warning; an engine did not quit")
        print(f"Finished game {number} (threads-{threads[0]} vs threads-{threads[1]}): {end}", flush=True)


if __name__ == "__main__":
    main()

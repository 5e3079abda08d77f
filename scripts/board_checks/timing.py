"""How long it takes from opening the page to its first line."""
import os
import statistics

MOVES = [file + rank for file in "abcdefgh" for rank in "34"]
MARKS = {
    "first paint": "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
    "all files loaded": "performance.getEntriesByType('navigation')[0].loadEventEnd",
    "first line": "performance.getEntriesByName('first line')[0]?.startTime",
}


def time_opening(user, runs):
    """Opens a position after one move, another one each time, and prints milliseconds from the navigation on.

    The server lets nothing be kept without asking it again, so all files are loaded each time."""
    times = {name: [] for name in MARKS}
    for run in range(runs):
        # After all moves have been tried, the number of moves tells one position from another.
        move = MOVES[run % len(MOVES)]
        fen = f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {1 + run // len(MOVES)}".replace(" ", "+")
        token = f"&token={user.token}" if user.token else ""
        user.browser.open("about:blank")
        user.browser.open(f"{user.url}#fen={fen}&moves={move[0]}2{move}{token}")
        for name, mark in MARKS.items():
            user.waits(f"{mark} > 0", f"run {run + 1}: {name}", 60)
            times[name].append(user.browser.value(mark) or 0)
    load = os.getloadavg()[0]
    print(f"milliseconds from opening the page, {runs} runs, load average at the end {load:.1f} of {os.cpu_count()} cores")
    for name, values in times.items():
        print(f"{name:18} median {statistics.median(values):6.0f}  least {min(values):6.0f}  greatest {max(values):6.0f}")

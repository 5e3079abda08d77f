"""The report on a game: in the background, with judgements, and kept."""

from . import games
from .user import START

GAME = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1"


def check_report(user):
    browser = user.browser
    user.open()
    browser.press("l")
    browser.value("localStorage.setItem('enfilade-settings', JSON.stringify({isOn: false, effort: '20000'}))")
    browser.reload()
    user.waits("document.querySelector('#moves .on') !== null", "the page is back")
    user.load(GAME, "r1b1kbnr/pppp1Npp/8/8/4q3/5n2/PPPPBP1P/RNBQKR2 w")
    browser.click("#review")
    user.says("review", "Cancel", "the analysis begins")
    browser.press("Home")
    browser.press("ArrowRight")
    user.fen("rnbqkbnr/pppppppp/8/8/4P3", "meanwhile the user looks around")
    user.says("review", "Analyze all", "the analysis ends", 180)
    user.fen("rnbqkbnr/pppppppp/8/8/4P3", "the board is where the user left it")
    user.waits("document.querySelectorAll('#report-rows tr').length === 2", "both players have figures")
    user.waits("/\\d+%/.test(document.getElementById('report-rows').textContent)", "accuracies")
    user.waits("document.querySelector('#moves .glyph.blunder') !== null", "blunders are marked")
    user.says("moves", "was best.", "the better move is told")
    user.waits("document.querySelectorAll('#game-graph .fault').length > 0", "the graph has them")
    browser.press("b")
    user.waits("document.querySelector('#moves .on .glyph.blunder') !== null", "b goes to the next blunder")
    browser.wait("false", 1)
    browser.reload()
    user.waits("document.querySelectorAll('#report-rows tr').length === 2", "the report survives a reload")
    user.waits("document.querySelector('#moves .glyph.blunder') !== null", "the marks too")
    browser.click("#review")
    user.tells("The game is analyzed.", "what is known is not searched again")
    browser.value("localStorage.removeItem('enfilade-settings')")


def check_graph(user):
    """What has no evaluation stays empty in the graph of the game."""
    user.open()
    user.browser.press("l")
    user.load("1. e4 {[%eval 0.3]} e5 2. Nf3 Nc6 3. Bb5 a6 {[%eval 0.2]} 4. Ba4", START)
    widths = ("[...document.querySelectorAll('#game-graph .area')].map(area => area.getBBox())"
              ".map(box => [Math.round(box.x), Math.round(box.x + box.width)])")
    user.waits(f"JSON.stringify({widths}) === '[[71,214],[786,929]]'", "two of eight positions are drawn")
    user.that(user.text("phases") == "", "a short game has no phases")
    user.load(games.GAME, START)
    for name in ["middlegame", "endgame"]:
        user.says("phases", name, f"a long game has its {name}")
    user.browser.press("l")

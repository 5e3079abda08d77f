"""Moves: clicks, drags, typed moves, keys, stepping, variations, deleting, undo."""
from browser import CONTROL, SHIFT
from .user import START

PROMOTION = "8/2P4k/8/8/8/8/7K/8 w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def check_moves(user):
    browser = user.browser
    user.open()
    user.fen(START, "the board begins with the usual start")
    user.plays("e2", "e4")
    user.fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b", "two clicks play a move")
    user.can_move("e7")
    browser.press("f")
    browser.click("#board [data-square='e5']")
    user.fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w", "a move on the turned board")
    user.can_move("g1")
    browser.click("#board [data-square='g1']")
    browser.drag("#board [data-square='g1']", "#board [data-square='f3']")
    user.fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b", "a drag plays a move")
    browser.press("f")
    browser.click("#move")
    browser.type("2... Nc6")
    browser.press("Enter")
    user.fen("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w", "a typed move is played")
    user.says("opening", "King's Knight Opening", "the opening has its name")
    browser.type("Nf6")
    browser.press("Enter")
    user.says("move-error", "Nf6 is not legal here.", "a wrong move is told beside the field")
    user.that(browser.value("(e => e.getBoundingClientRect().bottom <= innerHeight)(document.getElementById('move-error'))"),
              "the message is visible")
    user.that("/" not in user.text("move-error"), "and shows no FEN")
    user.calm()
    user.plays("f1", "a7")
    user.that(browser.value("document.querySelector('.hints .selected') === null"), "a wrong target ends the choice")


def check_steps(user):
    """Keys, buttons, wheel, variations."""
    browser = user.browser
    after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"
    sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w"
    end = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w"
    user.open("moves=e2e4,e7e5,g1f3,b8c6")
    user.fen(end, "the address is shown")
    browser.press("Home")
    user.fen(START, "Home goes to the start")
    browser.press("ArrowRight")
    user.fen(after_e4, "the right arrow goes on")
    user.plays("c7", "c5")
    user.fen(sicilian, "another move is a variation")
    user.waits("document.querySelector('#moves .better button.on').textContent.includes('c5')", "the list has it")
    browser.press("ArrowUp")
    user.fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w", "the up arrow goes to the move in the same place")
    browser.press("ArrowDown")
    user.fen(sicilian, "the down arrow goes back")
    browser.press("ArrowLeft", SHIFT)
    user.fen(after_e4, "Shift and left arrow go to the fork")
    browser.press("End")
    user.fen(end, "End goes to the end")
    for name, fen in [("first", START), ("forward", after_e4), ("last", end), ("back", "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2")]:
        browser.click(f"#{name}")
        user.fen(fen, f"the button {name}")
    browser.wheel("#board", 100)
    user.fen(end, "the wheel steps on")
    browser.wheel("#board", -100)
    user.fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2", "the wheel steps back")
    browser.press("?")
    user.waits("document.getElementById('help-dialog').open", "a list of keys")
    browser.press("Escape")
    user.waits("!document.getElementById('help-dialog').open", "Esc closes it")
    for chosen, wanted in [("menu-main", "c5"), ("menu-promote", "e5")]:
        browser.right_click("#moves .better button.m")
        user.waits("!document.getElementById('menu').hidden", "a move has a menu")
        browser.click(f"#{chosen}")
        user.waits(f"document.querySelector('#moves .row:nth-child(2) button:nth-of-type(2) b').textContent === '{wanted}'",
                   f"{chosen} changes the main line")


def check_undo(user):
    """Nothing is lost by one key."""
    browser = user.browser
    user.open("moves=e2e4,e7e5,g1f3,b8c6")
    browser.press("Home")
    browser.press("ArrowRight")
    browser.press("Delete")
    user.fen(START, "Delete takes the move away")
    user.waits("document.querySelectorAll('#moves .row button').length === 1", "with what follows")
    user.tells("1. e4 and 3 moves after it deleted.", "the page says what is gone")
    browser.click("#message-action")
    user.waits("document.querySelectorAll('#moves .row button').length === 5", "one click brings it back")
    user.fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b", "and the position")
    user.calm()
    browser.press("Delete")
    user.fen(START, "deleted again")
    browser.press("z", CONTROL)
    user.waits("document.querySelectorAll('#moves .row button').length === 5", "Ctrl+Z brings it back too")
    browser.press("y", CONTROL)
    user.waits("document.querySelectorAll('#moves .row button').length === 1", "Ctrl+Y deletes it again")
    browser.press("z", CONTROL)
    browser.click("#open-import")
    browser.click("#reset")
    user.fen(START, "a new game")
    user.tells("kept under Games", "the page says where the old one is")
    browser.click("#message-action")
    user.waits("document.querySelectorAll('#moves .row button').length === 5", "a click brings the old game back")
    user.calm()
    drawings = "document.querySelectorAll('.shapes .own').length"
    browser.right_click("#board [data-square='d4']")
    user.waits(f"{drawings} === 1", "a circle is drawn")
    browser.press("Escape")
    user.waits(f"{drawings} === 0", "Esc clears it")
    browser.press("z", CONTROL)
    user.waits(f"{drawings} === 1", "Ctrl+Z brings it back")
    browser.press("z", CONTROL)
    user.waits(f"{drawings} === 0", "and takes it away")


def check_special(user):
    """Promotion, castling, mate."""
    browser = user.browser
    user.open(f"fen={PROMOTION.replace(' ', '+')}")
    for button, piece in [("n", "N"), ("q", "Q")]:
        user.plays("c7", "c8")
        user.waits("document.getElementById('promotion').open", "the page asks for the piece")
        browser.click(f"#promotion button[value='{button}']")
        user.fen(f"2{piece}5/7k", "the promotion is played")
        browser.press("Home")
    user.plays("c7", "c8")
    user.waits("document.getElementById('promotion').open", "the page asks again")
    browser.press("Escape")
    user.fen(PROMOTION, "Escape plays nothing")
    for typed, fen in [("c8", "2Q5/7k"), ("c8N", "2N5/7k")]:
        browser.press("Home")
        browser.click("#move")
        browser.type(typed)
        browser.press("Enter")
        user.fen(fen, f"{typed} promotes")
        user.calm()
    user.open(f"fen={CASTLING.replace(' ', '+')}")
    user.plays("e1", "g1")
    user.fen("r3k2r/8/8/8/8/8/8/R4RK1 b", "the king castles by two squares")
    user.plays("e8", "a8")
    user.fen("2kr3r/8/8/8/8/8/8/R4RK1 w", "the king castles by the rook's square")
    user.open("moves=f2f3,e7e5,g2g4")
    browser.click("#move")
    browser.type("Qh4#")
    browser.press("Enter")
    user.says("status", "checkmate, 0-1", "mate ends the game")
    user.says("progress", "game over", "no search after the end")
    user.says("score", "mate", "the score of a mate")
    user.that(browser.value("document.getElementById('go').disabled"), "nothing can be searched")

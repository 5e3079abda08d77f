"""Games: import, export, several games of a text, comments, glyphs, own arrows, reload."""
import json
import urllib.parse

from browser import CONTROL

from .user import START

MATE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
GAME = """[White "Morphy"]
[Black "Allies"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 {a pin} (3... exd4 4. Qxd4) 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6
9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
"""
ANNOTATED = """[Event "Annotated"]
[White "Anna"]
[Black "Ben"]
[WhiteElo "1800"]
[Result "*"]

{ Before the game } 1. e4 $1 { [%eval 0.31] [%clk 0:09:58] best by test } (1. d4 { [%csl Gd4] calm } 1... d5 $11 (1... Nf6
$5) 2. c4 $14) 1... e5 $2 { [%clk 0:09:55] } 2. f4 (2. Nf3 Nc6) 2... exf4 *

[Event "Second"]
[White "Carl"]
[Black "Dora"]
[Result "1/2-1/2"]

1. c4 c5 1/2-1/2
"""


def check_import(user):
    browser = user.browser
    user.open()
    user.load(MATE, MATE)
    user.says("score", "#1", "a mate in one is found")
    browser.press("l")
    user.load("1. e4 e5 2. Nf3 Nc6 *", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w")
    browser.press("l")
    user.load("4k3/8/8/8/8/8/4P3/4K3", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    user.tells("White is to move", "a FEN of the men alone is taken, and the page says how")
    user.load("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w")
    user.tells("Chess960", "a start of Chess960 is told")
    user.load(GAME, START)
    user.waits("document.querySelectorAll('#moves .row button').length === 34", "the game has 33 moves")
    user.waits("document.getElementById('lower-player').textContent.includes('Morphy')", "the players stand at the board")
    user.waits("document.querySelector('#moves .better').textContent.includes('exd4')", "its variation is shown")
    user.says("moves", "a pin", "its comment is shown")
    user.that(browser.value("(r => r.top >= 0 && r.bottom <= innerHeight)(document.getElementById('board').getBoundingClientRect())"),
              "after a load the whole board is visible")
    browser.press("End")
    user.fen("1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b", "its last position")
    user.waits("location.hash.endsWith('d1d8')", "the address has the game")
    for text, part in [("hello", "is not a move"), ("8/8/8/8/8/8/8/8 w - - 0 1", "king"), ("1. e4 e5 2. Ke3", "2. Ke3 is not legal"),
                       ("{" + "x" * 300_000 + "}", "larger than 256 KiB")]:
        user.pastes(text)
        user.says("error", part, f"a message about {text[:20]}")
        user.that("\n" not in user.text("error"), "the message has one line")
        browser.press("Escape")
    user.fen("1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b", "the game stays after wrong input")


def drops(user, text, times=1):
    """Drops a file onto the page: a text, perhaps several times."""
    user.browser.run("{ const files = new DataTransfer();"
                     f"files.items.add(new File([{json.dumps(text)}.repeat({times})], 'games.pgn'));"
                     "document.dispatchEvent(new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true})); }")


def check_collection(user):
    """A large file, of which one game is wanted, and a game that can be read in part."""
    browser = user.browser
    user.open()
    user.engine(False)
    drops(user, ANNOTATED, 2500)
    user.says("choice-count", "The text has 5000 games.", "the games of a large file are listed")
    browser.click("#choice-find")
    browser.type("carl")
    user.says("choice-count", "2500 have these words.", "words find games")
    browser.click("#choice-list li:nth-child(2) button")
    user.tells("Game 4 of 5000 is loaded.", "one of them is chosen")
    user.waits("document.getElementById('lower-player').textContent.includes('Carl')", "and shown")
    browser.click("#open-import")
    user.waits("document.querySelectorAll('#choice-list button').length === 200", "the list is there for another game")
    browser.press("Escape")
    drops(user, '[Variant "Atomic"]\n\n1. e4 *\n\n' + ANNOTATED.replace("2... exf4", "2... Ke3 exf4"))
    user.waits("document.querySelectorAll('#choice-list button:enabled').length === 2", "games that cannot be read hide no others")
    browser.click("#choice-list li:nth-child(2) button")
    user.tells("2... Ke3 is not legal here. The game is loaded up to this place.", "a game is shown up to its fault")
    user.says("moves", "best by test", "with all that could be read")
    user.engine(True)


def check_names(user):
    """Names of players and the event can be given, changed, and taken back."""
    browser = user.browser
    user.open("moves=e2e4")
    user.engine(False)
    browser.click("#open-share")
    browser.click("#tags-fold summary")
    for name, text in [("White", 'Anna "A."'), ("Event", "Club")]:
        browser.click(f"#tags [name={name}]")
        browser.type(text)
    browser.press("Tab")
    user.waits("document.getElementById('lower-player').textContent === 'Anna \"A.\"'", "a name stands at the board")
    user.says("moves", "Club", "and the event above the moves")
    user.that(user.text("pgn").startswith('[Event "Club"]\n[White "Anna \\"A.\\""]\n\n1. e4'), "the PGN has both")
    browser.press("Escape")
    user.calm()
    browser.press("z", CONTROL)
    browser.press("z", CONTROL)
    user.waits("document.getElementById('lower-player').hidden", "Ctrl+Z takes them back")
    user.engine(True)


def check_link(user):
    """A report's page hands on its game: names, judgments, and how good the players were."""
    browser = user.browser
    pgn = ('[White "Anna"]\n[Black "Ben"]\n[Event "Club"]\n[Annotator "Carl"]\n\n{ [%eval 0.20] } 1. f3 '
           '{ [%eval 0.00] } 1... e5 { [%eval 0.00] } 2. g4 $4 { [%eval #-1] } (2. e4 Nf6) 2... Qh4# { [%eval #0] } 0-1\n')
    user.open(f"pgn={urllib.parse.quote(pgn, safe='')}&ply=3")
    user.engine(False)
    user.fen("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b", "the link opens the game at its place")
    user.waits("document.getElementById('lower-player').textContent.includes('Anna')", "with its names")
    user.says("moves", "Club", "its event")
    user.waits("document.querySelector('#moves .better').textContent.includes('Nf6')", "its variations")
    user.says("report-rows", "Anna", "and its report, without a search")
    user.waits("document.querySelector('#moves .on .glyph.blunder') !== null", "the blunder is marked")
    user.waits("!location.hash.includes('pgn')", "the address becomes short")
    browser.reload()
    user.waits("document.getElementById('lower-player').textContent.includes('Anna')", "a reload keeps the game")
    user.engine(True)


def check_tabs(user):
    """Two tabs with one game do not overwrite each other's work."""
    browser = user.browser
    user.open("moves=b2b3")
    user.engine(False)
    current = "sessionStorage.getItem('enfilade-game')"
    user.waits(f"localStorage.getItem('enfilade-game-' + {current}) !== null", "the game is kept")
    before = browser.value(current)
    # An empty frame shares the store, and is another page to the browser.
    browser.run("const frame = document.body.appendChild(document.createElement('iframe'));"
                f"frame.contentWindow.localStorage.setItem('enfilade-game-' + {current}, '{{}}'); frame.remove()")
    user.tells("Another tab shows this game, too.", "another tab has saved the game")
    user.that(browser.value(current) != before, "from now on this tab keeps its own")
    browser.run(f"localStorage.removeItem('enfilade-game-{before}')")
    user.engine(True)


def exported(user):
    user.browser.click("#open-share")
    text = user.text("pgn")
    user.browser.press("Escape")
    return text


def check_annotations(user):
    """Everything in a PGN is shown, survives a reload, and goes out again."""
    browser = user.browser
    user.open()
    browser.press("l")
    user.pastes(ANNOTATED)
    user.waits("document.querySelectorAll('#choice-list button').length === 2", "the games of a text can be chosen")
    browser.click("#choice-list li:nth-child(2) button")
    user.waits("document.getElementById('lower-player').textContent.includes('Carl')", "the second game")
    user.pastes(ANNOTATED)
    user.waits("document.querySelectorAll('#choice-list button').length === 2", "chosen again")
    browser.click("#choice-list li:nth-child(1) button")
    user.waits("document.getElementById('lower-player').textContent.includes('Anna')", "the first game")
    user.tells("Game 1 of 2 is loaded.", "the page says so")
    for part in ["Before the game", "best by test", "calm", "!?", "+0.31", "Nc6"]:
        user.says("moves", part, f"the list has {part}")
    browser.press("ArrowRight")
    user.waits("document.getElementById('lower-player').textContent.includes('0:09:58')", "the clock is shown")
    text = exported(user)
    for part in ['[WhiteElo "1800"]', "{ Before the game }", "$1", "[%eval 0.31]", "[%clk 0:09:58]", "best by test", "[%csl Gd4] calm",
                 "(1... Nf6 $5)", "2. f4 (2. Nf3 Nc6) 2... exf4 *"]:
        user.that(part in " ".join(text.split()), f"the PGN has {part}")
    # What goes out comes in again as the same.
    user.load(text, START)
    user.waits("document.getElementById('lower-player').textContent.includes('Anna')", "the export can be read")
    user.that(exported(user) == text, "an export of an import is the same text")


def check_reload(user):
    """A reload loses nothing, wherever one stands."""
    browser = user.browser
    user.open()
    browser.press("l")
    user.load("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4", "r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b")
    browser.press("Home")
    browser.press("ArrowRight")
    user.plays("c7", "c5")
    user.waits("document.querySelector('#moves .better button.on') !== null", "in a variation")
    browser.press("c")
    user.waits("document.activeElement.id === 'comment'", "c goes to the comment")
    browser.type("sharp")
    user.waits("document.querySelector('#moves .better .comment')?.textContent === 'sharp'", "a comment is kept")
    browser.click("#glyphs button[data-nag='5']")
    user.waits("document.querySelector('#moves .better .glyph').textContent === '!?'", "a glyph too")
    user.calm()
    browser.drag("#board [data-square='g1']", "#board [data-square='f3']", "right")
    browser.right_click("#board [data-square='d4']")
    user.waits("document.querySelectorAll('.shapes .own').length === 2", "the right button draws an arrow and a circle")
    browser.press("f")
    browser.wait("false", 1)
    before = browser.value("document.getElementById('moves').innerText")
    browser.reload()
    user.waits("document.querySelector('#moves .better button.on') !== null", "a reload keeps the variation and the place")
    user.that(browser.value("document.getElementById('moves').innerText") == before, "and all moves, comments and glyphs")
    user.waits("document.querySelectorAll('.shapes .own').length === 2", "and the drawings")
    user.that(browser.value("document.getElementById('board').classList.contains('is-flipped')"), "and how the board is turned")
    user.fen("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w", "and the position")
    # A link to another game begins that one; the old one can be opened again.
    user.open("moves=d2d4", is_fresh=False)
    user.fen("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b", "a link opens its game")
    browser.click("#open-games")
    user.waits("[...document.querySelectorAll('#games button')].some(b => b.textContent.includes('1. e4 e5'))", "the old game is kept")
    browser.value("[...document.querySelectorAll('#games button')].find(b => b.textContent.includes('1. e4 e5')).click()")
    user.says("moves", "sharp", "and opens as it was")
    browser.click("#open-games")
    count = "document.querySelectorAll('#games .away').length"
    before = browser.value(count)
    browser.click("#games li:has(.away:enabled) .away")
    user.waits(f"{count} === {before - 1}", "a game is forgotten")
    browser.click("#games li:not(:has(.away)) button")
    user.waits(f"{count} === {before}", "and brought back")
    browser.press("Escape")
    user.browser.open("about:blank")
    browser.open(f"{user.url}#fen=8/8/8/8/8/8/8/8+w+-+-+0+1", "sessionStorage.clear()")
    user.tells("This link has no game.", "a link without a game is told")
    user.fen(START, "and the board can be used")
    browser.press("l")


def check_editor(user):
    browser = user.browser
    user.open()
    browser.press("l")
    browser.click("#open-editor")
    user.waits("document.getElementById('editor-dialog').open", "the editor opens")
    browser.click("#editor-clear")
    user.says("editor-error", "king", "a board without kings is told")
    for index, square in [(1, "e1"), (7, "e8"), (6, "e2")]:
        browser.click(f"#palette button:nth-child({index})")
        browser.click(f"#editor-board [data-square='{square}']")
    user.waits("document.getElementById('editor-fen').value.startsWith('4k3/8/8/8/8/8/4P3/4K3 w')", "men are put on the board")
    browser.value("(s => { s.value = 'b'; s.dispatchEvent(new Event('change')) })(document.getElementById('editor-turn'))")
    user.waits("!document.getElementById('editor-done').disabled", "the position is accepted")
    browser.click("#editor-done")
    user.fen("4k3/8/8/8/8/8/4P3/4K3 b", "the position is on the board")
    browser.press("l")

"""For everybody: the keyboard alone, words, phones, large text, and axe-core."""
import json
import pathlib

from .user import START


def check_keyboard(user):
    browser = user.browser
    user.open()
    browser.press("l")
    browser.value("document.querySelector('#board [data-square=e2]').focus()")
    user.that(browser.value("document.activeElement.getAttribute('aria-label')") == "e2, white pawn", "a square has words")
    # Until the server has told what can be played, there is nothing to choose.
    for _ in range(300):
        browser.press("Enter")
        if browser.wait("document.querySelector('.hints .selected') !== null", 0.2):
            break
    user.that(browser.value("document.querySelector('.hints .selected') !== null"), "Enter chooses a piece")
    browser.press("ArrowUp")
    browser.press("ArrowUp")
    user.that(browser.value("document.activeElement.getAttribute('aria-label')") == "e4, empty, can be reached", "arrows go over the board")
    browser.press("Enter")
    user.fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b", "Enter plays the move")
    user.says("spoken", "White: e4", "the move is spoken")
    browser.click("#text-fold summary")
    user.says("pieces", "pawns a2, b2, c2, d2, e4, f2, g2, h2", "the men as text")
    user.calm()
    browser.press("l")
    user.waits("/best move/.test(document.getElementById('spoken-score').textContent)", "the score in words")
    user.that(browser.value("document.getElementById('spoken-score').getAttribute('aria-live')") == "polite", "which is spoken")
    browser.press("l")
    user.calm()
    browser.press("Home")
    user.fen(START, "keys step through the game")
    browser.press("l")


def check_phone(user):
    browser = user.browser
    browser.screen(390, 844, is_phone=True)
    user.open()
    user.can_move("d2")
    browser.tap("#board [data-square='d4']")
    user.fen("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b", "a finger plays a move")
    user.that(browser.value("document.documentElement.scrollWidth") <= 390, "the page fits a phone")
    user.waits("document.querySelector('#lines .pv button') !== null", "a line is shown")
    inside = "(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector('{}').getBoundingClientRect())"
    browser.value("scrollTo(0, 0)")
    for part in ["#board", "#score", "#lines", "#moves .on", "#forward"]:
        user.that(browser.value(inside.format(part)), f"{part} is visible together with the board")
    browser.value("scrollTo(0, 10000)")
    user.that(browser.value(inside.format("#board")), "the board stays while one scrolls")
    browser.value("scrollTo(0, 0)")
    browser.swipe("#board [data-square='c5']", "#board [data-square='g5']")
    user.fen(START, "a swipe goes back")
    place = browser.middle("#moves .row:nth-child(2) button.m")
    browser.touch("down", place)
    user.waits("!document.getElementById('menu').hidden", "a long press opens the menu of a move")
    browser.touch("up", place)
    browser.wait("false", 0.3)
    user.that(browser.value("!document.getElementById('menu').hidden"), "which stays")
    browser.press("Escape")
    user.waits("document.getElementById('menu').hidden", "Esc closes it")
    user.calm()
    browser.press("c")
    user.waits("document.activeElement.id === 'comment'", "a comment can be written")
    place = "(r => [r.x + r.width / 2, r.y + r.height / 2])(document.getElementById('comment').getBoundingClientRect())"
    user.waits(f"(([x, y]) => document.elementFromPoint(x, y)?.id === 'comment')({place})", "nothing lies over its field")
    user.calm()
    browser.click("#annotate")
    browser.value("scrollTo(0, 0)")
    for part in ["#open-help", "#connection"]:
        user.that(browser.value(inside.format(part) + " && (r => r.right <= innerWidth)(document.querySelector('%s').getBoundingClientRect())" % part),
                  f"{part} is not cut off")
    for width in [390, 360]:
        browser.screen(width, 844, is_phone=True)
        user.waits("(tools => tools.scrollWidth <= tools.clientWidth)(document.querySelector('.tools'))", f"all buttons of the head fit {width} pixels", 5)
    browser.screen(844, 390, is_phone=True)
    browser.wait("false", 0.5)
    browser.value("scrollTo(0, 0)")
    for part in ["#board", "#moves .on", "#forward"]:
        user.that(browser.value(inside.format(part)), f"{part} is visible on a phone held across")
    browser.screen(1200, 900)


def check_zoom(user):
    """At 200% zoom a screen of 1280x900 has 640x450 CSS pixels, and one of 768x1024 has 384x512."""
    browser = user.browser
    for width, height in [(640, 450), (384, 512)]:
        browser.screen(width, height)
        user.open("moves=e2e4,e7e5")
        user.searches(f"{width}x{height}: a search begins")
        root = "document.documentElement"
        user.that(browser.value(f"{root}.scrollWidth <= {root}.clientWidth"), f"{width}x{height}: the page fits")
        for part in ["#board", "#score", "#lines", "#moves .on", "#forward", "#open-help", "#move", "#copy-pgn"]:
            x, y = browser.middle(part)
            user.that(0 <= x <= width and 0 <= y <= height, f"{width}x{height}: {part} can be reached")
        user.plays("g1", "f3")
        user.fen("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b", f"{width}x{height}: a move is played")
        for name in ["import", "games", "share", "editor", "settings", "help"]:
            browser.click(f"#open-{name}")
            sheet = f"document.getElementById('{name}-dialog')"
            user.that(browser.value(f"{sheet}.scrollWidth <= {sheet}.clientWidth"), f"{width}x{height}: {name} fits")
            x, y = browser.middle(f"#{name}-dialog .row-of-buttons:last-of-type button:last-child")
            user.that(0 <= x <= width and 0 <= y <= height, f"{width}x{height}: the last button of {name} can be reached")
            browser.press("Escape")
    browser.screen(1200, 900)


def check_print(user):
    """On paper there are the board, the evaluation and all moves, in light colors, and nothing to click."""
    browser = user.browser
    user.open()
    browser.press("l")
    user.load(" ".join(f"{4 * number + 1}. Nf3 Nf6 {4 * number + 2}. Ng1 Ng8 {4 * number + 3}. Nc3 Nc6 {4 * number + 4}. Nb1 Nb8"
                       for number in range(20)), START[:40])
    user.waits("(list => list.scrollHeight > list.clientHeight)(document.getElementById('moves'))", "a list that scrolls")
    browser.screen(718, 1047, "dark")
    browser.value("document.documentElement.dataset.theme = 'dark'")
    browser.paper(True)
    user.waits("getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'", "white paper, also with dark colors")
    user.that(browser.value("document.documentElement.scrollWidth <= innerWidth"), "the page fits a sheet")
    user.that(browser.value("(list => list.scrollHeight <= list.clientHeight + 1)(document.getElementById('moves'))"),
              "all moves are printed")
    for part, is_wanted in [("#board", True), ("#status", True), ("#score", True), ("#open-import", False), ("#go", False),
                            ("#first", False), ("#move", False), ("#connection", False)]:
        user.that(browser.value(f"document.querySelector('{part}').getClientRects().length > 0") == is_wanted,
                  f"{part} is {'' if is_wanted else 'not '}printed")
    browser.paper(False)
    browser.screen(1200, 900)
    user.waits("document.getElementById('go').getClientRects().length > 0", "the screen has them again")
    browser.press("l")


def check_motion(user):
    """Pieces glide only where people want motion."""
    browser = user.browser
    for is_still in [False, True]:
        browser.stillness(is_still)
        user.open()
        browser.press("l")
        # Firefox runs scripts beside the page, and hides changes of the page's own objects from it.
        browser.run("const page = window.wrappedJSObject || window; page.glides = 0;"
                    "const { animate } = page.Element.prototype;"
                    "page.Element.prototype.animate = function (...how) { page.glides++; return animate.apply(this, how); };")
        user.plays("e2", "e4")
        user.fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b", "a move is played")
        browser.press("ArrowLeft")
        user.fen(START, "and taken back")
        glides = browser.value("(window.wrappedJSObject || window).glides")
        user.that((glides == 0) if is_still else (glides > 0), f"{glides} pieces glide, {'without' if is_still else 'with'} motion")
        longest = ("Math.max(...[...document.querySelectorAll('*')].map(getComputedStyle)"
                   ".flatMap(s => [s.transitionDuration, s.animationDuration]).flatMap(t => t.split(',')).map(parseFloat))")
        user.that(not is_still or browser.value(longest) == 0, "nothing else moves")
        browser.press("l")
    browser.stillness(False)


def check_axe(user, axe):
    """The rules of axe-core, the contrast of texts among them, in light and dark colors, with each dialog."""
    browser = user.browser
    script = pathlib.Path(axe).read_text()
    user.open("moves=e2e4,e7e5,g1f3")
    browser.wait("document.querySelector('#lines .pv button') !== null", 20)
    for scheme in ["light", "dark"]:
        browser.screen(1200, 900, scheme)
        for dialog in [None, "open-import", "open-games", "open-share", "open-editor", "open-settings", "open-help"]:
            if dialog:
                browser.click(f"#{dialog}")
            browser.run(script)
            browser.run("window.found = null; axe.run(document, {resultTypes: ['violations']})"
                        ".then(r => window.found = r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target + ' ' + n.failureSummary).slice(0, 3).join('; ')))")
            browser.wait("window.found !== null", 60)
            for violation in browser.value("window.found") or []:
                user.that(False, f"axe-core, {scheme}, {dialog or 'page'}: {json.dumps(violation)[:600]}")
            user.that(True, "axe-core has run")
            browser.press("Escape")
    browser.screen(1200, 900)

"""The engine: lines, arrows, figures, stop and go, searches that end by themselves, settings, threat."""
import json

# Each of these searches is soon over. The page must show how it ends.
SHORT = [
    ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "#1"),
    ("3qr2k/pbpp2pp/1p5N/3Q2b1/2P1P3/P7/1PP2PPP/R4RK1 w - - 0 1", "#2"),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "#2"),
]


def check_engine(user):
    browser = user.browser
    user.open("moves=e2e4,e7e5")
    user.searches("a search begins by itself")
    user.waits("document.querySelectorAll('.arrows polygon').length === 1", "an arrow shows the best move")
    browser.press("+")
    browser.press("+")
    user.waits("[...document.querySelectorAll('#lines .eval')].filter(e => e.textContent).length === 3", "three lines")
    user.waits("document.querySelectorAll('.arrows polygon').length === 3", "three arrows")
    user.waits("[...document.querySelectorAll('#lines .pv')].every(pv => /^2\\.\\u00a0/.test(pv.textContent))",
               "the lines begin with the second move")
    user.waits("new Set(Array.from(document.querySelectorAll('#lines .pv button:first-child'), b => b.textContent))"
               ".size === 3", "the lines begin with different moves")
    browser.press("a")
    user.waits("document.querySelectorAll('.arrows polygon').length === 0", "a takes the arrows away")
    browser.press("a")
    browser.click("#search-fold summary")
    user.calm()
    user.waits("document.querySelectorAll('#game-graph .area, #search-graph .area').length === 2", "both graphs")
    user.waits("(document.querySelector('#search-graph .curve').getAttribute('d').match(/L/g) || []).length > 4",
               "the graph of the search goes on with the depth")
    user.waits("['depth', 'nodes', 'nps', 'time', 'win', 'draw', 'loss']"
               ".every(id => /\\d/.test(document.getElementById(id).textContent))", "the figures")
    user.waits("['win', 'draw', 'loss'].reduce((sum, id) => sum + parseInt(document.getElementById(id).textContent), 0) === 100",
               "the chances add up to 100")
    user.waits("/^depth \\d+\u2013\\d+, median \\d+ · hits by others /.test(document.getElementById('spread').textContent)",
               "what the threads do")
    browser.press("-")
    user.waits("document.querySelectorAll('#lines li').length === 2", "two lines")
    browser.press("-")
    browser.press("l")
    user.says("progress", "stopped", "the key l stops")
    user.says("go", "Go", "the button offers to go on")
    user.waits("document.querySelector('#lines .pv button:nth-child(2)') !== null", "the line stays")
    browser.rest("#lines .pv button")
    user.waits("!document.getElementById('preview').hidden", "a small board shows the move under the mouse")
    user.that(browser.value("document.querySelectorAll('#preview .last').length") == 2, "it marks the move")
    move = browser.value("document.querySelector('#lines .pv button').textContent.replace(/.*\\u00a0/, '')")
    browser.click("#lines .pv button:nth-child(2)")
    user.waits("document.querySelectorAll('#moves .row button').length === 5", "two moves of the line are played")
    user.says("moves", move, "its first move is in the list")
    user.calm()
    browser.press("l")
    user.searches("it goes on")
    browser.press(" ")
    user.waits("document.querySelectorAll('#moves .row button').length === 6", "the space bar plays the best move")
    browser.press("x")
    user.waits("document.querySelector('.arrows .threat') !== null", "x shows the threat")
    browser.press("x")
    user.waits("document.querySelector('.arrows .threat') === null", "and takes it away")


def check_stillness(user):
    """Nothing moves on the page while the engine begins and its lines come in."""
    browser = user.browser
    for is_phone in [False, True]:
        browser.screen(*((390, 844) if is_phone else (1200, 900)), is_phone=is_phone)
        user.open("moves=h2h4,a7a5")
        user.engine(False)
        user.open("moves=h2h4,a7a6")
        places = ("JSON.stringify(['score', 'progress', 'lines', 'moves', 'first', 'game-graph', 'move']"
                  ".map(id => Math.round(document.getElementById(id).getBoundingClientRect().y)))")
        before = browser.value(places)
        user.engine(True)
        user.searches("a search begins")
        user.waits("/depth/.test(document.getElementById('pace').textContent)", "its depth is shown")
        user.that(browser.value(places) == before, f"nothing has moved: {before}, {browser.value(places)}")
    browser.screen(1200, 900)


def check_ends(user):
    """A search that ends by itself shows how it ends, and says so."""
    for fen, score in SHORT:
        user.open(f"fen={fen.replace(' ', '+')}")
        user.waits(f"document.getElementById('score').textContent === '{score}'", f"{score} in {fen}")
        user.says("progress", "finished", "the page says that the search is over")


def check_known(user):
    """What the table of the server knows is told without a search, and until a search has come as far."""
    browser = user.browser
    user.open("moves=a2a4,h7h5")
    user.waits("/depth 1[2-9]/.test(document.getElementById('pace').textContent)", "a search has come to depth 12")
    browser.press("l")
    user.says("progress", "stopped", "it is stopped")
    user.open("moves=a2a4,h7h5")
    user.says("progress", "stopped", "nothing is searched")
    user.waits("!document.getElementById('known').hidden && /^known to depth (1[2-9]|[23]\\d): ([+\u2212]|at )/"
               ".test(document.getElementById('known').textContent)", "the table knows the position")
    browser.press("l")
    user.waits("document.getElementById('known').hidden", "a search comes further")


def check_tables(user):
    """The endgame tables of the server tell the result of each move."""
    user.open("fen=8/4P3/8/1k6/8/8/8/4K3+w+-+-+0+1")
    user.says("tables-title", "White wins", "the result of the position")
    user.says("tables-list", "e8=Q+ wins", "the best move")
    user.says("tables-list", "draws", "a move that lets the win go")
    user.browser.click("#tables-list button")
    user.fen("4Q3/8/8/1k6/8/8/8/4K3 b", "a click plays a move")
    user.open("moves=e2e4")
    user.waits("document.getElementById('tables').hidden", "other positions have no tables")
    # The mate is too far away to be found soon.
    user.open("fen=7k/8/8/8/8/8/4P3/4K3+w+-+-+0+1")
    user.browser.click("#text-fold summary")
    user.engine(True)
    user.waits("document.getElementById('score').textContent === '+TB'", "the score says who wins, not by how many pawns")
    user.says("spoken-score", "White wins by the endgame tables", "and what is spoken")
    for part in ["lines", "moves"]:
        user.waits(f"document.querySelector('#{part} .eval').textContent === '+TB'", f"the {part} too")


def check_settings(user):
    browser = user.browser
    user.open("moves=d2d4")
    user.searches("a search begins")
    browser.click("#open-settings")
    user.says("share-of-threads", "A search of yours gets", "the page says how many threads there are")
    browser.value("(s => { s.value = 'depth'; s.dispatchEvent(new Event('change', {bubbles: true})) })"
                  "(document.querySelector('[name=limit]'))")
    browser.value("(s => { s.value = '7'; s.dispatchEvent(new Event('change', {bubbles: true})) })"
                  "(document.querySelector('[name=depth]'))")
    browser.press("Escape")
    user.says("progress", "finished", "a search with a depth ends")
    browser.click("#open-settings")
    for name, value in [("limit", "time"), ("seconds", "1"), ("lines", "9")]:
        browser.value(f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change', {{bubbles: true}})) }})"
                      f"(document.querySelector('[name={name}]'))")
    user.waits("document.getElementById('count').textContent === '5'", "there are five lines at most")
    user.says("progress", "finished", "a search with a time ends")
    user.that(not browser.value("document.querySelector('[name=sound]').checked"), "there is no sound before it is wanted")
    browser.value("(s => { s.value = 'dark'; s.dispatchEvent(new Event('change', {bubbles: true})) })"
                  "(document.querySelector('[name=theme]'))")
    user.waits("getComputedStyle(document.body).backgroundColor === 'rgb(25, 24, 22)'", "dark colors on a light device")
    browser.value("(s => { s.value = 'blue'; s.dispatchEvent(new Event('change', {bubbles: true})) })"
                  "(document.querySelector('[name=board]'))")
    user.waits("getComputedStyle(document.querySelector('#board .d rect')).fill === 'rgb(124, 152, 182)'", "a blue board")
    # Each set of pieces draws the king in another size.
    size = "(box => `${Math.round(box.width)}x${Math.round(box.height)}`)(document.querySelector('#board [data-square=e1] use').getBBox())"
    sizes = [browser.value(size)]
    for name in ["flat", "letters"]:
        browser.value(f"(s => {{ s.value = '{name}'; s.dispatchEvent(new Event('change', {{bubbles: true}})) }})"
                      "(document.querySelector('[name=pieces]'))")
        user.waits(f"!{json.dumps(sizes)}.includes({size})", f"the pieces {name} are on the board")
        sizes.append(browser.value(size))
    browser.press("Escape")
    user.open("moves=d2d4,d7d5", is_fresh=False)
    user.says("progress", "finished", "settings survive a reload")
    user.that(browser.value("document.documentElement.dataset.theme") == "dark", "the theme too")
    user.waits(f"{size} === '{sizes[-1]}'", "and the pieces")
    browser.value("localStorage.removeItem('enfilade-settings')")

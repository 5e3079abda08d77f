"""A user at the board, who counts faults and prints them."""
import json
import time

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class User:
    """A user at the board, who counts faults and prints them."""

    def __init__(self, browser, url, token):
        self.browser, self.url, self.token = browser, url, token
        self.faults = self.checks = 0

    def that(self, is_right, text):
        self.checks += 1
        if not is_right:
            self.faults += 1
            print(f"fault: {text}; the page says {self.said()}", flush=True)

    def text(self, name):
        return self.browser.value(f"(e => e.value ?? e.textContent)(document.getElementById('{name}'))")

    def said(self):
        names = ["connection", "status", "message", "error", "move-error", "progress", "fen"]
        return {name: self.text(name) for name in names}

    def waits(self, expression, text, seconds=30):
        self.that(self.browser.wait(expression, seconds), text)

    def fen(self, start, text):
        self.waits(f"document.getElementById('fen').value.startsWith({json.dumps(start)})", text)
        self.waits("document.getElementById('status').textContent.includes('·')", text)

    def says(self, name, part, text, seconds=30):
        self.waits(f"document.getElementById('{name}').textContent.includes({json.dumps(part)})", text, seconds)

    def tells(self, part, text):
        """A message is shown where it is seen."""
        self.waits("(t => !t.hidden && t.getBoundingClientRect().bottom <= innerHeight && t.getBoundingClientRect().top >= 0)"
                   f"(document.getElementById('toast')) && document.getElementById('message').textContent.includes({json.dumps(part)})",
                   text)

    def calm(self):
        """Takes the focus away, so that keys go to the page."""
        self.browser.value("document.activeElement.blur()")

    def can_move(self, square):
        """Waits until the server has told what can be played."""
        self.browser.click(f"#board [data-square='{square}']")
        end = time.monotonic() + 60
        while not self.browser.value("document.querySelector('.hints .selected') !== null"):
            if time.monotonic() > end:
                break
            time.sleep(0.1)
            self.browser.click(f"#board [data-square='{square}']")

    def plays(self, origin, target):
        """Plays a move by two clicks."""
        self.can_move(origin)
        self.browser.click(f"#board [data-square='{target}']")

    def searches(self, text):
        self.waits("document.getElementById('progress').textContent === 'searching' && "
                   "document.querySelector('#lines .pv button') !== null && "
                   "/^[+\\u2212#]/.test(document.getElementById('score').textContent)", text)

    def open(self, address="", is_fresh=True):
        """Opens the page, as in a new tab or as it was left."""
        self.browser.open("about:blank")
        fragment = "&".join(part for part in [address, f"token={self.token}" if self.token else ""] if part)
        before = "sessionStorage.clear()" if is_fresh else ""
        self.browser.open(self.url + (f"#{fragment}" if fragment else ""), before)
        self.waits("document.getElementById('connection').textContent.includes('Connected')", "the page is connected", 60)
        self.waits("document.querySelector('#moves .on') !== null", "the page has a position", 60)

    def engine(self, is_on):
        """Turns the engine on or off. The browser remembers how it was."""
        self.waits("document.getElementById('progress').textContent !== 'ready'", "the page tells what the engine does")
        state = "document.getElementById('go').getAttribute('aria-pressed') === 'true'"
        if self.browser.value(state) != is_on:
            self.browser.press("l")
            self.waits(f"({state}) === {json.dumps(is_on)}", "the key l turns the engine on and off")

    def pastes(self, text):
        """Puts a text into the dialog and loads it."""
        if not self.browser.value("document.getElementById('import-dialog').open"):
            self.browser.click("#open-import")
        self.browser.value("document.getElementById('text').value = ''")
        self.browser.click("#text")
        self.browser.type(text)
        self.browser.click("#load")

    def load(self, text, fen):
        self.pastes(text)
        self.fen(fen, f"a pasted text is shown: {text[:30]}")
        self.waits("!document.getElementById('import-dialog').open", "the dialog closes")

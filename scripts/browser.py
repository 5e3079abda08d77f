"""A browser as a user has it. chromium.py and firefox.py drive real ones, each by the protocol that it has."""
import json
import pathlib
import time

# Keys that are held while another one is pressed.
CONTROL, SHIFT = 2, 8
# The buttons of the mouse, as the bits that tell which ones are held.
HELD = {"left": 1, "right": 2}


class Browser:
    """A headless browser with one page. What it can do by itself is made of what each kind of browser can do:

    - `open(url, before)` loads a page; the script `before` runs before those of the page. `reload()` loads it again.
    - `value(expression)` is the value of an expression, and `run(script)` runs a script.
    - `press(key, modifiers)` presses a key, and `type(text)` types into the element that has the focus.
    - `mouse(kind, place, button)` with the kinds `move`, `down` and `up`; `touch(kind, place)` likewise.
    - `wheel(selector, delta)` turns the wheel over an element.
    - `screen(width, height, scheme, is_phone)` is the screen in CSS pixels. `stillness(is_wanted)` asks for no motion.
    - `paper(is_wanted)` shows the page in its style for paper.
    - `picture(path, is_whole)` writes a picture.
    - `complaints(own, is_own_host)` are the page's console lines, its errors, and its requests for other addresses than
      `own`, or for other hosts.
    - `close()` ends it.
    """

    def wait(self, expression, seconds=30):
        """Waits until an expression is true. Returns whether it became true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.value(expression):
                    return True
            except RuntimeError:
                # An element that the expression names is not there yet.
                pass
            time.sleep(0.05)
        return False

    def middle(self, selector):
        """The middle of an element, after scrolling to it."""
        return self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center'});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")

    def rest(self, selector):
        """Moves the mouse onto an element."""
        self.mouse("move", self.middle(selector))

    def click(self, selector, button="left"):
        place = self.middle(selector)
        self.mouse("down", place, button)
        self.mouse("up", place, button)

    def right_click(self, selector):
        self.click(selector, "right")

    def drag(self, origin, target, button="left"):
        """Drags from one element to another. Both must be visible at the same time."""
        begin, end = self.middle(origin), self.middle(target)
        self.mouse("down", begin, button)
        for place in between(begin, end):
            self.mouse("move", place, button)
        self.mouse("up", end, button)

    def tap(self, selector):
        """Touches an element with a finger."""
        place = self.middle(selector)
        self.touch("down", place)
        self.touch("up", place)

    def swipe(self, origin, target):
        """Draws a finger from one element to another."""
        begin, end = self.middle(origin), self.middle(target)
        self.touch("down", begin)
        for place in between(begin, end):
            self.touch("move", place)
        self.touch("up", end)


def between(begin, end):
    """Four places on the way, the last of which is the end."""
    (x0, y0), (x1, y1) = begin, end
    return [(x0 + (x1 - x0) * part / 4, y0 + (y1 - y0) * part / 4) for part in (1, 2, 3, 4)]


def start(program, profile):
    """Starts a browser. The name of its program tells which kind it is."""
    if "firefox" in pathlib.Path(program).name:
        from firefox import Firefox
        return Firefox(program, profile)
    from chromium import Chromium
    return Chromium(program, profile)

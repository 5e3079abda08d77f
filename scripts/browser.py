"""A headless Chromium for the checks of pages.

It speaks the Chrome DevTools protocol (https://chromedevtools.github.io/devtools-protocol/) over the pipe that
`--remote-debugging-pipe` opens.
"""
import base64
import json
import os
import subprocess
import sys
import time

# The codes of the keys that the checks press.
KEYS = {
    "ArrowLeft": 37, "ArrowRight": 39, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35,
    " ": 32, "+": 187, "-": 189, "?": 191, "Delete": 46, "Enter": 13, "Escape": 27, "Tab": 9,
}
# Keys that are held while another one is pressed.
CONTROL, SHIFT = 2, 8


class Browser:
    """A headless browser with one page."""

    def __init__(self, program, profile):
        own_input, self.to_browser = os.pipe()
        self.from_browser, own_output = os.pipe()

        def pipes():
            # The browser reads commands from descriptor 3 and writes answers to descriptor 4.
            reader, writer = os.dup(own_input), os.dup(own_output)
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--remote-debugging-pipe", f"--user-data-dir={profile}", "--window-size=1200,900", "about:blank"]
        self.process = subprocess.Popen([program, *arguments], preexec_fn=pipes, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(own_input)
        os.close(own_output)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.ask(f"{domain}.enable")

    def read(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.from_browser, 1 << 16)
            if not piece:
                sys.exit("the browser ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        self.events.clear()
        self.ask("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key, modifiers=0):
        # Only with its text does Enter submit a form.
        text = {"text": "\r"} if key == "Enter" else {}
        code = KEYS.get(key) or ord(key.upper())
        for kind in ["keyDown", "keyUp"]:
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=modifiers,
                     **text)
            text = {}

    def type(self, text):
        """Types into the element that has the focus."""
        self.ask("Input.insertText", text=text)

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

    def mouse(self, kind, place, buttons, button="left"):
        self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button=button, buttons=buttons,
                 clickCount=1)

    def rest(self, selector):
        """Moves the mouse onto an element."""
        self.mouse("mouseMoved", self.middle(selector), 0)

    def click(self, selector):
        place = self.middle(selector)
        self.mouse("mousePressed", place, 1)
        self.mouse("mouseReleased", place, 0)

    def drag(self, origin, target, button="left"):
        """Drags from one element to another. Both must be visible at the same time."""
        held = {"left": 1, "right": 2}[button]
        (x0, y0), (x1, y1) = self.middle(origin), self.middle(target)
        self.mouse("mousePressed", (x0, y0), held, button)
        for part in (1, 2, 3, 4):
            self.mouse("mouseMoved", (x0 + (x1 - x0) * part / 4, y0 + (y1 - y0) * part / 4), held, button)
        self.mouse("mouseReleased", (x1, y1), 0, button)

    def right_click(self, selector):
        place = self.middle(selector)
        self.mouse("mousePressed", place, 2, "right")
        self.mouse("mouseReleased", place, 0, "right")

    def wheel(self, selector, delta):
        """Turns the wheel over an element."""
        x, y = self.middle(selector)
        self.ask("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=delta)

    def tap(self, selector):
        """Touches an element with a finger."""
        x, y = self.middle(selector)
        self.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def swipe(self, origin, target):
        """Draws a finger from one element to another."""
        (x0, y0), (x1, y1) = self.middle(origin), self.middle(target)
        self.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x0, "y": y0}])
        for part in (1, 2, 3, 4):
            place = {"x": x0 + (x1 - x0) * part / 4, "y": y0 + (y1 - y0) * part / 4}
            self.ask("Input.dispatchTouchEvent", type="touchMove", touchPoints=[place])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def screen(self, width, height, scheme="light", is_phone=False):
        """Shows the page on a screen of this size, in light or dark colors."""
        scale = 2 if is_phone else 1
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                 mobile=is_phone)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=is_phone)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, is_whole=False):
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=is_whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self, own, is_own_host=False):
        """Console lines, errors, and requests for other addresses than `own`, or for other hosts."""
        self.value("0")
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            is_advice = parameters.get("entry", {}).get("level") == "verbose"
            if method in ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"] and not is_advice:
                yield f"{method}: {json.dumps(parameters)[:300]}"
            elif method == "Network.requestWillBeSent":
                url = parameters["request"]["url"].split("#")[0]
                is_own = url.startswith(own) if is_own_host else url == own
                if not is_own and not url.startswith("data:"):
                    yield f"a request for {url}"

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait()

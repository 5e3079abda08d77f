"""A headless Chromium for the checks of pages.

It speaks the Chrome DevTools protocol (https://chromedevtools.github.io/devtools-protocol/) over the pipe that
`--remote-debugging-pipe` opens.
"""
import base64
import json
import os
import subprocess
import sys

from browser import HELD, Browser

# The codes of the keys that the checks press.
KEYS = {
    "ArrowLeft": 37, "ArrowRight": 39, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35,
    " ": 32, "+": 187, "-": 189, "?": 191, "Delete": 46, "Enter": 13, "Escape": 27, "Tab": 9,
}


class Chromium(Browser):
    """A headless Chromium with one page."""

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
        self.media, self.medium, self.held = {}, "", 0
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

    def open(self, url, before=""):
        known = self.ask("Page.addScriptToEvaluateOnNewDocument", source=before)["identifier"]
        self.events.clear()
        self.loads("Page.navigate", url=url)
        self.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=known)

    def reload(self):
        self.loads("Page.reload")

    def loads(self, method, **parameters):
        """Waits for the page that a command loads."""
        known = len(self.events)
        self.ask(method, **parameters)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events[known:]):
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
        self.ask("Input.insertText", text=text)

    def run(self, script):
        self.value(script)

    def mouse(self, kind, place, button="left"):
        names = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased"}
        self.held = {"move": self.held, "down": HELD[button], "up": 0}[kind]
        self.ask("Input.dispatchMouseEvent", type=names[kind], x=place[0], y=place[1], button=button,
                 buttons=self.held, clickCount=1)

    def touch(self, kind, place):
        names = {"move": "touchMove", "down": "touchStart", "up": "touchEnd"}
        points = [] if kind == "up" else [{"x": place[0], "y": place[1]}]
        self.ask("Input.dispatchTouchEvent", type=names[kind], touchPoints=points)

    def wheel(self, selector, delta):
        x, y = self.middle(selector)
        self.ask("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=delta)

    def screen(self, width, height, scheme="light", is_phone=False):
        scale = 2 if is_phone else 1
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                 mobile=is_phone)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=is_phone)
        self.media["prefers-color-scheme"] = scheme
        self.tell_media()

    def stillness(self, is_wanted):
        self.media["prefers-reduced-motion"] = "reduce" if is_wanted else ""
        self.tell_media()

    def paper(self, is_wanted):
        self.medium = "print" if is_wanted else ""
        self.tell_media()

    def tell_media(self):
        features = [{"name": name, "value": value} for name, value in self.media.items()]
        self.ask("Emulation.setEmulatedMedia", media=self.medium, features=features)

    def picture(self, path, is_whole=False):
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=is_whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self, own, is_own_host=False):
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

"""Pictures of the page: desktop, phone, light, dark, with a game that has everything."""
from .games import ANNOTATED

SCREENS = [("light", 1400, 900, "light", False), ("dark", 1600, 1000, "dark", False), ("wide", 1920, 1080, "light", False),
           ("phone", 390, 844, "light", True), ("phone-dark", 390, 844, "dark", True), ("across", 844, 390, "light", True)]
# A sheet of A4 within the margins that browsers print with.
PAPER = (718, 1047)


def take_pictures(user, directory):
    browser = user.browser
    directory.mkdir(parents=True, exist_ok=True)
    for name, width, height, scheme, is_phone in SCREENS:
        browser.screen(width, height, scheme, is_phone)
        user.open("moves=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6,b5a4,g8f6,e1g1,f6e4")
        while user.text("count") != "3":
            before = user.text("count")
            browser.click("#more" if int(before) < 3 else "#fewer")
            browser.wait(f"document.getElementById('count').textContent !== '{before}'", 5)
        for _ in range(4):
            browser.press("ArrowLeft")
            browser.wait("/depth 1[2-9]/.test(document.getElementById('pace').textContent)", 20)
        user.calm()
        browser.wait("[...document.querySelectorAll('#lines .pv')].filter(pv => pv.children.length > 5).length === 3", 20)
        user.that(browser.value("document.documentElement.scrollWidth") <= width, f"{name}: the page fits")
        browser.value("scrollTo(0, 0)")
        browser.picture(directory / f"board-{name}.png")
        if is_phone:
            browser.picture(directory / f"board-{name}-whole.png", is_whole=True)
        user.pastes(ANNOTATED)
        browser.wait("document.querySelector('#choice-list button') !== null")
        browser.picture(directory / f"choice-{name}.png")
        browser.click("#choice-list button")
        browser.wait("!document.getElementById('import-dialog').open")
        browser.value("document.getElementById('message-close').click()")
        for _ in range(3):
            browser.press("ArrowRight")
        browser.wait("/depth 1[2-9]/.test(document.getElementById('pace').textContent)", 20)
        browser.value("scrollTo(0, 0)")
        browser.wait("[...document.querySelectorAll('#lines .pv')].every(pv => pv.children.length > 1)", 20)
        browser.picture(directory / f"game-{name}.png")
        if not is_phone:
            # A phone has no scroll bar that would take width.
            browser.screen(*PAPER, scheme, True)
            browser.paper(True)
            browser.picture(directory / f"print-{name}.png", is_whole=True)
            browser.paper(False)
            browser.screen(width, height, scheme)
        for dialog in ["editor", "settings", "help"]:
            browser.click(f"#open-{dialog}")
            browser.wait("false", 0.3)
            browser.picture(directory / f"{dialog}-{name}.png")
            browser.press("Escape")

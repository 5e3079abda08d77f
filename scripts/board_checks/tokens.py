"""Tokens: the page asks for one, says when it is wrong, and keeps to its limits."""

SECRET = "only-for-this-check"
LINES, SECONDS = 2, 2
TOKENS = f"""[[token]]
name = "check"
secret = "{SECRET}"
lines = {LINES}
seconds = {SECONDS}
"""


def check_token(user):
    """The page asks for a token, and says when it is wrong."""
    browser = user.browser
    browser.open(user.url, "sessionStorage.clear()")
    for token in ["wrong", user.token]:
        user.waits("document.getElementById('token-dialog').open", "the page asks for a token")
        browser.click("#token")
        browser.type(token)
        browser.press("Enter")
        if token == "wrong":
            user.says("token-error", "not known", "a wrong token is told")
    user.says("connection", "Connected", "the right token is accepted")
    user.searches("a search begins")


def check_limits(user):
    """A token that comes with the address leaves it, and its limits are told."""
    browser = user.browser
    user.open("moves=e2e4")
    user.waits("!location.hash.includes('token')", "the token leaves the address")
    for _ in range(LINES):
        browser.press("+")
    user.waits(f"document.querySelectorAll('#lines li').length === {LINES}", "as many lines as the token allows")
    user.that(browser.value("document.getElementById('more').disabled"), "and no more")
    user.says("progress", "finished", "a search whose time is over is finished")
    user.waits("!document.getElementById('note').hidden", "and the page says why")
    browser.press("-")

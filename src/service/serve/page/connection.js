/** A WebSocket with lines of text. It comes back by itself when it is lost. */
import { askForToken, token } from './token.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15000;
/** The close code by which the server says that the token is wrong: policy violation. */
const REFUSAL = 1008;

/** The address of a session. */
export const sessionAddress = () => {
  const url = new URL('uci', document.baseURI.split('#')[0]);
  if (token()) url.searchParams.set('token', token());
  return url;
};

/** Makes a session; it gets `line` for each line of text. */
export const openSession = line => {
  const url = sessionAddress();
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url);
  socket.addEventListener('message', event => {
    for (const text of event.data.split('\n')) if (text.trim()) line(text.trim());
  });
  return socket;
};

export class Connection {
  /**
   * `listener` has the functions `opened()`, `line(text)`, `lost()` and `state(text, isGood, canTry, seconds)`. The
   * last one gets words for the user, whether the user may ask for the next try, and when it comes by itself.
   */
  constructor(listener) {
    this.listener = listener;
    this.wait = FIRST_WAIT_MS;
  }

  connect() {
    clearTimeout(this.timer);
    this.listener.state('Connecting…', false, false);
    let wasOpen = false;
    const socket = openSession(line => {
      // A server that sends lines works. One that only opens the connection may close it at once again.
      this.wait = FIRST_WAIT_MS;
      this.listener.line(line);
    });
    this.socket = socket;
    socket.addEventListener('open', () => {
      wasOpen = true;
      this.listener.state('Connected', true, false);
      this.listener.opened();
    });
    socket.addEventListener('close', event => {
      if (this.socket === socket) this.closed(event, wasOpen);
    });
  }

  send(line) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(line);
  }

  async closed(event, wasOpen) {
    this.listener.lost();
    if (event.code === REFUSAL || (!wasOpen && (await this.isRefused()))) {
      this.listener.state('The server wants a token', false, true);
      if (await askForToken(token() ? 'This token is not known to the server.' : '')) this.connect();
    } else {
      this.later(wasOpen ? 'Connection lost' : 'The server does not answer', event.reason);
    }
  }

  /** Whether the server refuses the token. A WebSocket does not tell, but an ordinary request does. */
  async isRefused() {
    const answer = await fetch(sessionAddress()).catch(() => null);
    return answer !== null && [401, 403].includes(answer.status);
  }

  later(what, reason) {
    // Many pages that lost the same server do not come back at the same moment.
    const wait = this.wait * (0.75 + Math.random() / 2);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
    const seconds = Math.max(1, Math.round(wait / 1000));
    this.listener.state(`${what}${reason ? ` (${reason})` : ''}.`, false, true, seconds);
    this.timer = setTimeout(() => this.connect(), wait);
  }
}

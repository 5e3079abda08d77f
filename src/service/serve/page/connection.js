/** A WebSocket with lines of text. It comes back by itself when it is lost. */
import { askForToken, token } from './token.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15000;
/** The close code by which the server says that the token is wrong: policy violation. */
const REFUSAL = 1008;

export class Connection {
  /**
   * `listener` has the functions `opened()`, `line(text)`, `lost()` and `state(text, isGood, canTry)`. The last one
   * gets words for the user, and whether the user may ask for the next try.
   */
  constructor(listener) {
    this.listener = listener;
    this.wait = FIRST_WAIT_MS;
  }

  connect() {
    clearTimeout(this.timer);
    const url = this.address();
    url.protocol = url.protocol.replace('http', 'ws');
    this.listener.state('Connecting…', false, false);
    const socket = new WebSocket(url);
    let wasOpen = false;
    this.socket = socket;
    socket.addEventListener('open', () => {
      wasOpen = true;
      this.listener.state('Connected', true, false);
      this.listener.opened();
    });
    socket.addEventListener('message', event => {
      // A server that sends lines works. One that only opens the connection may close it at once again.
      this.wait = FIRST_WAIT_MS;
      for (const line of event.data.split('\n')) if (line.trim()) this.listener.line(line.trim());
    });
    socket.addEventListener('close', event => this.closed(event, wasOpen));
  }

  send(line) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(line);
  }

  address() {
    const url = new URL('uci', document.baseURI.split('#')[0]);
    if (token()) url.searchParams.set('token', token());
    return url;
  }

  async closed(event, wasOpen) {
    this.listener.lost();
    if (event.code === REFUSAL || (!wasOpen && (await this.isRefused()))) {
      this.listener.state('The server wants a token', false, true);
      if (await askForToken()) this.connect();
    } else {
      this.later(wasOpen ? 'Connection lost' : 'The server does not answer', event.reason);
    }
  }

  /** Whether the server refuses the token. A WebSocket does not tell, but an ordinary request does. */
  async isRefused() {
    const answer = await fetch(this.address()).catch(() => null);
    return answer !== null && [401, 403].includes(answer.status);
  }

  later(what, reason) {
    // Many pages that lost the same server do not come back at the same moment.
    const wait = this.wait * (0.75 + Math.random() / 2);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT_MS);
    const seconds = Math.max(1, Math.round(wait / 1000));
    this.listener.state(`${what}${reason ? ` (${reason})` : ''}. Next try in ${seconds} s.`, false, true);
    this.timer = setTimeout(() => this.connect(), wait);
  }
}

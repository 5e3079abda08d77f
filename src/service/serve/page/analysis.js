/** Has the position that is shown analyzed, and keeps what the engine says. */
import { Connection } from './connection.js';
import { Engine } from './engine.js';
import { parseInfo } from './info.js';
import { Search } from './search.js';
import { limitSettings, onSettings, settings } from './settings.js';
import { isThreat, threatFen } from './threat.js';

/** A search this deep is believed, though an earlier one was deeper. */
const SOUND_DEPTH = 10;
/** Someone who holds a key down passes many positions. The engine is not asked about them. */
const PASSING_MS = 120;
/** What a user may ask for; the server may allow fewer. */
const MOST_LINES = 5;

export class Analysis {
  /** `show` has the functions `changed()`, `note(text)`, `named(name)`, `connection(...)` and `opened()`. */
  constructor(game, show) {
    this.game = game;
    this.show = show;
    this.mostLines = MOST_LINES;
    this.wantsThreat = false;
    this.asked = -PASSING_MS;
    this.engine = new Engine(line => this.connection.send(line), {
      named: name => show.named(name),
      limited: most => {
        this.mostLines = Math.min(MOST_LINES, most);
        limitSettings({ lines: most });
      },
      threads: most => {
        this.mostThreads = most;
        limitSettings({ threads: most });
      },
      info: (line, position) => this.heard(line, position),
      changed: () => show.changed(),
    });
    this.connection = new Connection({
      opened: () => {
        this.engine.greet();
        show.opened();
      },
      line: line => this.engine.receive(line),
      lost: () => {
        this.engine.reset();
        show.changed();
      },
      state: (...words) => show.connection(...words),
    });
    game.on('known', () => this.later());
    game.on('moved', () => (this.wantsThreat = false));
    onSettings(names => {
      if (names.some(name => ['isOn', 'lines', 'threads', 'limit', 'depth', 'seconds'].includes(name))) this.later();
    });
  }

  get lines() {
    return Math.min(Math.max(settings.lines, 1), this.mostLines);
  }

  get isOver() {
    const { details } = this.game.node;
    return Boolean(details) && details.legal.length === 0;
  }

  /** Begins at once, but in a quick row of positions only with the last one. */
  later() {
    clearTimeout(this.timer);
    const now = performance.now();
    const pause = now - this.asked < PASSING_MS ? PASSING_MS : 0;
    this.asked = now;
    this.timer = setTimeout(() => this.start(), pause);
  }

  start() {
    const { node, tree } = this.game;
    if (!node?.details || !settings.isOn || this.isOver) {
      this.engine.stop();
    } else {
      const isThreatWanted = this.wantsThreat && isThreat(node);
      const place = isThreatWanted
        ? { fen: threatFen(node.fen), moves: [], chess960: tree.chess960 }
        : tree.describe(node);
      const threads = Math.min(settings.threads, this.mostThreads) || this.mostThreads;
      const how = { lines: isThreatWanted ? 1 : this.lines, threads, hasTelemetry: true };
      if (settings.limit === 'depth') how.depth = settings.depth;
      if (settings.limit === 'time') how.milliseconds = 1000 * settings.seconds;
      const position = { node, isThreat: isThreatWanted, search: new Search(), ...place };
      this.engine.analyze(position, how);
    }
    this.show.changed();
  }

  /** Shows what the other side would play if it were its turn, or the analysis again. Tells whether it can. */
  toggleThreat() {
    const { node } = this.game;
    // What is not known yet will be known when the search begins.
    const isPossible = this.wantsThreat || !node.details || isThreat(node);
    this.wantsThreat = !this.wantsThreat && isPossible;
    node.threat = null;
    this.start();
    return isPossible;
  }

  heard(line, position) {
    const { node, search } = position;
    const info = parseInfo(line, turnOf(position));
    if (info.text) {
      this.show.note(info.text);
      return;
    }
    search.add(info);
    if (position.isThreat) {
      const [best] = search.lines;
      if (best) node.threat = best.pv[0];
    } else {
      // Until a new search says something, what the last one said stays.
      node.search = search;
      const { best } = search;
      // The first depths of a new search do not replace what an earlier one has found.
      if (best && !node.best?.isFinal && (!node.best || best.depth >= Math.min(node.best.depth, SOUND_DEPTH))) {
        node.line = search.lines[0].pv.slice(0, 16);
        this.game.evaluate(node, { ...best, nodes: search.figures.nodes });
      }
    }
    if (node === this.game.node) this.show.changed();
  }

  /** What the engine does, in one word. */
  get state() {
    const { node } = this.game;
    if (this.engine.isSearching) return this.wantsThreat ? 'threat' : 'searching';
    if (!node) return '';
    if (this.isOver) return 'game over';
    if (!settings.isOn) return 'stopped';
    return this.engine.isFinished ? 'finished' : 'waiting';
  }
}

/** The side to move after the moves of a question. */
const turnOf = ({ fen, moves }) => ((fen.split(' ')[1] === 'w') === (moves.length % 2 === 0) ? 'white' : 'black');

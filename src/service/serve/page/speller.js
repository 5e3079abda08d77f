/** Has the engine's lines written in algebraic notation. The server is asked a few times a second at most. */
import { ask } from './positions.js';
import { linesOf } from './search.js';

const PAUSE_MS = 200;
/** The lines of one depth come one after the other. Only together do they make sense. */
const GROUP_MS = 20;
/** Moves of a line that are shown. */
const LINE_MOVES = 24;

export class Speller {
  /** `changed()` is called when there are new words. */
  constructor(changed) {
    this.changed = changed;
    this.node = null;
    this.words = [];
    this.isBusy = false;
  }

  /** The lines of a position as moves with `uci`, `san` and `squares`, as far as they are known. */
  of(node) {
    return this.node === node ? this.words : [];
  }

  /** Spells the lines of a position's search, and goes on until nothing new is wanted. */
  async spell(node, chess960) {
    this.wanted = { node, chess960 };
    if (this.isBusy) return;
    this.isBusy = true;
    await pause(GROUP_MS);
    let text = null;
    for (let key = keyOf(this.wanted); key !== text; key = keyOf(this.wanted)) {
      text = key;
      const { node: place, chess960: isChess960 } = this.wanted;
      const answer = await ask({ fen: place.fen, chess960: isChess960, lines: movesOf(place) }).catch(() => null);
      if (answer) {
        this.node = place;
        this.words = answer.lines;
        this.changed();
      }
      await pause(PAUSE_MS);
    }
    this.isBusy = false;
  }
}

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

const movesOf = node => linesOf(node).map(line => line.pv.slice(0, LINE_MOVES));

/** What tells one question from another. */
const keyOf = ({ node }) => `${node.id} ${movesOf(node).join(' ')}`;

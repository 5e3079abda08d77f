/** A game with variations. A node is a position; its first child continues the line. */
import { readAnnotations } from './annotation.js';

/** Authors let a side pass in variations. The server does not play such a move, but it knows the position after it. */
export const NULL_MOVE = '0000';

let nodes = 0;

const newNode = (parent, move, fen) => ({
  id: nodes++,
  parent,
  /** How one got here: `uci`, `san`, `number`, `squares`. */
  move,
  children: [],
  ply: parent ? parent.ply + 1 : 0,
  fen,
  /** The code and the name of the opening. */
  opening: '',
  /** The comments before the first move of a variation, and after the move. */
  before: '',
  comment: '',
  /** What programs have written into the comments: names and values, such as the clock. */
  commands: [],
  nags: [],
  /** Arrows and circles of the user. */
  shapes: [],
  /** The evaluation: `score`, `wdl`, `depth`. */
  best: null,
  /** The glyph by which the report judges the move. */
  judged: 0,
});

export class GameTree {
  constructor(start, chess960, tags = []) {
    this.chess960 = chess960;
    this.tags = new Map(tags);
    this.root = newNode(null, null, start);
  }

  /** The tree of the server's answer about a text. */
  static of(answer) {
    const tree = new GameTree(answer.start, answer.chess960, answer.tags);
    readAnnotations(tree.root, answer.comments, []);
    const places = [tree.root];
    for (const { parent, before, comments, nags, ...move } of answer.nodes) {
      const node = tree.play(places[parent], move);
      node.nags = nags || [];
      readAnnotations(node, comments, before);
      places.push(node);
    }
    return tree;
  }

  /** The position after a move, which may be known already. */
  play(node, { fen, opening, ...move }) {
    const known = node.children.find(child => child.move.uci === move.uci);
    if (known) return known;
    const child = newNode(node, move, fen);
    child.opening = opening || '';
    node.children.push(child);
    return child;
  }

  /** The positions from the start to this one. */
  path(node) {
    const path = [];
    for (let place = node; place; place = place.parent) path.push(place);
    return path.reverse();
  }

  /** The positions from the start through this one to the end of its line. */
  line(node) {
    const line = this.path(node);
    while (line.at(-1).children.length) line.push(line.at(-1).children[0]);
    return line;
  }

  /** All positions, each after its parent. */
  *all() {
    const open = [this.root];
    while (open.length) {
      const node = open.pop();
      yield node;
      for (let index = node.children.length - 1; index >= 0; index--) open.push(node.children[index]);
    }
  }

  /**
   * A position as the server is told about it: the position after the last capture or pawn move, and the moves since
   * then, by which repetitions are known.
   */
  describe(node) {
    const moves = [];
    let start = node;
    while (start.parent && start.fen.split(' ')[4] !== '0' && start.move.uci !== NULL_MOVE) {
      moves.push(start.move.uci);
      start = start.parent;
    }
    return { fen: start.fen, moves: moves.reverse(), chess960: this.chess960 };
  }

  find(id) {
    for (const node of this.all()) if (node.id === id) return node;
    return null;
  }

  /** Whether somebody has put anything into the game. */
  get isEmpty() {
    return !this.root.children.length && !this.root.comment && !this.tags.size;
  }
}

/** Whether a position still belongs to its tree. */
export const isInTree = node => {
  let place = node;
  while (place.parent) {
    if (!place.parent.children.includes(place)) return false;
    place = place.parent;
  }
  return true;
};

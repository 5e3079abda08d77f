/** A game with variations. A node is a position; its first child continues the line. */

let nodes = 0;

export class GameTree {
  /** `answer` is the server's answer about the game. */
  constructor(answer) {
    this.chess960 = answer.chess960;
    this.tags = new Map(answer.tags);
    this.root = { id: nodes++, parent: null, move: null, children: [], ply: 0, fen: answer.start };
    answer.moves.reduce((node, move) => this.play(node, move, move.fen), this.root);
  }

  /** The position after a move, which may be known already. */
  play(node, move, fen) {
    const known = node.children.find(child => child.move.uci === move.uci);
    if (known) return known;
    const child = { id: nodes++, parent: node, move, children: [], ply: node.ply + 1, fen };
    node.children.push(child);
    return child;
  }

  /** The positions from the start to this one. */
  path(node) {
    const path = [];
    for (let place = node; place; place = place.parent) path.unshift(place);
    return path;
  }

  /** The positions from the start through this one to the end of its line. */
  line(node) {
    const line = this.path(node);
    while (line.at(-1).children.length) line.push(line.at(-1).children[0]);
    return line;
  }

  /**
   * A position as the server is told about it: the position after the last capture or pawn move, and the moves since
   * then, by which repetitions are known.
   */
  describe(node) {
    const moves = [];
    let start = node;
    while (start.parent && start.fen.split(' ')[4] !== '0') {
      moves.unshift(start.move.uci);
      start = start.parent;
    }
    return { fen: start.fen, moves, chess960: this.chess960 };
  }

  /** Takes a position out, with all that follows. Returns the position before it. */
  remove(node) {
    if (!node.parent) return node;
    node.parent.children = node.parent.children.filter(child => child !== node);
    return node.parent;
  }

  find(id) {
    const open = [this.root];
    while (open.length) {
      const node = open.pop();
      if (node.id === id) return node;
      open.push(...node.children);
    }
    return null;
  }

  /** The game as PGN. `usualStart` is the FEN of the usual start position. */
  pgn(usualStart) {
    const tags = new Map(this.tags);
    if (this.root.fen !== usualStart) tags.set('SetUp', '1').set('FEN', this.root.fen);
    if (this.chess960) tags.set('Variant', 'Chess960');
    const escaped = text => text.replace(/[\\"]/g, '\\$&');
    const head = [...tags].map(([name, value]) => `[${name} "${escaped(value)}"]\n`).join('');
    return `${head}${head && '\n'}${[...words(this.root, true), tags.get('Result') || '*'].join(' ')}\n`;
  }
}

/** The moves after a node, with variations in parentheses. Black's move needs a number after an interruption. */
const words = (node, isInterrupted) => {
  const [main, ...others] = node.children;
  if (!main) return [];
  const word = (child, isFirst) =>
    isFirst || child.move.number.at(-2) !== '.' ? [child.move.number, child.move.san] : [child.move.san];
  const variations = others.flatMap(child => {
    const text = [...word(child, true), ...words(child, false)].join(' ');
    return [`(${text})`];
  });
  return [...word(main, isInterrupted), ...variations, ...words(main, variations.length > 0)];
};

const FIGURES = ['depth', 'seldepth', 'nodes', 'nps', 'hashfull', 'time'];

/** What the engine has said about a position in one search. */
export class Search {
  constructor() {
    this.lines = [];
    this.figures = {};
    /** The chances at each depth of the best line. */
    this.history = new Map();
    this.threads = null;
  }

  add(info) {
    if (info.threads) this.threads = info.threads;
    if (!info.depth) return;
    // Some lines have only a depth and a move.
    for (const name of FIGURES) if (info[name] !== undefined) this.figures[name] = info[name];
    // A bound is not an evaluation yet.
    if (!info.pv || !info.wdl || info.isBound) return;
    const place = (info.multipv || 1) - 1;
    // A better line whose score was only a bound is still missing.
    if (place > this.lines.length) return;
    this.lines[place] = info;
    if (place === 0) this.history.set(info.depth, info.wdl);
  }

  /** The evaluation by the best line. */
  get best() {
    const line = this.lines[0];
    return line && { depth: line.depth, score: line.score, wdl: line.wdl };
  }
}

/** The evaluation of a position in which the game is over. */
export const evaluationOfResult = (result, isMate) => {
  const wdl = { '1-0': [1000, 0, 0], '0-1': [0, 0, 1000] }[result] || [0, 1000, 0];
  const side = result === '1-0' ? 1 : -1;
  return { depth: 0, score: isMate ? { kind: 'mate', value: 0, winner: side } : { kind: 'cp', value: 0 }, wdl };
};

/** 1 if White mates, -1 if Black does. */
const winner = score => score.winner || Math.sign(score.value);

/** A score with a sign, as people write it. */
export const shownScore = score => {
  const minus = '\u2212';
  if (score.kind === 'mate') {
    if (score.value === 0) return 'mate';
    return `${winner(score) > 0 ? '+' : minus}#${Math.abs(score.value)}`;
  }
  return `${score.value < 0 ? minus : '+'}${(Math.abs(score.value) / 100).toFixed(2)}`;
};

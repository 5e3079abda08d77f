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

/** The lines of a position: those of its search, or the one that was kept of an earlier search. */
export const linesOf = ({ search, line, best }) => {
  if (search?.lines.length) return search.lines;
  return line && best?.wdl ? [{ ...best, pv: line }] : [];
};

/** The evaluation of a position in which the game is over. */
export const evaluationOfResult = (result, isMate) => {
  const wdl = { '1-0': [1000, 0, 0], '0-1': [0, 0, 1000] }[result] || [0, 1000, 0];
  const side = result === '1-0' ? 1 : -1;
  return { depth: 0, score: isMate ? { kind: 'mate', value: 0, winner: side } : { kind: 'cp', value: 0 }, wdl };
};

/** The steepness of lichess's curve from centipawns to a chance. */
const STEEPNESS = 0.00368208;

/** The chances of an evaluation. One that was read from a game has none, so its score must do, without draws. */
export const chancesOf = ({ score, wdl }) => {
  if (wdl) return wdl;
  const isWhites = (score.value || score.winner) > 0;
  const win = score.kind === 'mate' ? Number(isWhites) : 1 / (1 + Math.exp(-STEEPNESS * score.value));
  return [Math.round(1000 * win), 0, 1000 - Math.round(1000 * win)];
};

/** Scores between these values are wins by the endgame tables, and no numbers of pawns. */
const TABLE_WINS = [30_754, 31_000];

const isTableWin = ({ kind, value }) =>
  kind === 'cp' && Math.abs(value) >= TABLE_WINS[0] && Math.abs(value) <= TABLE_WINS[1];

/** A score from White's side, as players write it. */
export const shownScore = score => {
  if (score.kind === 'mate') return score.value === 0 ? 'mate' : `#${score.value}`;
  const sign = score.value < 0 ? '\u2212' : '+';
  return isTableWin(score) ? `${sign}TB` : `${sign}${(Math.abs(score.value) / 100).toFixed(2)}`;
};

/** A score in words. */
export const spokenScore = score => {
  if (score.kind === 'mate') {
    if (score.value === 0) return 'checkmate';
    return `${score.value > 0 ? 'White' : 'Black'} mates in ${Math.abs(score.value)}`;
  }
  if (score.value === 0) return 'equal';
  const side = score.value > 0 ? 'White' : 'Black';
  if (isTableWin(score)) return `${side} wins by the endgame tables`;
  return `${side} is better by ${(Math.abs(score.value) / 100).toFixed(2)} pawns`;
};

/** What stands between moves: glyphs, and what programs write into comments, such as `[%clk 0:10:00]`. */

/** The glyphs by their numbers, with names for people who cannot see them. */
export const GLYPHS = new Map([
  [1, ['!', 'good move']],
  [2, ['?', 'mistake']],
  [3, ['!!', 'brilliant move']],
  [4, ['??', 'blunder']],
  [5, ['!?', 'interesting move']],
  [6, ['?!', 'inaccuracy']],
  [7, ['□', 'only move']],
  [22, ['⨀', 'zugzwang']],
  [10, ['=', 'equal']],
  [13, ['∞', 'unclear']],
  // Many fonts lack the signs ⩲ and ⩱.
  [14, ['+/=', 'White is slightly better']],
  [15, ['=/+', 'Black is slightly better']],
  [16, ['±', 'White is better']],
  [17, ['∓', 'Black is better']],
  [18, ['+−', 'White is winning']],
  [19, ['−+', 'Black is winning']],
  [32, ['⟳', 'development']],
  [36, ['↑', 'initiative']],
  [40, ['→', 'attack']],
  [132, ['⇆', 'counterplay']],
  [138, ['⊕', 'time trouble']],
  [44, ['=∞', 'with compensation']],
  [146, ['N', 'novelty']],
]);

/** Of these glyphs a move has one; of the others it may have several. */
export const MOVE_GLYPHS = [1, 2, 3, 4, 5, 6, 7, 22];
export const POSITION_GLYPHS = [10, 13, 14, 15, 16, 17, 18, 19];

/** Glyphs that have the sign of another one: equal chances in other words, and what Black has. */
const SAME = { 11: 10, 12: 10, 20: 18, 21: 19, 23: 22, 33: 32, 37: 36, 41: 40, 133: 132, 139: 138 };

export const glyphText = nag => GLYPHS.get(SAME[nag] || nag)?.[0] ?? `$${nag}`;

const COMMAND = /\[%(\w+)\s+([^\]]*)\]/g;

/** Takes comments apart, and puts what they say into a position. */
export const readAnnotations = (node, comments = [], before = []) => {
  const texts = [];
  for (const comment of comments) {
    for (const [, name, value] of comment.matchAll(COMMAND)) readCommand(node, name, value.trim());
    const text = comment.replace(COMMAND, '').replace(/\s+/g, ' ').trim();
    if (text) texts.push(text);
  }
  node.comment = texts.join(' ');
  node.before = before.join(' ');
};

const readCommand = (node, name, value) => {
  if (name === 'cal' || name === 'csl') {
    for (const [, color, from, to] of value.matchAll(/([GRYB])([a-h][1-8])([a-h][1-8])?/g)) {
      node.shapes.push(to ? { color, from, to } : { color, from });
    }
  } else if (name === 'eval') {
    node.best = readEvaluation(value, node.fen);
    // What cannot be read is handed on as it is.
    if (!node.best) node.commands.push([name, value]);
  } else {
    node.commands.push([name, value]);
  }
};

/** An evaluation as lichess writes it: `0.25`, `#-3`, perhaps with a depth. It does not tell the chances. */
const readEvaluation = (value, fen) => {
  const [, mate, number, , depth] = /^(#?)([+-]?\d+(\.\d+)?)(?:,(\d+))?$/.exec(value) || [];
  if (number === undefined) return null;
  const score = mate ? { kind: 'mate', value: Number(number) } : { kind: 'cp', value: Math.round(100 * number) };
  // The side that is mated is the one to move.
  if (mate && !score.value) score.winner = fen.split(' ')[1] === 'w' ? -1 : 1;
  return { score, wdl: null, depth: Number(depth) || 0 };
};

const shownEvaluation = ({ score }) => {
  if (score.kind === 'mate') return score.value ? `#${score.value}` : '';
  return (score.value / 100).toFixed(2);
};

/** The comment of a position as it stands in a PGN, without its braces. */
export const commentOf = node => {
  const list = shapes => shapes.map(({ color, from, to = '' }) => color + from + to).join(',');
  const circles = node.shapes.filter(shape => !shape.to);
  const arrows = node.shapes.filter(shape => shape.to);
  const evaluation = node.best && node.move ? shownEvaluation(node.best) : '';
  const commands = [
    ...(evaluation ? [['eval', evaluation]] : []),
    ...node.commands,
    ...(circles.length ? [['csl', list(circles)]] : []),
    ...(arrows.length ? [['cal', list(arrows)]] : []),
  ];
  const text = commands.map(([name, value]) => `[%${name} ${value}]`).join(' ');
  return [text, safe(node.comment)].filter(Boolean).join(' ');
};

/** A brace would end the comment. */
export const safe = text => text.replaceAll('{', '(').replaceAll('}', ')');

/** The time that the mover had left after the move. */
export const clockOf = node => node.commands.find(([name]) => name === 'clk')?.[1] || '';

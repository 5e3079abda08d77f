/** Writes a game as PGN, with all its variations, comments and glyphs. */
import { commentOf, safe } from './annotation.js';
import { USUAL_START } from './address.js';

const COLUMNS = 80;
/** The tags that stand first, in this order. */
const ROSTER = ['Event', 'Site', 'Date', 'Round', 'White', 'Black', 'Result'];

export const pgnOf = tree => {
  const tags = new Map(tree.tags);
  if (tree.root.fen !== USUAL_START) tags.set('SetUp', '1').set('FEN', tree.root.fen);
  if (tree.chess960) tags.set('Variant', 'Chess960');
  const escaped = text => text.replace(/[\\"]/g, '\\$&');
  const place = ([name]) => (ROSTER.includes(name) ? ROSTER.indexOf(name) : ROSTER.length);
  const sorted = [...tags].sort((one, other) => place(one) - place(other));
  const head = sorted.map(([name, value]) => `[${name} "${escaped(value)}"]\n`).join('');
  const words = [];
  const opening = commentOf(tree.root);
  if (opening) words.push(`{ ${opening} }`);
  write(tree.root, true, words);
  words.push(tags.get('Result') || '*');
  return `${head}${head && '\n'}${wrapped(words)}\n`;
};

/** The moves of one line up to a position, as PGN without tags. */
export const lineText = path =>
  path
    .slice(1)
    .map(({ move }, index) => (index === 0 || !move.number.endsWith('...') ? `${move.number} ${move.san}` : move.san))
    .join(' ');

/** Adds the moves after a node. Black's move needs a number after an interruption. */
const write = (start, isFirst, words) => {
  let node = start;
  let isInterrupted = isFirst;
  while (node.children.length) {
    const [main, ...others] = node.children;
    isInterrupted = writeMove(main, isInterrupted, words);
    for (const child of others) {
      const inner = [];
      const isCut = writeMove(child, true, inner);
      write(child, isCut, inner);
      words.push(`(${inner[0]}`, ...inner.slice(1));
      words[words.length - 1] += ')';
      isInterrupted = true;
    }
    node = main;
  }
};

/** Adds a move with what belongs to it. Tells whether something stands after it. */
const writeMove = (node, isInterrupted, words) => {
  if (node.before) words.push(`{ ${safe(node.before)} }`);
  const isWhites = !node.move.number.endsWith('...');
  if (isWhites || isInterrupted || node.before) words.push(node.move.number);
  words.push(node.move.san);
  // A judgement of the report stands where the author has given none.
  const nags = node.judged && !node.nags.some(nag => nag <= 6) ? [node.judged, ...node.nags] : node.nags;
  for (const nag of nags) words.push(`$${nag}`);
  const comment = commentOf(node);
  if (comment) words.push(`{ ${comment} }`);
  return Boolean(comment);
};

/** Words in lines that are not too wide. */
const wrapped = words => {
  const lines = [''];
  for (const word of words.flatMap(text => text.split(' '))) {
    const line = lines.at(-1);
    if (line && line.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.join('\n');
};

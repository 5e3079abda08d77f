/** Keeps the line that is shown in the page's address, so that it can be handed on. */
import { NULL_MOVE } from './tree.js';

export const USUAL_START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

/** A longer address is cut off by some programs. */
const LONGEST = 8000;

export const readAddress = () => new URLSearchParams(location.hash.slice(1));

/** Whether an address names a game. */
export const hasGame = address => ['fen', 'moves', 'chess960', 'pgn'].some(name => address.has(name));

/** The question by which the server gets the game of an address. */
export const gameOf = address => ({
  ...(address.get('fen') && { fen: address.get('fen') }),
  moves: (address.get('moves') || '').split(',').filter(Boolean),
  chess960: address.get('chess960') === '1',
});

/** The number of moves after which the game of an address is shown. */
export const plyOf = address => (address.has('ply') ? Number(address.get('ply')) : Infinity);

/** The address of a line of the game and of the position that is shown. */
export const addressOf = (tree, node) => {
  const line = tree.line(node);
  const address = new URLSearchParams();
  if (tree.root.fen !== USUAL_START) address.set('fen', tree.root.fen);
  if (tree.chess960) address.set('chess960', '1');
  const moves = line.slice(1).map(place => place.move.uci);
  if (moves.includes(NULL_MOVE)) {
    // Nobody can play such a line, so the position alone is handed on.
    address.set('fen', node.fen);
  } else {
    if (moves.length) address.set('moves', moves.join(','));
    if (node !== line.at(-1)) address.set('ply', node.ply);
  }
  const text = address.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text ? `#${text}` : '';
};

export const writeAddress = (tree, node) => {
  const text = addressOf(tree, node);
  history.replaceState(null, '', text && text.length < LONGEST ? text : location.pathname + location.search);
};

/** The position of a tree that an address names. `null` if the tree has no such line. */
export const findIn = (tree, address) => {
  // A link with a PGN begins with that game, and is replaced at once.
  if (address.has('pgn')) return null;
  const fen = address.get('fen') || USUAL_START;
  if (fen !== tree.root.fen) {
    if (address.has('moves')) return null;
    for (const node of tree.all()) if (node.fen === fen) return node;
    return null;
  }
  const line = [tree.root];
  for (const uci of gameOf(address).moves) {
    const next = line.at(-1).children.find(child => child.move.uci === uci);
    if (!next) return null;
    line.push(next);
  }
  return line[Math.min(plyOf(address), line.length - 1)];
};

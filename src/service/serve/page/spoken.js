/** Moves and positions in words, for people who listen. */

const PIECES = { K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight', P: 'pawn' };

/** A move in algebraic notation, in words: `Nxe4+` is "knight takes e4, check". */
export const spokenMove = san => {
  const sign = { '+': ', check', '#': ', checkmate' }[san.at(-1)] || '';
  const text = san.replace(/[+#]$/, '');
  if (text === 'O-O') return `castles short${sign}`;
  if (text === 'O-O-O') return `castles long${sign}`;
  const [, piece = '', origin, takes, target, promotion] =
    /^([KQRBN])?([a-h]?[1-8]?)(x)?([a-h][1-8])(?:=([QRBN]))?$/.exec(text) || [];
  if (!target) return san;
  const name = piece ? PIECES[piece] : '';
  const words = [name, origin, takes && 'takes', target, promotion && `becomes a ${PIECES[promotion]}`];
  return words.filter(Boolean).join(' ') + sign;
};

/** What stands on a square of a board, in words. */
export const spokenSquare = (name, letter) => {
  if (!letter) return `${name}, empty`;
  return `${name}, ${letter === letter.toUpperCase() ? 'white' : 'black'} ${PIECES[letter.toUpperCase()]}`;
};

/** The men of each side by kind: pairs of a name and squares. */
export const listOfPieces = squares => {
  const sides = [
    ['White', letter => letter === letter.toUpperCase()],
    ['Black', letter => letter === letter.toLowerCase()],
  ];
  return sides.map(([side, isOwn]) => {
    const own = squares.filter(({ piece }) => piece && isOwn(piece));
    const groups = Object.entries(PIECES).map(([letter, name]) => {
      const places = own.filter(({ piece }) => piece.toUpperCase() === letter).map(({ square }) => square);
      const plural = places.length > 1 ? `${name}s` : name;
      return places.length ? `${plural} ${places.sort().join(', ')}` : '';
    });
    return [side, groups.filter(Boolean).join('; ')];
  });
};

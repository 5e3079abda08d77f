/**
 * The phases of a game by the men on the board, after the rules of lichess's divider: the middlegame begins with ten
 * pieces besides kings and pawns, or when a side has left its first rank; the endgame begins with six.
 */

const MIDDLEGAME_PIECES = 10;
const ENDGAME_PIECES = 6;
const SPARSE_RANK = 4;

const count = (text, letters) => [...text].filter(letter => letters.includes(letter)).length;

const isMiddlegame = men => {
  const ranks = men.split('/');
  const isSparse = count(ranks[7], 'KQRBN') < SPARSE_RANK || count(ranks[0], 'kqrbn') < SPARSE_RANK;
  return isSparse || count(men, 'QRBNqrbn') <= MIDDLEGAME_PIECES;
};

const isEndgame = men => count(men, 'QRBNqrbn') <= ENDGAME_PIECES;

/** Where the phases of a line begin: pairs of a name and an index. */
export const phasesOf = line => {
  const men = line.map(({ fen }) => fen.split(' ')[0]);
  const endgame = men.findIndex(isEndgame);
  const middlegame = men.findIndex(isMiddlegame);
  const phases = [];
  if (middlegame > 0 && (endgame < 0 || middlegame < endgame)) phases.push(['middlegame', middlegame]);
  if (endgame > 0) phases.push(['endgame', endgame]);
  return phases;
};

/** Puts the names over the graph, each where its phase begins. */
export const showPhases = (place, line) => {
  const names = line.length > 20 ? phasesOf(line) : [];
  const key = names.join();
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  const parts = names.map(([name, index]) => {
    const part = document.createElement('span');
    part.textContent = name;
    part.style.left = `${(100 * index) / (line.length - 1)}%`;
    return part;
  });
  place.replaceChildren(...parts);
};

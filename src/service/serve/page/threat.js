/** What the other side would play if it were its turn. */

/** Whether the question makes sense: in check, or after the end of a game, it does not. */
export const isThreat = node => Boolean(node.details) && !node.details.check && !node.details.result;

/** The same men with the other side to move. */
export const threatFen = fen => {
  const [men, turn, rights, , halfmoves, number] = fen.split(' ');
  return [men, turn === 'w' ? 'b' : 'w', rights, '-', halfmoves, number].join(' ');
};

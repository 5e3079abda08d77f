/** Tells what the position is: the last move, who is to move, check, and the result. */

const element = id => document.getElementById(id);

/** The text below the board, and the mark on a king in check. Screen readers speak the text after each move. */
export const showStatus = (board, { move, fen, details }) => {
  const turn = fen.split(' ')[1] === 'w' ? 'White to move' : 'Black to move';
  let state = turn;
  if (details?.result) state = `${details.status}, ${details.result}`;
  else if (details?.check) state = `check, ${turn}`;
  element('status').textContent = `${move ? `${move.number} ${move.san}` : 'Start position'} · ${state}`;
  for (const square of board.squares) {
    square.classList.toggle('check', Boolean(details) && square.dataset.square === details.check);
  }
};

/** The players of a game, if it has names. */
export const showPlayers = tags => {
  const [white, black, result] = ['White', 'Black', 'Result'].map(name => tags.get(name) || '');
  element('players').hidden = !white && !black;
  element('players').textContent = `${white || 'White'} – ${black || 'Black'} ${result === '*' ? '' : result}`;
};

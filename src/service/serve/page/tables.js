/** Shows what the endgame tables say about each move, where the server has them. */

const element = id => document.getElementById(id);

/** No table has more men. */
const MOST_MEN = 7;
const NAMES = {
  win: 'wins',
  'cursed win': 'wins, but for the fifty-move rule',
  draw: 'draws',
  'blessed loss': 'loses, but for the fifty-move rule',
  loss: 'loses',
};

/** `play` gets a move in UCI's notation. */
export const listenToTables = play => {
  element('tables-list').addEventListener('click', event => {
    const button = event.target.closest('button');
    if (button) play(button.dataset.uci);
  });
};

export const showTables = ({ details, fen }) => {
  // Until the server has answered, the last answer keeps its place, but it is no longer to be used.
  element('tables').inert = !details;
  const men = fen.split(' ')[0].replace(/[^a-z]/gi, '').length;
  if (!details && men <= MOST_MEN) return;
  const moves = details?.tables;
  element('tables').hidden = !moves;
  if (!moves) return;
  const side = details.turn === 'white' ? 'White' : 'Black';
  element('tables-title').textContent = `Endgame tables: ${side} ${NAMES[moves[0].result]}`;
  const items = moves.map(({ uci, san, result, distance }) => {
    const item = document.createElement('li');
    const button = document.createElement('button');
    button.className = `m ${result.replace(' ', '-')}`;
    button.dataset.uci = uci;
    const name = document.createElement('b');
    name.textContent = san;
    // Players know the name of this distance; for all others it is explained.
    if (distance) button.title = `${distance} half-moves to the next capture or pawn move`;
    button.append(name, ` ${NAMES[result]}${distance ? ` · DTZ ${distance}` : ''}`);
    item.append(button);
    return item;
  });
  element('tables-list').replaceChildren(...items);
};

/** Tells what the position is: the last move, who is to move, check, the result, the opening, and the players. */
import { clockOf } from './annotation.js';
import { spokenMove } from './spoken.js';

const element = id => document.getElementById(id);

/** The text below the board, and the mark on a king in check. */
export const showStatus = (board, { move, fen, details }, isUsualStart) => {
  const turn = fen.split(' ')[1] === 'w' ? 'White to move' : 'Black to move';
  let state = turn;
  if (details?.result) state = `${details.status}, ${details.result}`;
  else if (details?.check) state = `check, ${turn}`;
  const name = move ? `${move.number} ${move.san}` : isUsualStart ? 'Start position' : 'Position';
  element('status').textContent = `${name} · ${state}`;
  for (const square of board.squares) {
    square.classList.toggle('check', Boolean(details) && square.dataset.square === details.check);
  }
};

/** Screen readers speak the move and what it has led to. */
export const speakStatus = ({ move, fen, details }) => {
  const side = fen.split(' ')[1] === 'w' ? 'Black' : 'White';
  const words = move ? `${side}: ${spokenMove(move.san)}` : 'Start';
  element('spoken').textContent = details?.result ? `${words}. ${details.status}, ${details.result}` : words;
};

/** The name of the opening by the last position that has one. */
export const showOpening = node => {
  let place = node;
  while (place && !place.opening) place = place.parent;
  element('opening').textContent = place ? place.opening.replace('\t', ' ') : '';
};

/** The players beside the board, with their clocks after the last moves. */
export const showPlayers = (tree, path, isFlipped) => {
  const { tags } = tree;
  const result = tags.get('Result') || '*';
  const [whites, blacks] = { '1-0': ['1', '0'], '0-1': ['0', '1'], '1/2-1/2': ['½', '½'] }[result] || ['', ''];
  const clock = isWhite =>
    path.findLast(place => place.move && clockOf(place) && place.fen.split(' ')[1] === (isWhite ? 'b' : 'w'));
  const isKnown = ['White', 'Black'].some(name => tags.has(name)) || path.some(place => clockOf(place));
  const show = (place, isWhite) => {
    const name = isWhite ? 'White' : 'Black';
    const rating = tags.get(`${name}Elo`);
    const parts = [
      ['result', isWhite ? whites : blacks],
      ['name', tags.get(name) && tags.get(name) !== '?' ? tags.get(name) : name],
      ['rating', /^\d+$/.test(rating) ? rating : ''],
      ['clock', clock(isWhite) ? clockOf(clock(isWhite)) : ''],
    ];
    place.replaceChildren(
      ...parts
        .filter(([, text]) => text)
        .map(([className, text]) => {
          const part = document.createElement('span');
          part.className = className;
          part.textContent = text;
          return part;
        }),
    );
    place.hidden = !isKnown;
  };
  show(element('upper-player'), isFlipped);
  show(element('lower-player'), !isFlipped);
};

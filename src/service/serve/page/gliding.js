/** Lets the piece that has moved glide to its square, where people want motion. */
import { settings } from './settings.js';

const MILLISECONDS = 140;
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

/** Moves the piece on `to` from where it was, after the board shows the new position. */
export const glide = (board, from, to) => {
  if (!settings.motion || calm.matches) return;
  const piece = board.squares.find(square => square.dataset.square === to)?.querySelector('use[href]');
  if (!piece) return;
  const [[x1, y1], [x2, y2]] = [board.corner(from), board.corner(to)];
  piece.animate([{ transform: `translate(${x1 - x2}px,${y1 - y2}px)` }, { transform: 'none' }], {
    duration: MILLISECONDS,
    easing: 'ease-out',
  });
};

/** Lets people without a mouse use the board: arrow keys go from square to square, Enter or space chooses one. */
import { spokenSquare } from './spoken.js';

const FILES = 'abcdefgh';
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Squares {
  /** `choose` gets the name of a square. */
  constructor(board, choose) {
    this.board = board;
    board.svg.setAttribute('role', 'group');
    for (const square of board.squares) {
      square.setAttribute('role', 'button');
      square.setAttribute('tabindex', '-1');
    }
    this.current = this.square('e2');
    this.current.setAttribute('tabindex', '0');
    board.svg.addEventListener('focusin', event => this.make(event.target.closest('[data-square]')));
    board.svg.addEventListener('keydown', event => {
      const square = event.target.closest('[data-square]');
      if (!square || event.ctrlKey || event.altKey || event.metaKey) return;
      const name = square.dataset.square;
      if (STEPS[event.key]) {
        const [right, up] = STEPS[event.key].map(step => (board.isFlipped ? -step : step));
        this.go(FILES[FILES.indexOf(name[0]) + right], Number(name[1]) + up);
      } else if (event.key === 'Enter' || event.key === ' ') {
        choose(name);
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
  }

  square(name) {
    return this.board.squares.find(square => square.dataset.square === name);
  }

  go(file, rank) {
    this.square(file + rank)?.focus();
  }

  /** Makes a square the one that the tab key reaches. */
  make(square) {
    if (!square) return;
    this.current.setAttribute('tabindex', '-1');
    this.current = square;
    square.setAttribute('tabindex', '0');
  }

  /** Names the squares anew after a move. `selected` is chosen, and `targets` are where it can go. */
  name(selected = null, targets = []) {
    this.board.svg.setAttribute('aria-label', 'Chess board');
    for (const square of this.board.squares) {
      const { square: name, piece } = square.dataset;
      const state = name === selected ? ', chosen' : targets.includes(name) ? ', can be reached' : '';
      square.setAttribute('aria-label', spokenSquare(name, piece) + state);
    }
  }
}

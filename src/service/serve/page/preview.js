/** A small board that shows where a move of a line leads, while the mouse rests on it. */
import { BoardView } from './board.js';
import { ask } from './positions.js';

const REST_MS = 80;

export class Preview {
  /** `movesTo(button)` gives the moves of a line up to that of a button. `describe()` describes the position. */
  constructor(board, list, movesTo, describe) {
    this.board = board;
    this.movesTo = movesTo;
    this.describe = describe;
    this.place = document.getElementById('preview');
    const drawing = board.svg.cloneNode(true);
    drawing.removeAttribute('id');
    this.view = new BoardView(drawing);
    this.place.append(drawing);
    list.addEventListener('pointerover', event => {
      const button = event.target.closest('button.m');
      // A finger cannot rest on a move without choosing it.
      if (button && event.pointerType === 'mouse') this.wait(button);
      else this.hide();
    });
    list.addEventListener('pointerleave', () => this.hide());
    list.addEventListener('click', () => this.hide());
  }

  hide() {
    clearTimeout(this.timer);
    this.place.hidden = true;
  }

  wait(button) {
    this.hide();
    this.timer = setTimeout(() => this.show(button), REST_MS);
    this.button = button;
  }

  async show(button) {
    // Meanwhile the engine may have said something else, and the button may be gone.
    if (!button.matches(':hover')) return;
    const known = this.describe();
    const moves = [...known.moves, ...this.movesTo(button).map(move => move.uci)];
    const answer = await ask({ ...known, moves }).catch(() => null);
    if (!answer || button !== this.button || !button.matches(':hover')) return;
    if (this.view.isFlipped !== this.board.isFlipped) this.view.flip();
    this.view.show(answer.fen, answer.moves.at(-1).squares);
    const item = button.closest('li');
    this.place.style.top = `${item.offsetTop + item.offsetHeight}px`;
    this.place.hidden = false;
  }
}

/** Moves pieces on the board: by a click on each of two squares, or by dragging. */
import { svgElement } from './svg.js';

const FILES = 'abcdefgh';

export class Moving {
  /**
   * `play` gets the legal moves with the origin and the target that the user chose. There may be four promotions.
   * `selected` is told when another square, or none, is chosen.
   */
  constructor(board, play, selected) {
    this.board = board;
    this.play = play;
    this.hasSelected = selected;
    this.legal = [];
    this.selected = null;
    this.drag = null;
    this.hints = svgElement('g', { class: 'hints', 'aria-hidden': 'true' });
    this.ghost = svgElement('use', { class: 'ghost', width: 110, height: 110 });
    board.svg.append(this.hints, this.ghost);
    board.svg.addEventListener('pointerdown', event => this.down(event));
    board.svg.addEventListener('pointermove', event => this.move(event));
    board.svg.addEventListener('pointerup', event => this.up(event));
    board.svg.addEventListener('pointercancel', () => this.select(null));
  }

  /** The moves that can be played in the position that is shown. */
  allow(legal) {
    // Who has chosen a piece already keeps it when the same is told again.
    if (legal === this.legal) return;
    this.legal = legal;
    this.select(null);
  }

  /** The place of a pointer in the board's units. */
  place(event) {
    const frame = this.board.svg.getBoundingClientRect();
    return [((event.clientX - frame.left) / frame.width) * 800, ((event.clientY - frame.top) / frame.height) * 800];
  }

  square(event) {
    const [file, rank] = this.place(event).map(edge => Math.floor(edge / 100));
    if (file < 0 || file > 7 || rank < 0 || rank > 7) return null;
    return this.board.isFlipped ? FILES[7 - file] + (rank + 1) : FILES[file] + (8 - rank);
  }

  movesTo(target) {
    const moves = this.legal.filter(move => move.from === this.selected);
    // The rook's square always means castling. The king's target may be an ordinary move of the king in Chess960.
    const castling = moves.filter(move => move.rook === target);
    const plain = moves.filter(move => move.to === target && !move.rook);
    return [castling, plain, moves.filter(move => move.to === target)].find(list => list.length) || [];
  }

  canMove(square) {
    return this.legal.some(move => move.from === square);
  }

  /** A square is chosen by the keyboard. */
  choose(square) {
    const moves = this.movesTo(square);
    if (moves.length) this.finish(moves);
    else this.select(this.canMove(square) && square !== this.selected ? square : null);
  }

  down(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const square = this.square(event);
    const moves = this.movesTo(square);
    if (moves.length) {
      this.finish(moves);
      return;
    }
    const wasSelected = square === this.selected;
    this.select(this.canMove(square) ? square : null);
    if (!this.selected) return;
    this.board.svg.setPointerCapture(event.pointerId);
    this.drag = { wasSelected, start: this.place(event), isMoving: false };
  }

  move(event) {
    if (!this.drag) return;
    const [x, y] = this.place(event);
    const [x0, y0] = this.drag.start;
    if (!this.drag.isMoving && Math.hypot(x - x0, y - y0) < 20) return;
    if (!this.drag.isMoving) this.lift();
    this.ghost.setAttribute('transform', `translate(${x - 55} ${y - 60})`);
    this.mark(this.square(event));
  }

  up(event) {
    if (!this.drag) return;
    const { wasSelected, isMoving } = this.drag;
    this.release();
    const moves = this.movesTo(this.square(event));
    if (isMoving && moves.length) this.finish(moves);
    else if (isMoving || wasSelected) this.select(null);
  }

  finish(moves) {
    this.select(null);
    this.play(moves);
  }

  lift() {
    this.drag.isMoving = true;
    this.group = this.board.squares.find(square => square.dataset.square === this.selected);
    const piece = this.group.querySelector('use');
    this.ghost.setAttribute('href', piece.getAttribute('href'));
    this.ghost.setAttribute('class', `ghost ${piece.getAttribute('class')}`);
    this.group.classList.add('lifted');
  }

  release() {
    this.drag = null;
    this.ghost.removeAttribute('href');
    if (this.group) this.group.classList.remove('lifted');
    this.mark(null);
  }

  /** Marks the target under the pointer. */
  mark(square) {
    for (const hint of this.hints.children) hint.classList.toggle('under', hint.dataset.target === square);
  }

  select(square) {
    this.release();
    this.selected = square;
    this.draw();
    this.hasSelected();
  }

  /** Where the chosen piece can go. */
  get targets() {
    return [...new Set(this.legal.filter(move => move.from === this.selected).map(move => move.to))];
  }

  /** Draws the selection and its targets where the squares are now. */
  draw() {
    const spot = (name, kind) => {
      const [x, y] = this.board.corner(name);
      const group = svgElement('g', { class: kind, transform: `translate(${x} ${y})`, 'data-target': name });
      group.append(svgElement('rect', { width: 100, height: 100 }));
      if (kind === 'target') group.append(svgElement('circle', { cx: 50, cy: 50, r: 15 }));
      if (kind === 'capture') group.append(svgElement('circle', { cx: 50, cy: 50, r: 43 }));
      return group;
    };
    const occupied = name => this.board.squares.some(square => square.dataset.square === name && square.dataset.piece);
    const spots = this.targets.map(name => spot(name, occupied(name) && name !== this.selected ? 'capture' : 'target'));
    this.hints.replaceChildren(...(this.selected ? [spot(this.selected, 'selected'), ...spots] : []));
  }
}

/** Lets the user choose among promotions, at the pawn's square. Returns the move, or nothing. */
export const choosePromotion = (moves, turn, board) => {
  if (moves.length === 1) return Promise.resolve(moves[0]);
  const dialog = document.getElementById('promotion');
  for (const drawing of dialog.querySelectorAll('svg')) drawing.setAttribute('class', turn === 'white' ? 'w' : 'b');
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(moves.find(move => move.promotion === dialog.returnValue)), {
      once: true,
    });
    dialog.returnValue = '';
    dialog.showModal();
    const square = board.squares.find(place => place.dataset.square === moves[0].to).getBoundingClientRect();
    const height = dialog.offsetHeight;
    dialog.style.left = `${Math.min(square.left, window.innerWidth - dialog.offsetWidth)}px`;
    dialog.style.top = `${Math.max(0, square.top < window.innerHeight / 2 ? square.top : square.bottom - height)}px`;
  });
};

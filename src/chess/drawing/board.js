const FILES = 'abcdefgh';

/** The pieces of a FEN's first field, by the names of their squares. */
const places = placement => {
  const pieces = new Map();
  placement.split('/').forEach((rank, index) => {
    let file = 0;
    for (const letter of rank) {
      if (letter >= '1' && letter <= '8') file += Number(letter);
      else pieces.set(FILES[file++] + (8 - index), letter);
    }
  });
  return pieces;
};

/** A board that the program has drawn as SVG. It can show any position, and it can be turned. */
export class BoardView {
  constructor(svg) {
    this.svg = svg;
    this.squares = [...svg.querySelectorAll('[data-square]')];
    this.isFlipped = false;
  }

  /** Shows the position of a FEN. `marked` has the names of the squares to mark as those of the last move. */
  show(fen, marked = []) {
    const pieces = places(fen.split(' ')[0]);
    for (const square of this.squares) {
      const name = square.dataset.square;
      const piece = pieces.get(name) || '';
      square.dataset.piece = piece;
      square.classList.toggle('last', marked.includes(name));
      const use = square.querySelector('use');
      if (piece) {
        use.setAttribute('href', '#' + piece.toUpperCase());
        use.setAttribute('class', piece === piece.toUpperCase() ? 'w' : 'b');
      } else {
        use.removeAttribute('href');
      }
    }
    this.svg.setAttribute('aria-label', fen);
  }

  /** The upper left corner of a square in the drawing's units; a square is 100 units wide. */
  corner(name) {
    const [x, y] = [FILES.indexOf(name[0]), 8 - Number(name[1])];
    return this.isFlipped ? [100 * (7 - x), 100 * (7 - y)] : [100 * x, 100 * y];
  }

  /** Turns the board. */
  flip() {
    this.isFlipped = this.svg.classList.toggle('is-flipped');
    for (const square of this.squares) {
      square.setAttribute('transform', `translate(${this.corner(square.dataset.square).join(' ')})`);
    }
  }
}

/** The user's own arrows and circles, drawn with the right button. */
import { corners } from './arrows.js';
import { svgElement } from './svg.js';

/** As they stand in PGN: green, red, blue, yellow. */
const colorOf = event => {
  if (event.shiftKey && event.altKey) return 'Y';
  if (event.shiftKey) return 'R';
  return event.altKey ? 'B' : 'G';
};

const isSame = (one, other) => one.from === other.from && one.to === other.to;

export class Shapes {
  /** `squareOf` tells the square of a pointer. `changed` gets the new shapes. */
  constructor(board, squareOf, changed) {
    this.board = board;
    this.shapes = [];
    this.layer = svgElement('g', { class: 'shapes', 'aria-hidden': 'true' });
    board.svg.append(this.layer);
    let from = null;
    board.svg.addEventListener('contextmenu', event => event.preventDefault());
    board.svg.addEventListener('pointerdown', event => {
      from = event.button === 2 ? squareOf(event) : null;
      if (from) board.svg.setPointerCapture(event.pointerId);
    });
    board.svg.addEventListener('pointermove', event => {
      if (from) this.draw(shapeOf(from, squareOf(event), event));
    });
    board.svg.addEventListener('pointerup', event => {
      if (!from || event.button !== 2) return;
      const shape = shapeOf(from, squareOf(event), event);
      from = null;
      if (!shape) return this.draw();
      const known = this.shapes.find(other => isSame(other, shape));
      const others = this.shapes.filter(other => other !== known);
      return changed(known && known.color === shape.color ? others : [...others, shape]);
    });
  }

  show(shapes) {
    this.shapes = shapes;
    this.draw();
  }

  /** Draws the shapes where the squares are now, and perhaps one more. */
  draw(more = null) {
    const middle = name => this.board.corner(name).map(edge => edge + 50);
    const drawings = [...this.shapes, ...(more ? [more] : [])].map(({ color, from, to }) => {
      if (!to) {
        const [cx, cy] = middle(from);
        return svgElement('circle', { class: `own ${color}`, cx, cy, r: 45 });
      }
      return svgElement('polygon', { class: `own ${color}`, points: corners(middle(from), middle(to), 18) });
    });
    this.layer.replaceChildren(...drawings);
  }
}

const shapeOf = (from, to, event) => {
  if (!to) return null;
  const color = colorOf(event);
  return from === to ? { color, from } : { color, from, to };
};

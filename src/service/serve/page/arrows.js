/** Arrows on a board, from the middle of one square to the middle of another. */
import { svgElement } from './svg.js';

const HEAD = 44;

/** The corners of an arrow of this width, in the board's units. */
export const corners = ([x1, y1], [x2, y2], width) => {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.max(0.8 * HEAD, 1.9 * width);
  const at = (along, across) => [x1 + ux * along - uy * across, y1 + uy * along + ux * across];
  const neck = length - head;
  const half = width / 2;
  // The shaft begins off the middle, so that the piece stays visible.
  const points = [
    at(18, -half),
    at(neck, -half),
    at(neck, -head / 2),
    at(length - 4, 0),
    at(neck, head / 2),
    at(neck, half),
    at(18, half),
  ];
  return points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
};

export class Arrows {
  constructor(board) {
    this.board = board;
    this.layer = svgElement('g', { class: 'arrows', 'aria-hidden': 'true' });
    board.svg.append(this.layer);
    this.arrows = [];
  }

  /** Shows arrows: `from` and `to` are squares, `strength` is 0 to 1, `kind` is `best`, `other` or `threat`. */
  show(arrows) {
    this.arrows = arrows;
    this.draw();
  }

  /** Draws the arrows where the squares are now. */
  draw() {
    const middle = name => this.board.corner(name).map(edge => edge + 50);
    const labels = [];
    const drawings = this.arrows.map(({ from, to, strength, kind }, index) => {
      const [[x1, y1], [x2, y2]] = [middle(from), middle(to)];
      const arrow = svgElement('polygon', {
        class: kind,
        points: corners([x1, y1], [x2, y2], 6 + 16 * strength),
        opacity: (0.35 + 0.45 * strength).toFixed(2),
      });
      if (kind !== 'other') return arrow;
      // Where arrows cross, the number of the line tells them apart.
      const label = svgElement('g', {
        class: 'rank',
        transform: `translate(${x1 + 0.62 * (x2 - x1)} ${y1 + 0.62 * (y2 - y1)})`,
      });
      const text = svgElement('text', { y: 7 });
      text.textContent = index + 1;
      label.append(svgElement('circle', { r: 14 }), text);
      labels.push(label);
      return arrow;
    });
    // The best arrow lies above the others, and the numbers above all.
    this.layer.replaceChildren(...drawings.reverse(), ...labels);
  }
}

/**
 * An arrow for each line, weaker if its move is worse for the side to move. The spelled lines know where the king goes
 * that castles; in Chess960 the engine writes that he takes his rook.
 */
export const arrowsOf = (lines, spelled) => {
  const points = ({ wdl: [win, draw] }) => (win + draw / 2) / 1000;
  return lines.map((line, index) => {
    const [uci] = line.pv;
    const [move] = spelled[index] || [];
    const [from, to] = move && move.uci === uci ? move.squares : [uci.slice(0, 2), uci.slice(2, 4)];
    const loss = Math.abs(points(lines[0]) - points(line));
    const strength = index === 0 ? 1 : Math.max(0, 0.75 - 0.12 * index - 4 * loss);
    return { from, to, strength, kind: index === 0 ? 'best' : 'other' };
  });
};

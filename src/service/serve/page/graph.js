/** Draws chances as areas: White's win below, Black's win above, and the draw between them. */
import { svgElement } from './svg.js';

const WIDTH = 1000;
const HEIGHT = 300;

/** `points` have a place `x` from 0 to 1 and chances `wdl`, from left to right. `cursor` is a place to mark. */
export const drawGraph = (svg, points, cursor = null) => {
  const at = (point, share) => `${(WIDTH * point.x).toFixed(1)} ${(HEIGHT * (1 - share(point.wdl) / 1000)).toFixed(1)}`;
  // A single point is shown as if it held everywhere.
  const all =
    points.length === 1
      ? [
          { ...points[0], x: 0 },
          { ...points[0], x: 1 },
        ]
      : points;
  const path = share => all.map(point => at(point, share)).join('L');
  const area = share =>
    `M${(WIDTH * all[0].x).toFixed(1)} ${HEIGHT}L${path(share)}L${(WIDTH * all.at(-1).x).toFixed(1)} ${HEIGHT}z`;
  const parts = [];
  if (all.length) {
    parts.push(svgElement('path', { class: 'lost', d: area(() => 1000) }));
    parts.push(svgElement('path', { class: 'drawn', d: area(([win, draw]) => win + draw) }));
    parts.push(svgElement('path', { class: 'area', d: area(([win]) => win) }));
  }
  parts.push(svgElement('path', { class: 'half', d: `M0 ${HEIGHT / 2}H${WIDTH}` }));
  if (all.length) parts.push(svgElement('path', { class: 'curve', d: `M${path(([win, draw]) => win + draw / 2)}` }));
  if (cursor !== null) {
    const x = (WIDTH * cursor).toFixed(1);
    parts.push(svgElement('line', { class: 'cursor', x1: x, y1: 0, x2: x, y2: HEIGHT }));
  }
  svg.replaceChildren(...parts);
};

/** The chances by depth. */
export const searchPoints = search => {
  const entries = search ? [...search.history].sort(([a], [b]) => a - b) : [];
  const first = entries.length ? entries[0][0] : 0;
  const span = entries.length > 1 ? entries.at(-1)[0] - first : 1;
  return entries.map(([depth, wdl]) => ({ x: (depth - first) / span, wdl }));
};

/** The chances by move, for the positions of a line that have an evaluation. */
export const gamePoints = line =>
  line.flatMap((node, index) => (node.best ? [{ x: index / Math.max(1, line.length - 1), wdl: node.best.wdl }] : []));

/** Draws chances as areas: White's win below, Black's above, the draw between them. What is unknown stays empty. */
import { chancesOf } from './search.js';
import { svgElement } from './svg.js';

const WIDTH = 1000;
const HEIGHT = 300;

/**
 * `points` have a place `x` from 0 to 1 and chances `wdl`, from left to right. A point without chances leaves a gap.
 * `half` is half of the distance between two points: a point with gaps on both sides is as wide as that. `cursor` is a
 * place to mark, and `faults` are places with a kind.
 */
export const drawGraph = (svg, points, { cursor = null, half = 0.5, faults = [] } = {}) => {
  const parts = runsOf(points, half).flatMap(drawRun);
  parts.push(svgElement('path', { class: 'half', d: `M0 ${HEIGHT / 2}H${WIDTH}` }));
  for (const { x, kind } of faults) {
    parts.push(svgElement('path', { class: `fault ${kind}`, d: `M${(WIDTH * x).toFixed(1)} ${HEIGHT}v-45` }));
  }
  if (cursor !== null) {
    const x = (WIDTH * cursor).toFixed(1);
    parts.push(svgElement('line', { class: 'cursor', x1: x, y1: 0, x2: x, y2: HEIGHT }));
  }
  svg.replaceChildren(...parts);
};

/** The stretches of known points. */
const runsOf = (points, half) => {
  const runs = [];
  let run = null;
  for (const point of points) {
    if (!point.wdl) {
      run = null;
    } else if (run) {
      run.push(point);
    } else {
      run = [point];
      runs.push(run);
    }
  }
  return runs.map(known =>
    known.length > 1 ? known : [-half, half].map(by => ({ ...known[0], x: Math.min(1, Math.max(0, known[0].x + by)) })),
  );
};

const drawRun = run => {
  const at = (point, share) => `${(WIDTH * point.x).toFixed(1)} ${(HEIGHT * (1 - share(point.wdl) / 1000)).toFixed(1)}`;
  const path = share => run.map(point => at(point, share)).join('L');
  const area = share =>
    `M${(WIDTH * run[0].x).toFixed(1)} ${HEIGHT}L${path(share)}L${(WIDTH * run.at(-1).x).toFixed(1)} ${HEIGHT}z`;
  return [
    svgElement('path', { class: 'lost', d: area(() => 1000) }),
    svgElement('path', { class: 'drawn', d: area(([win, draw]) => win + draw) }),
    svgElement('path', { class: 'area', d: area(([win]) => win) }),
    svgElement('path', { class: 'curve', d: `M${path(([win, draw]) => win + draw / 2)}` }),
  ];
};

/** The chances by depth. */
export const searchPoints = search => {
  const entries = search ? [...search.history].sort(([a], [b]) => a - b) : [];
  const first = entries.length ? entries[0][0] : 0;
  const span = entries.length > 1 ? entries.at(-1)[0] - first : 1;
  return entries.map(([depth, wdl]) => ({ x: (depth - first) / span, wdl }));
};

const KINDS = { 6: 'inaccuracy', 2: 'mistake', 4: 'blunder' };

/** Draws a line of a game, with a mark at the position that is shown and at each fault. */
export const drawGame = (svg, line, node) => {
  const last = Math.max(1, line.length - 1);
  const points = line.map((place, index) => ({ x: index / last, wdl: place.best ? chancesOf(place.best) : null }));
  const faults = line.flatMap(({ judged }, index) => (judged ? [{ x: index / last, kind: KINDS[judged] }] : []));
  const cursor = line.length > 1 ? line.indexOf(node) / last : null;
  drawGraph(svg, points, { cursor, half: 0.5 / last, faults });
};

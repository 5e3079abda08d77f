/** Shows who is better: the gauge beside the board, the score, and the chances in words. */
import { shownScore } from './search.js';

const element = id => document.getElementById(id);
const percent = permille => `${(permille / 10).toFixed(permille > 0 && permille < 100 ? 1 : 0)}%`;

/** Shows an evaluation; without one, that there is none. */
export const showEvaluation = evaluation => {
  const gauge = element('gauge');
  const [win, draw, loss] = evaluation ? evaluation.wdl : [0, 0, 0];
  const rects = { cb: [0, loss], cd: [loss, draw], cw: [loss + draw, win] };
  for (const [name, [y, height]] of Object.entries(rects)) {
    const rect = gauge.querySelector(`.${name}`);
    rect.setAttribute('y', y);
    rect.setAttribute('height', height);
  }
  const names = { win, draw, loss };
  for (const [name, chance] of Object.entries(names)) element(name).textContent = evaluation ? percent(chance) : '–';
  element('score').textContent = evaluation ? shownScore(evaluation.score) : '–';
  const words = `White wins ${percent(win)}, draw ${percent(draw)}, Black wins ${percent(loss)}`;
  gauge.setAttribute('aria-label', evaluation ? words : 'No evaluation yet');
};

/** Shows who is better: the gauge beside the board, the score, and the chances in words. */
import { chancesOf, shownScore, spokenScore } from './search.js';

const element = id => document.getElementById(id);

/** Permille as whole percentages that add up to 100. */
export const percentages = chances => {
  const whole = chances.map(chance => Math.floor(chance / 10));
  const missing = 100 - whole.reduce((sum, part) => sum + part, 0);
  const byRest = chances.map((chance, index) => [chance % 10, index]).sort(([a], [b]) => b - a);
  for (const [, index] of byRest.slice(0, missing)) whole[index]++;
  return whole;
};

/** Shows an evaluation; without one, that there is none. */
export const showEvaluation = evaluation => {
  const gauge = element('gauge');
  const [win, draw, loss] = evaluation ? chancesOf(evaluation) : [0, 0, 0];
  const rects = { cb: [0, loss], cd: [loss, draw], cw: [loss + draw, win] };
  for (const [name, [y, height]] of Object.entries(rects)) {
    const rect = gauge.querySelector(`.${name}`);
    rect.setAttribute('y', y);
    rect.setAttribute('height', height);
  }
  const shown = evaluation ? percentages([win, draw, loss]) : [];
  // Without chances of a draw, those of a win would say more than is known.
  const hasChances = Boolean(evaluation?.wdl);
  ['win', 'draw', 'loss'].forEach((name, index) => {
    const place = { win: element('win'), draw: element('draw'), loss: element('loss') }[name];
    place.textContent = hasChances ? `${shown[index]}%` : '–';
  });
  element('score').textContent = evaluation ? shownScore(evaluation.score) : '–';
  element('score').title = evaluation ? spokenScore(evaluation.score) : '';
  const words = `White wins ${shown[0]}%, draw ${shown[1]}%, Black wins ${shown[2]}%`;
  gauge.setAttribute('aria-label', evaluation ? words : 'No evaluation yet');
  element('gauge-title').textContent = evaluation
    ? `${words}. White is below, Black above, a draw between them.`
    : 'Chances: White below, Black above, a draw between them';
};

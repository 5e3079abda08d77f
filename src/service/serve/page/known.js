/** Tells what the table of the server knew about the position before anybody searched it here. */
import { shownScore } from './search.js';

const element = id => document.getElementById(id);

/** The line goes when a search has come as far. */
export const showKnown = ({ details, search }) => {
  const known = details?.known;
  const isNews = Boolean(known) && !(search?.best?.depth >= known.depth);
  element('known').hidden = !isNews;
  if (!isNews) return;
  const bound = known.bound === 'exact' ? '' : `${known.bound} `;
  element('known').textContent = `known to depth ${known.depth}: ${bound}${shownScore(known.score)}`;
  element('known').title = known.best ? `Best move: ${known.best.san}` : '';
};

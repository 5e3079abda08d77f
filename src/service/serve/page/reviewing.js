/** The buttons and the progress of `Analyze all`. */
import { attempt, sentence, tell } from './message.js';
import { Review } from './review.js';
import { settings } from './settings.js';

/** The annotator of games that `analyse` has written, if they had none. Evaluations of others have other scales. */
const OWN_REPORTS = 'Enfilade';

const element = id => document.getElementById(id);

export const listenToReview = game => {
  const button = element('review');
  const bar = element('review-progress');
  const review = new Review(game, {
    progress(done, all) {
      button.textContent = 'Cancel';
      bar.hidden = false;
      bar.max = all;
      bar.value = done;
      // Each position is not worth a word of a screen reader; the bar has them.
      element('review-state').textContent = `Analyzing ${all} positions`;
    },
    ended(error, isWhole) {
      button.textContent = 'Analyze all';
      bar.hidden = true;
      element('review-state').textContent = 'Game by move';
      if (error) tell(`The analysis of the game has ended. ${sentence(error.message)}`, { isError: true });
      else if (isWhole) tell('The game is analyzed.');
    },
  });
  button.addEventListener('click', () => {
    if (!review.isRunning) {
      if (game.tree) review.start(Number(settings.effort));
      return;
    }
    review.stop();
    tell('The analysis is cancelled. What was found stays; Analyze all goes on from there.');
  });
  game.on('loaded', () => {
    // Another game has other positions.
    review.stop();
    const { report, isAnalyzed, tags } = game.tree;
    const isOurs = isAnalyzed || tags.get('Annotator')?.startsWith(OWN_REPORTS);
    if (!report && isOurs) attempt(() => review.judgeKnown())();
  });
};

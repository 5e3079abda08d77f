/** The buttons and the progress of `Analyze all`. */
import { sentence, tell } from './message.js';
import { Review } from './review.js';
import { settings } from './settings.js';

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
  // Another game has other positions.
  game.on('loaded', () => review.stop());
};

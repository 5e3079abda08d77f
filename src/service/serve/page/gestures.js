/** A wheel over the board and a swipe across it step through the game. */

/** Wheels of some devices send many small turns. */
const WHEEL_STEP = 60;
const SWIPE_PX = 50;

/** `isFree(event)` tells whether a finger at this place moves no piece. */
export const listenToGestures = (board, isFree, { back, forward }) => {
  let turned = 0;
  board.addEventListener(
    'wheel',
    event => {
      if (event.ctrlKey) return;
      event.preventDefault();
      turned = Math.sign(event.deltaY) === Math.sign(turned) ? turned + event.deltaY : event.deltaY;
      if (Math.abs(turned) < WHEEL_STEP) return;
      if (turned > 0) forward();
      else back();
      turned = 0;
    },
    { passive: false },
  );
  let start = null;
  board.addEventListener('pointerdown', event => {
    start = event.pointerType === 'touch' && isFree(event) ? [event.clientX, event.clientY] : null;
  });
  board.addEventListener('pointerup', event => {
    if (!start) return;
    const [x, y] = [event.clientX - start[0], event.clientY - start[1]];
    start = null;
    if (Math.abs(x) < SWIPE_PX || Math.abs(y) > Math.abs(x)) return;
    if (x < 0) forward();
    else back();
  });
};

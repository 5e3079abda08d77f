/** A short sound for each move, for those who want it. It is made here, so that no file is needed. */
import { settings } from './settings.js';

let context = null;

/** A capture sounds lower than another move, a check higher. */
export const playSound = san => {
  if (!settings.sound || !san) return;
  context ||= new AudioContext();
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.type = 'triangle';
  tone.frequency.value = /[+#]$/.test(san) ? 620 : san.includes('x') ? 260 : 400;
  volume.gain.setValueAtTime(0.2, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + 0.09);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + 0.1);
};

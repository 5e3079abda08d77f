/** Asks the server about positions: what can be played, how it is written, and whether the game is over. */
import { token } from './token.js';

/** The server's answer to a question. Throws an error with a message for the user. */
export const ask = async question => {
  let response;
  try {
    response = await fetch('api/position', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token() && { Authorization: `Bearer ${token()}` }) },
      body: JSON.stringify(question),
    });
  } catch {
    throw new Error('The server does not answer.');
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error || `The server refused this (${response.status}).`);
  return answer;
};

/** Asks the server about positions and games: what can be played, how it is written, and how good it was. */
import { token } from './token.js';

/** The server reads no longer question. */
const MOST_BYTES = 256 * 1024;

/** The server's answer to a question about a topic. Throws an error with a message for the user. */
export const ask = async (question, topic = 'position') => {
  const body = JSON.stringify(question);
  const bytes = new TextEncoder().encode(body).length;
  if (bytes > MOST_BYTES) {
    throw new Error(`The text is larger than 256 KiB: it has ${Math.ceil(bytes / 1024)} KiB. Take a part of it.`);
  }
  let response;
  try {
    response = await fetch(`api/${topic}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token() && { Authorization: `Bearer ${token()}` }) },
      body,
    });
  } catch {
    throw new Error('The server does not answer.');
  }
  if (response.status === 413) throw new Error('The text is larger than 256 KiB. Take a part of it.');
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error(answer?.error || `The server refused this (${response.status}).`);
  // The connection may end within an answer.
  if (!answer) throw new Error('The server does not answer.');
  return answer;
};

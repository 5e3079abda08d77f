/**
 * Files with many games. The server reads one game after the other, so a large file is cut into its games here, and
 * only the chosen one goes to the server.
 */

/** The tag with which nearly all programs begin a game. */
const BEGIN = /^\[Event\s+"/gm;
const TAG = /^\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$/;

/** The games of a text, each with its `text` and what names it. */
export const gamesOf = text => {
  const starts = [...text.matchAll(BEGIN)].map(({ index }) => index);
  return starts.map((start, index) => {
    const game = text.slice(start, starts[index + 1]);
    return { text: game, ...titleTags(game) };
  });
};

const titleTags = game => {
  const tags = {};
  for (const line of game.split('\n')) {
    const [, name, value] = TAG.exec(line) || [];
    if (!name) break;
    tags[name.toLowerCase()] = value.replace(/\\(.)/g, '$1');
  }
  const { white = '', black = '', event = '', date = '', result = '' } = tags;
  return { white, black, event, date, result };
};

/** The text of a file. Older programs write Western European letters in one byte; some write UTF-16. */
export const textOfFile = async file => {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = String(bytes.slice(0, 2));
  if (mark === '255,254') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === '254,255') return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

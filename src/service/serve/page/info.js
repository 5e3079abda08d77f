/** Reads the engine's `info` lines. */

const NUMBERS = ['depth', 'seldepth', 'multipv', 'nodes', 'nps', 'hashfull', 'tbhits', 'time'];
const THREADS = /^info string threads depth (\d+) (\d+) (\d+) hits-by-others (\d+)/;

/**
 * The content of a line: its numbers by name, `score`, `wdl` and `pv` where they occur; or `threads`; or `text`. All
 * scores are from White's side; `turn` is the side to move.
 */
export const parseInfo = (line, turn) => {
  const threads = THREADS.exec(line);
  if (threads) {
    const [low, median, high, hits] = threads.slice(1).map(Number);
    return { threads: { low, median, high, hits } };
  }
  if (line.startsWith('info string ')) return { text: line.slice('info string '.length) };
  const words = line.split(/\s+/);
  const info = {};
  const sign = turn === 'white' ? 1 : -1;
  for (let place = 1; place < words.length; place++) {
    const word = words[place];
    if (NUMBERS.includes(word)) {
      info[word] = Number(words[++place]);
    } else if (word === 'score') {
      info.score = { kind: words[place + 1], value: sign * Number(words[place + 2]) };
      // No move is left to the side that is mated, so the sign of this zero is lost.
      if (info.score.kind === 'mate' && words[place + 2] === '0') info.score.winner = -sign;
      place += 2;
    } else if (word === 'wdl') {
      const chances = words.slice(place + 1, place + 4).map(Number);
      info.wdl = turn === 'white' ? chances : chances.reverse();
      place += 3;
    } else if (word === 'lowerbound' || word === 'upperbound') {
      info.isBound = true;
    } else if (word === 'pv') {
      info.pv = words.slice(place + 1);
      break;
    }
  }
  return info;
};

/** Shows the figures of a search: how deep, how many nodes, how fast, and how the threads are spread. */

const element = id => document.getElementById(id);

/** A count with three digits: 12.3 M. */
const short = count => {
  if (count === undefined) return '–';
  const units = ['', ' k', ' M', ' G', ' T'];
  let power = 0;
  while (count >= 1000 && power < units.length - 1) {
    count /= 1000;
    power++;
  }
  return `${count.toFixed(power === 0 || count >= 100 ? 0 : count >= 10 ? 1 : 2)}${units[power]}`;
};

const clock = milliseconds => {
  if (milliseconds === undefined) return '–';
  const seconds = Math.floor(milliseconds / 1000);
  const two = number => String(number).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
};

export const showFigures = search => {
  const { depth, seldepth, nodes, nps, hashfull, time } = search ? search.figures : {};
  const figures = {
    depth: depth ? (seldepth ? `${depth}/${seldepth}` : depth) : '–',
    nodes: short(nodes),
    nps: short(nps),
    hashfull: hashfull === undefined ? '–' : `${(hashfull / 10).toFixed(1)}%`,
    time: clock(time),
  };
  for (const [name, text] of Object.entries(figures)) element(name).textContent = text;
  showThreads(search && search.threads);
};

/** The section keeps its place before the server has told about its threads. Else what is below it would move. */
const showThreads = threads => {
  if (!threads) {
    element('spread').textContent = '–';
    for (const id of ['range', 'median']) element(id).setAttribute('d', '');
    return;
  }
  const { low, median, high, hits } = threads;
  element('spread').textContent = `depth ${low}–${high}, median ${median} · hits by others ${(hits / 10).toFixed(1)}%`;
  // The rail shows the depths up to a little more than the greatest one.
  const place = depth => ((1000 * depth) / (high + 2)).toFixed(1);
  element('range').setAttribute('d', `M${place(low)} 8H${place(high)}`);
  element('median').setAttribute('d', `M${place(median)} 0V16`);
};

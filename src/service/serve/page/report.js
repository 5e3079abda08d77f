/** Shows the report on the game: accuracies, faults, and the way from one fault to the next. */

const element = id => document.getElementById(id);

const cell = (name, text) => {
  const place = document.createElement(name);
  place.textContent = text;
  return place;
};

export const showReport = tree => {
  const { report } = tree;
  element('report').hidden = !report;
  element('next-fault').hidden = !report;
  if (!report) return;
  const rows = report.players.map((player, index) => {
    const row = document.createElement('tr');
    const name = tree.tags.get(index ? 'Black' : 'White') || (index ? 'Black' : 'White');
    const head = cell('th', name);
    head.scope = 'row';
    const accuracy = player.accuracy === null ? '–' : `${player.accuracy.toFixed(0)}%`;
    const loss = player.average_loss === null ? '–' : player.average_loss.toFixed(0);
    row.append(
      head,
      ...[accuracy, player.inaccuracies, player.mistakes, player.blunders, loss].map(text => cell('td', text)),
    );
    return row;
  });
  element('report-rows').replaceChildren(...rows);
};

/** The next position of the line with one of these glyphs, after the one that is shown; after the last, the first. */
export const nextFault = (line, node, nags) => {
  const isFault = place => nags.includes(place.judged) || place.nags.some(nag => nags.includes(nag));
  const start = line.indexOf(node) + 1;
  return [...line.slice(start), ...line.slice(0, start)].find(isFault) || null;
};

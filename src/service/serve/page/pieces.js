/** The set of pieces. The page has the usual one. Another one is loaded when it is chosen. */

const place = document.getElementById('piece-set');
const loaded = { carved: Promise.resolve(place.innerHTML) };
let wanted = 'carved';

const load = async name => {
  const response = await fetch(`page/pieces-${name}.svg`);
  if (!response.ok) throw new Error(`no set of pieces ${name}`);
  return response.text();
};

/** Shows a set on all boards, which refer to its drawings by their names. Until it is there, the last one stays. */
export const showPieces = async name => {
  if (name === wanted) return;
  wanted = name;
  loaded[name] ||= load(name);
  try {
    const drawings = await loaded[name];
    // Meanwhile another one may have been chosen.
    if (name === wanted) place.innerHTML = drawings;
  } catch {
    // The next choice tries again.
    delete loaded[name];
    wanted = '';
  }
};

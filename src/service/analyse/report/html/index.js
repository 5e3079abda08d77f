/* Sorts the tables: a click on a column's head sorts by it, a second click turns the order. */
const value = (row, column) => {
  // A cell may have a line for each side. The first one counts.
  const text = row.cells[column].innerText.split('\n')[0].trim();
  const number = Number.parseFloat(text.replace('–', ''));
  return Number.isNaN(number) || /^[^\d+-]/.test(text) ? text.toLowerCase() : number;
};
const compare = (a, b) => {
  if (typeof a === typeof b) return a < b ? -1 : Number(a > b);
  return typeof a === 'number' ? -1 : 1;
};

for (const table of document.querySelectorAll('.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const isRising = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', isRising ? 'ascending' : 'descending');
      const body = table.tBodies[0];
      const rows = [...body.rows].map(row => [value(row, column), row]);
      rows.sort(([a], [b]) => (isRising ? compare(a, b) : compare(b, a)));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

// Tables are sorted by a click on the head of a column; a second click turns the order round.

// Numbers by size, words by the alphabet; empty cells come last either way.
function compare(a, b, sign) {
  if (!a || !b) return !a - !b;
  const [x, y] = [a, b].map((cell) => parseFloat(cell.replace("<", "0")));
  return sign * (isNaN(x) || isNaN(y) ? a.localeCompare(b) : x - y);
}

// A button in each head but those of columns with values of many units.
function makeSortable(heads, clicked) {
  heads.forEach((head, i) => {
    if ("unsorted" in head.dataset) return;
    const button = document.createElement("button");
    button.textContent = head.textContent;
    button.type = "button";
    button.addEventListener("click", () => clicked(i));
    head.replaceChildren(button);
  });
}

function markSorted(heads, column, sign) {
  heads.forEach((head, i) => {
    if (i === column) head.ariaSort = sign > 0 ? "ascending" : "descending";
    else head.removeAttribute("aria-sort");
  });
}

// Tables without a form, such as leaderboards.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const text = (row, i) => row.cells[i].textContent.trim();
  makeSortable(heads, (i) => {
    const sign = heads[i].ariaSort === "ascending" ? -1 : 1;
    body.append(...[...body.rows].sort((a, b) => compare(text(a, i), text(b, i), sign)));
    markSorted(heads, i, sign);
  });
}

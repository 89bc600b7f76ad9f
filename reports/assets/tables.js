// Filters and sorts the table of a page. What is shown stands in the fragment of the address, as in
// #paper=mahnmf&verdict=refuted&sort=p; any other fragment is the id of a row or a part.
const table = document.querySelector("table.filtered");
const form = document.forms.filter;
const part = form.closest("section");
const heads = [...table.tHead.rows[0].cells];
const names = heads.map((head) => head.textContent.toLowerCase());
const rows = [...table.tBodies[0].rows].map((row) => {
  const cells = [...row.cells].map((cell) => cell.textContent.trim());
  return { row, cells, text: [row.id, ...cells, row.dataset.more].join(" ").toLowerCase() };
});
const choices = [...form.querySelectorAll("select")].map((field) => {
  return { field, column: names.indexOf(field.dataset.column ?? field.name) };
});
let sorting = "";

// The address of a row, where it has a name.
for (const { row } of rows) {
  if (!row.id) continue;
  const link = Object.assign(document.createElement("a"), { href: `#${row.id}`, textContent: "¶" });
  row.cells[0].append(" ", link);
}

for (const { field, column } of choices) {
  if (field.length > 1) continue;
  for (const value of new Set(rows.map((row) => row.cells[column]))) field.add(new Option(value));
}

// A cell is chosen by what it says, without a sign before it, or by what is before a slash or comma.
function chosen(cell, field) {
  const shown = cell.replace(/^[✓◐=✗?–] /, "");
  return !field.value || field.value === ("before" in field.dataset ? shown.split(field.dataset.before)[0] : shown);
}

// A long word is found in its other forms, too: what is occluded, by occlusion.
function stem(word) {
  return word.length > 6 ? word.slice(0, Math.max(5, word.length - 4)) : word;
}

function show() {
  const words = form.text.value.toLowerCase().split(/\s+/).map(stem);
  let shown = 0;
  for (const { row, cells, text } of rows) {
    row.hidden =
      !words.every((word) => text.includes(word)) ||
      choices.some(({ field, column }) => !chosen(cells[column], field));
    shown += !row.hidden;
  }
  form.querySelector("output").textContent = `${shown} of ${rows.length} ${part.id}`;
  const column = names.indexOf(sorting.replace("-", ""));
  const sign = sorting.startsWith("-") ? -1 : 1;
  markSorted(heads, column, sign);
  const sorted = column < 0 ? rows : [...rows].sort((a, b) => compare(a.cells[column], b.cells[column], sign));
  table.tBodies[0].append(...sorted.map(({ row }) => row));
}

function write() {
  const state = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  if (sorting) state.set("sort", sorting);
  history.replaceState(null, "", `#${state.toString() || part.id}`);
  show();
}

function read() {
  const fragment = location.hash.slice(1);
  const target = document.getElementById(decodeURIComponent(fragment));
  if (target && !target.hidden) return;
  const state = new URLSearchParams(target ? "" : fragment);
  for (const field of form.elements) if (field.name) field.value = state.get(field.name) ?? "";
  sorting = state.get("sort") ?? "";
  show();
  if (fragment) (target ?? part).scrollIntoView();
}

makeSortable(heads, (i) => {
  sorting = sorting === names[i] ? `-${names[i]}` : names[i];
  write();
});
form.addEventListener("input", write);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(() => { sorting = ""; write(); }));
addEventListener("hashchange", read);
form.hidden = false;
show();
read();

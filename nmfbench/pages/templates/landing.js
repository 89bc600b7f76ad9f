// Filters and sorts the table of claims. What is shown stands in the fragment of the address, as in
// #paper=mahnmf&verdict=refuted&sort=p; any other fragment is the id of a claim or a part.

const table = document.querySelector("table.claims");
const form = document.querySelector("#claims form");
const heads = [...table.tHead.rows[0].cells];
const names = heads.map((head) => head.textContent.toLowerCase());
const claims = [...table.tBodies[0].rows].map((row) => {
  const cells = [...row.cells].map((cell) => cell.textContent.trim());
  const [statement, artefact, by, verdict] = cells;
  const facts = { by, artefact, paper: artefact.split("/")[0], data: cells.at(-1), verdict: verdict.slice(2) };
  return { row, cells, facts, text: `${row.id} ${statement} ${cells[4]}`.toLowerCase() };
});
let sorting = "";

for (const name of ["paper", "artefact"]) {
  for (const value of new Set(claims.map((claim) => claim.facts[name]))) form[name].add(new Option(value));
}

function show() {
  const words = form.text.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const { row, facts, text } of claims) {
    row.hidden =
      !words.every((word) => text.includes(word)) ||
      Object.keys(facts).some((name) => form[name].value && form[name].value !== facts[name]);
    shown += !row.hidden;
  }
  form.querySelector("output").textContent = `${shown} of ${claims.length} claims`;
  const column = names.indexOf(sorting.replace("-", ""));
  const sign = sorting.startsWith("-") ? -1 : 1;
  heads.forEach((head, i) => {
    if (i === column) head.ariaSort = sign > 0 ? "ascending" : "descending";
    else head.removeAttribute("aria-sort");
  });
  const sorted = column < 0 ? claims : [...claims].sort((a, b) => compare(a.cells[column], b.cells[column], sign));
  table.tBodies[0].append(...sorted.map((claim) => claim.row));
}

// Numbers by size, words by the alphabet; empty cells come last either way.
function compare(a, b, sign) {
  if (!a || !b) return !a - !b;
  const [x, y] = [a, b].map((cell) => parseFloat(cell.replace("<", "0")));
  return sign * (isNaN(x) || isNaN(y) ? a.localeCompare(b) : x - y);
}

function write() {
  const state = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  if (sorting) state.set("sort", sorting);
  history.replaceState(null, "", `#${state.toString() || "claims"}`);
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
  if (fragment) (target ?? document.getElementById("claims")).scrollIntoView();
}

heads.forEach((head, i) => {
  const button = document.createElement("button");
  button.textContent = head.textContent;
  button.type = "button";
  button.addEventListener("click", () => {
    sorting = sorting === names[i] ? `-${names[i]}` : names[i];
    write();
  });
  head.replaceChildren(button);
});
form.addEventListener("input", write);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(() => { sorting = ""; write(); }));
addEventListener("hashchange", read);
form.hidden = false;
show();
read();

// Variables by name, text or unit, while one types.  A word that is a unit of the page means that unit; any other must be
// in name or text.  Groups with matches open, and are as they were when the field is empty again.  On paper all are open.
const field = document.querySelector("#search input");
const found = document.querySelector("#found");
const groups = Array.from(document.querySelectorAll("#variables details"));
const rows = groups.flatMap((group) => {
  const titles = Array.from(group.querySelectorAll("th"), (cell) => cell.textContent);
  return Array.from(group.querySelectorAll("tbody tr"), (row) => {
    const cells = Array.from(row.cells);
    const unit = cells[titles.indexOf("Unit")];
    return {
      row,
      group,
      text: `${cells[0].textContent} ${cells[cells.length - 1].textContent}`.toLowerCase(),
      units: unit ? Array.from(unit.childNodes, (node) => node.textContent.replaceAll(" ", ".")) : [],
    };
  });
});
const units = new Set(rows.flatMap((own) => own.units));
let before = null;

function fits(own, word) {
  const unit = word.replaceAll("*", ".");
  return units.has(unit) ? own.units.includes(unit) : own.text.includes(word.toLowerCase());
}

function search() {
  const words = field.value.split(/\s+/).filter(Boolean);
  if (words.length > 0 ? before === null : before !== null) {
    const opened = groups.map((group) => group.open);
    if (before !== null) groups.forEach((group, k) => { group.open = before[k]; });
    before = before === null ? opened : null;
  }
  for (const own of rows) own.row.hidden = !words.every((word) => fits(own, word));
  let count = 0;
  for (const group of groups) {
    const shown = rows.filter((own) => own.group === group ? !own.row.hidden : false).length;
    group.hidden = shown === 0;
    if (words.length > 0) group.open = shown > 0;
    count += shown;
  }
  found.textContent = words.length > 0 ? `${count} of ${rows.length} variables` : "";
}

field.addEventListener("input", search);
field.addEventListener("keydown", (e) => {
  if (e.key !== "Escape") return;
  field.value = "";
  search();
});
addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.target.matches("input, select, textarea")) return;
  e.preventDefault();
  field.focus();
});
let onScreen = [];
addEventListener("beforeprint", () => {
  onScreen = groups.map((group) => group.open);
  for (const group of groups) group.open = true;
});
addEventListener("afterprint", () => groups.forEach((group, k) => { group.open = onScreen[k]; }));
document.getElementById("search").hidden = false;

// Draws the report from the data beside it. Texts from models enter the page as text nodes only. First part:
// elements, numbers, metrics and their colours, tables.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const { maps, metrics, graph } = data;

// ---- Elements and texts ----

/** An element with attributes (functions become listeners) and children (strings become text). */
function element(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}
function shape(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
function furnish(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== "") made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Four significant digits; an infinite ratio (no error) is "∞", what is not defined a dash. */
function number(value) {
  if (value === null || value === undefined) return "–";
  if (value === "inf") return "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}
const percent = (share) => (share === null || share === undefined ? "–" : number(100 * share) + " %");
const grouped = (value) => value.toLocaleString("en-US");

function list(pairs) {
  const made = element("dl");
  for (const [what, value] of pairs) {
    if (value === null || value === undefined || value === "") continue;
    made.append(element("dt", {}, what), element("dd", {}, value));
  }
  return made;
}
function link(map, text) {
  if (map === null || map === undefined) return element("span", {}, text);
  return element("button", { type: "button", class: "link", click: () => select(map, true) }, text);
}

// ---- Metrics and colours ----

const metricAt = (name) => metrics.findIndex((metric) => metric.name === name);
const mainMetric = Math.max(0, metricAt("mse"));
/** For sorting: larger is worse, undefined is least. */
function badness(value, higher) {
  if (value === null || value === undefined) return -Infinity;
  if (value === "inf") return higher ? -Number.MAX_VALUE : Number.MAX_VALUE;
  return higher ? -value : value;
}
function worstMap(indices, metric) {
  let worst = null;
  for (const index of indices) {
    const value = badness(maps[index].metrics[metric], metrics[metric].higher);
    if (worst === null || value > badness(maps[worst].metrics[metric], metrics[metric].higher)) worst = index;
  }
  return worst;
}
const kNone = { color: "#d9d9d9", text: "#000000" };
function binOf(metric, value) {
  const bins = metrics[metric].bins;
  if (value === null || value === undefined) return kNone;
  if (value === "inf") return metrics[metric].higher ? bins[bins.length - 1] : bins[0];
  return bins.find((bin) => bin.begin <= value && value < bin.end) || kNone;
}

const mapsOfNode = graph.nodes.map(() => []);
maps.forEach((map, index) => {
  if (map.node !== null) mapsOfNode[map.node].push(index);
});

// ---- Tables ----

const rowsOfMap = new Map(); // map index → rows of all tables that speak of it
/** Columns: {label, value(row), show(row), number, descending, name, bar}. Rows have `map`, an index into maps, or null. */
function table(section, caption, columns, rows, sorted, filterLabel) {
  const body = element("tbody");
  const heads = columns.map((column, index) =>
    element("th", { scope: "col", class: column.number ? "number" : "" },
      element("button", { type: "button", title: column.title, click: () => sort(index) }, column.label)));
  const entries = rows.map((row) => ({ row, line: line(row, columns), text: searchable(row, columns) }));
  let current = { index: -1, descending: false };

  function sort(index, descending) {
    const column = columns[index];
    const first = column.descending === true;
    current = { index, descending: descending ?? (current.index === index ? !current.descending : first) };
    const sign = current.descending ? -1 : 1;
    entries.sort((a, b) => sign * order(column.value(a.row), column.value(b.row), sign));
    body.replaceChildren(...entries.map((entry) => entry.line));
    heads.forEach((head, at) => {
      if (at === index) head.setAttribute("aria-sort", current.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    rove(body);
  }
  const count = element("output", { class: "soft" });
  const filter = element("input", { type: "search", placeholder: "filter", "aria-label": filterLabel, input: () => {
    const wanted = filter.value.toLowerCase();
    let shown = 0;
    for (const entry of entries) {
      entry.line.hidden = !entry.text.includes(wanted);
      if (!entry.line.hidden) ++shown;
    }
    count.textContent = shown + " of " + entries.length;
    rove(body);
  } });
  count.textContent = entries.length + " rows";
  body.addEventListener("keydown", (event) => walk(event, body));
  section.append(element("div", { class: "tools" }, filter, count, caption ? element("span", { class: "soft" }, caption) : null),
    element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body)));
  sort(sorted, columns[sorted].descending === true);
}
/** Undefined values stay at the end in either direction. */
function order(a, b, sign) {
  const none = (value) => value === null || value === undefined || value === "";
  if (none(a) || none(b)) return sign * (Number(none(a)) - Number(none(b)));
  const finite = (value) => (value === "inf" ? Infinity : value);
  if (typeof a === "string" && a !== "inf") return a.localeCompare(b, "en", { numeric: true });
  return finite(a) === finite(b) ? 0 : finite(a) < finite(b) ? -1 : 1;
}
function line(row, columns) {
  const made = element("tr", { tabindex: "-1", click: () => select(row.map, true) });
  for (const column of columns) {
    const text = column.show ? column.show(row) : column.number ? number(column.value(row)) : String(column.value(row) ?? "");
    const cell = element("td", { class: column.number ? "number" : column.name ? "name" : "" }, text);
    if (column.name) cell.title = text;
    if (column.bar) {
      cell.classList.add("bar");
      cell.style.setProperty("--share", (100 * column.bar(row)).toFixed(2) + "%");
    }
    made.append(cell);
  }
  if (row.map !== null && row.map !== undefined) {
    if (!rowsOfMap.has(row.map)) rowsOfMap.set(row.map, []);
    rowsOfMap.get(row.map).push(made);
    made.dataset.map = row.map;
  }
  return made;
}
const searchable = (row, columns) => columns.filter((column) => !column.number).map((column) => String(column.value(row) ?? "")).join("\n").toLowerCase();

/** One row of a table is reached with Tab, the others with the arrows. */
function rove(body) {
  const rows = [...body.rows];
  rows.forEach((row) => (row.tabIndex = -1));
  const first = rows.find((row) => !row.hidden && row.classList.contains("selected")) || rows.find((row) => !row.hidden);
  if (first) first.tabIndex = 0;
}
function walk(event, body) {
  const row = event.target.closest("tr");
  if (!row) return;
  if (event.key === "Enter") return row.click();
  const rows = [...body.rows].filter((each) => !each.hidden);
  const at = rows.indexOf(row);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next === undefined || !rows[next]) return;
  event.preventDefault();
  row.tabIndex = -1;
  rows[next].tabIndex = 0;
  rows[next].focus();
}

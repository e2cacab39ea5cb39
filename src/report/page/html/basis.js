// Draws the report from the data beside it, with d3. Texts from models enter the page as text nodes only. First part: elements, numbers,
// metrics and their colours.
"use strict";

/** One, or one per signature. */
const reports = [JSON.parse(document.getElementById("data").textContent)].flat();
const signatureOf = (report) => report.models.reference.signature ?? "";
/** The one that an address names, else the first. */
function reportOfAddress() {
  const named = /[#&]signature=([^&]*)/.exec(location.hash)?.[1];
  return reports.find((report) => encodeURIComponent(signatureOf(report)) === named) ?? reports[0];
}
const data = reportOfAddress();
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
const plural = (count, thing) => grouped(count) + " " + thing + (count === 1 ? "" : "s");
/** Long names keep the end, which says most. */
function shortened(text, most) {
  const letters = [...text];
  if (letters.length <= most) return text;
  const head = Math.floor((most - 1) / 3);
  return letters.slice(0, head).join("") + "…" + letters.slice(letters.length - (most - 1 - head)).join("");
}

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

/** A command, or whatever else is worth copying, with a button that does it. */
function copyable(text, label) {
  const code = element("code", {}, text), said = element("span", { class: "soft", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // not every browser lets a file on disk do that
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    said.textContent = "copied";
    setTimeout(() => (said.textContent = ""), 1500);
  };
  return element("span", { class: "copyable" }, code, element("button", { type: "button", "aria-label": "Copy " + label, click: copy }, "Copy"), said);
}

/** A text beside the pointer. */
function showTip(event, lines) {
  const tip = byId("tip");
  tip.replaceChildren(...lines.map((text, at) => element(at === 0 ? "b" : "div", {}, text)));
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = Math.max(4, event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + "px";
}
let room = 0; // measured once: asking again for every table and chart would lay the page out as often
/** Width of the page's frame. */
const pageRoom = () => (room ||= document.querySelector("main").clientWidth - 42);
addEventListener("resize", () => (room = 0));
const hideTip = () => (byId("tip").hidden = true);

// ---- Metrics and colours ----

const metricAt = (name) => metrics.findIndex((metric) => metric.name === name);
const mainMetric = Math.max(0, metricAt("sqnr"));
/** The short name where there is one, else the full one. */
const nameOfMap = (map) => maps[map].display ?? maps[map].name;
/** The column of names: of the row's map, where it has one; the whole name under the pointer. */
const kNames = { label: "Name", name: true, value: (row) => (row.map === null ? row.name : nameOfMap(row.map)), hover: (row) => (row.map === null ? row.name : maps[row.map].name) };
/** For sorting: larger is worse, undefined is least. */
function badness(value, higher) {
  if (value === null || value === undefined) return -Infinity;
  if (value === "inf") return higher ? -Number.MAX_VALUE : Number.MAX_VALUE;
  return higher ? -value : value;
}
function worstMap(indices, metric) {
  let worst = null;
  for (const index of indices) {
    const value = badness(maps[index].metrics[metric], metrics[metric]?.higher);
    if (worst === null || value > badness(maps[worst].metrics[metric], metrics[metric]?.higher)) worst = index;
  }
  return worst;
}

let palette = "original";
const kNone = { color: "#d9d9d9", text: "#000000" };
/** A colour of the palette: `rank` from 0 (best) to `most` (worst). Cividis reads the same to most who see few colours, and in grey. */
function safeColor(rank, most) {
  const color = d3.color(d3.interpolateCividis(1 - rank / Math.max(1, most))).hex();
  return { color, text: d3.lab(color).l > 55 ? "#000000" : "#ffffff" };
}
function colorsOf(metric) {
  const { bins, higher } = metrics[metric];
  const last = bins.length - 1;
  return palette === "original" ? bins : bins.map((bin, at) => ({ begin: bin.begin, end: bin.end, ...safeColor(higher ? last - at : at, last) }));
}
/** The colour of a value, of the colours given. */
function colorIn(colors, metric, value) {
  if (value === null || value === undefined) return kNone;
  if (value === "inf") return metrics[metric].higher ? colors[colors.length - 1] : colors[0];
  const near = (edge) => Math.abs(value - edge) <= 1e-5 * Math.abs(edge); // values have been shortened, the edges have not
  return colors.find((bin) => bin.begin <= value && value < bin.end) ?? colors.find((bin) => near(bin.begin) || near(bin.end)) ?? kNone;
}

/** The maps that each node of a graph makes; `side`: "node" or "twin", the field of a map that names its node in the reference or in its twin. */
function mapsByNode(nodes, side) {
  const made = nodes.map(() => []);
  maps.forEach((map, index) => {
    if (map[side] !== null && map[side] !== undefined) made[map[side]].push(index);
  });
  return made;
}
const mapsOfNode = mapsByNode(graph.nodes, "node");

/** What is selected: a map, the node that makes it in either model, or a group {view, index} of a picture. */
const selection = { map: null, node: null, twin: null, group: null };

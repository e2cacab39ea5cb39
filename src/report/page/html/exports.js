// Thirteenth part: what is chosen as an address, pictures and tables as files.

// ---- The address ----

/** The hash names what is chosen, so that a link to it can be sent on; links to sections keep theirs. */
function remember() {
  const parts = data === reports[0] ? [] : [["signature", signatureOf(data)]];
  if (selection.map !== null) parts.push(["map", maps[selection.map].name]);
  if (byId("metric").value !== String(mainMetric) && metrics.length > 0) parts.push(["metric", metrics[Number(byId("metric").value)].name]);
  if (byId("view").value !== "reference") parts.push(["view", byId("view").value]);
  const hash = parts.map(([name, value]) => name + "=" + encodeURIComponent(value)).join("&");
  if (hash === "" && !location.hash.includes("=")) return;
  try {
    history.replaceState(null, "", "#" + hash);
  } catch { // some browsers allow no addresses of their own to a file on disk
  }
}
function recall() {
  if (location.hash.includes("=") && reportOfAddress() !== data) return location.reload();
  if (!location.hash.includes("=")) return;
  const wanted = Object.fromEntries(location.hash.slice(1).split("&").map((part) => part.split("=").map(decoded)));
  const metric = metricAt(wanted.metric);
  if (metric >= 0) byId("metric").value = metric;
  if ([...byId("view").options].some(({ value }) => value === wanted.view)) byId("view").value = wanted.view;
  arrangeStages();
  const map = maps.findIndex(({ name }) => name === wanted.map);
  if (map >= 0) select(map, true);
}
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// ---- Files ----

function download(name, type, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const anchor = element("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
/** All columns. A text that a spreadsheet would take for a formula begins with an apostrophe. */
function csvOf(columns, rows) {
  const cell = (value) => {
    if (typeof value === "number") return String(value);
    const text = String(value ?? ""), safe = /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
    return /[",\n\r]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  return [columns.map((column) => cell(column.label)), ...rows.map((row) => columns.map((column) => cell(column.value(row))))].map((line) => line.join(",") + "\r\n").join("");
}

const kCopied = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "font", "text-anchor", "font-weight"];
/** The whole picture as an SVG that stands alone: every element has the style that it has in the page. */
function svgOf(view) {
  view.print(true);
  const copy = view.svg.cloneNode(true), own = [...view.svg.querySelectorAll("*")];
  [...copy.querySelectorAll("*")].forEach((made, at) => {
    const style = getComputedStyle(own[at]);
    if (made.tagName !== "g" && made.tagName !== "title") for (const name of kCopied) made.style.setProperty(name, style.getPropertyValue(name));
    if (style.display === "none") made.remove();
  });
  view.print(false);
  const { width, height } = view.scene, back = getComputedStyle(document.body).backgroundColor;
  copy.prepend(shape("rect", { x: -4, y: -4, width: width + 8, height: height + 8, fill: back }));
  for (const name of ["id", "tabindex", "role", "class", "style"]) copy.removeAttribute(name);
  for (const [name, value] of [["xmlns", "http://www.w3.org/2000/svg"], ["width", width + 8], ["height", height + 8]]) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}
const kMostPixels = 16000; // along an edge: browsers have no larger canvas
async function pngOf(view) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svgOf(view));
  await image.decode();
  const scale = Math.min(2, kMostPixels / Math.max(image.width, image.height));
  const canvas = element("canvas", { width: Math.ceil(image.width * scale), height: Math.ceil(image.height * scale) });
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
function listenToExports() {
  const shown = () => views.filter((view) => !view.stage.hidden);
  const name = (view, end) => `graph-${view.side === "node" ? "reference" : "quantized"}.${end}`;
  byId("save-svg").addEventListener("click", () => shown().forEach((view) => download(name(view, "svg"), "image/svg+xml", svgOf(view))));
  byId("save-png").addEventListener("click", () => shown().forEach(async (view) => download(name(view, "png"), "image/png", await pngOf(view))));
}

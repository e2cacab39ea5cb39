// Fifth part: the picture of the graph, how it is moved, its small map, and the search in it.

const picture = d3.select(byId("picture"));
const world = picture.append("g").attr("class", "world");
const layers = Object.fromEntries(["frames", "edges", "near", "boxes"].map((name) => [name, world.append("g").attr("class", name)]));
layers.edges.append("path").attr("class", "edge");
layers.near.append("path").attr("class", "edge near");
const kFar = 0.42;   // below this scale texts cannot be read, and are left out
const kMany = 300;   // pictures of more boxes hold only those in sight
const kCentred = 0.9; // scale at which a node is shown

let scene = { boxes: [], frames: [], arrows: [], at: new Map(), width: 0, height: 0 };
let drawnArea = null; // what part of the world has its elements now
const hits = new Set();
let fills = new Map(); // member → colour

let measured = null; // asking again in every frame would lay the page out in every frame
const size = () => (measured ??= byId("picture").getBoundingClientRect());
new ResizeObserver(() => (measured = null)).observe(byId("picture"));
const zoomer = d3.zoom().scaleExtent([0.02, 4]).clickDistance(4)
  .wheelDelta(() => -d3.event.deltaY * (d3.event.deltaMode === 1 ? 0.05 : d3.event.deltaMode ? 1 : 0.0022))
  .on("start", () => picture.classed("moving", true))
  .on("end", () => picture.classed("moving", false))
  .on("zoom", moved);
const view = () => d3.zoomTransform(byId("picture"));

function moved() {
  const { x, y, k } = view();
  world.attr("transform", `translate(${x} ${y}) scale(${k})`);
  picture.classed("far", k < kFar);
  if (!drawnArea || !within(inSight(0), drawnArea)) {
    drawnArea = null;
    draw();
  }
  drawFrameOfSight();
}
/** The part of the world that is in the window, and `spare` windows more on every side. */
function inSight(spare) {
  const { x, y, k } = view(), { width, height } = size();
  return [(-x - spare * width) / k, (-y - spare * height) / k, (width * (1 + spare) - x) / k, (height * (1 + spare) - y) / k];
}
const within = (inner, outer) => inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3];
const touch = (box, area) => box[0] <= area[2] && box[2] >= area[0] && box[1] <= area[3] && box[3] >= area[1];
const extent = ({ x, y, width, height }) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];

/** Lays the graph out again, after groups opened or closed; `anchor`: a member that stays where it is in the window. */
function rearrange(anchor) {
  const before = anchor === undefined ? null : scene.at.get(anchor);
  scene = arrange();
  colour();
  drawnArea = null;
  const after = anchor === undefined ? null : scene.at.get(anchor);
  if (before && after) {
    const { x, y, k } = view();
    const shift = (what) => (what.y - what.height / 2) * k;
    picture.call(zoomer.transform, d3.zoomIdentity.translate(x + (before.x - after.x) * k, y + shift(before) - shift(after)).scale(k));
  }
  draw(true);
  drawMinimap();
}
/** Makes the elements of what is in sight; `again`: those that there are have another place or colour, too. */
function draw(again = false) {
  const many = scene.boxes.length > kMany && drawnArea?.[0] !== -Infinity;
  drawnArea = many ? inSight(0.7) : [-Infinity, -Infinity, Infinity, Infinity];
  const seen = many ? scene.boxes.filter((box) => touch(extent(box), drawnArea)) : scene.boxes;
  const boxes = layers.boxes.selectAll(".node").data(seen, (box) => box.member).join((enter) => makeBox(enter).each(dress));
  if (again) boxes.each(dress);
  layers.frames.selectAll(".frame").data(scene.frames.filter((frame) => touch(extent(frame), drawnArea)), (frame) => frame.member).join(makeFrame)
    .attr("transform", ({ x, y, width, height }) => `translate(${x - width / 2} ${y - height / 2})`)
    .call((all) => all.select(".ground").attr("width", ({ width }) => width).attr("height", ({ height }) => height));
  layers.edges.select("path").attr("d", scene.arrows.filter((each) => touch(each.box, drawnArea)).map((each) => each.d).join(""));
  highlight();
}
function makeBox(enter) {
  const made = enter.append("g").attr("class", (box) => (isGroup(box.member) ? "node group" : "node")).attr("data-member", (box) => box.member);
  made.filter((box) => isGroup(box.member)).append("rect").attr("class", "behind");
  made.append("title").text((box) => titleOf(box.member));
  made.append("rect").attr("class", "face");
  made.append("text").attr("class", "op").attr("y", -2).text(({ member }) => (isGroup(member) ? "▸ " + groups[groupAt(member)].label : graph.nodes[member][0]));
  made.append("text").attr("y", 11).text(({ member }) => (isGroup(member) ? groupFacts(groupAt(member)) : shortened(graph.nodes[member][1], 26)));
  return made;
}
function dress(box) {
  const drawn = d3.select(this).attr("transform", `translate(${box.x} ${box.y})`);
  const { color, text } = fills.get(box.member) ?? kNone;
  drawn.select(".behind").attr("x", -box.width / 2 + 4).attr("y", -box.height / 2 + 4).attr("width", box.width).attr("height", box.height);
  drawn.select(".face").attr("x", -box.width / 2).attr("y", -box.height / 2).attr("width", box.width).attr("height", box.height).attr("fill", color);
  drawn.selectAll("text").attr("fill", text);
}
function makeFrame(enter) {
  const made = enter.append("g").attr("class", "frame").attr("data-member", (frame) => frame.member);
  made.append("rect").attr("class", "ground");
  made.append("rect").attr("class", "head").attr("width", ({ member }) => 16 + 7.2 * headOf(member).length).attr("height", kHeader);
  made.append("text").attr("x", 8).attr("y", 15).text(({ member }) => headOf(member));
  return made;
}
const headOf = (member) => "▾ " + groups[groupAt(member)].label;
const titleOf = (member) => (isGroup(member) ? groups[groupAt(member)].label + ": " + groupFacts(groupAt(member)) + " (click to open)" : graph.nodes[member][0] + " " + graph.nodes[member][1]);
function alike(group) {
  const { pattern } = groups[group];
  return pattern < 0 ? [] : groups.map((_, index) => index).filter((index) => groups[index].pattern === pattern);
}
function groupFacts(group) {
  const same = alike(group).length;
  return plural(groups[group].leaves, "node") + (same > 1 ? ` · 1 of ${same} alike` : "");
}

// ---- Colours ----

/** Colours of everything by a metric: of a node its worst map, of a closed group the worst inside. */
function colour() {
  fills = new Map();
  const metric = Number(byId("metric").value);
  if (!metrics[metric]) return;
  const colors = colorsOf(metric);
  for (const { member } of scene.boxes) {
    const inside = isGroup(member) ? nodesIn(groupAt(member)).flatMap((node) => mapsOfNode[node]) : mapsOfNode[member];
    const worst = worstMap(inside, metric);
    fills.set(member, worst === null ? kNone : colorIn(colors, metric, maps[worst].metrics[metric]));
  }
}
function paint() {
  colour();
  layers.boxes.selectAll(".node").each(dress);
  drawMinimap();
  const metric = Number(byId("metric").value);
  if (!metrics[metric]) return;
  const { label, formula, higher } = metrics[metric];
  const colors = colorsOf(metric), shown = higher ? [...colors].reverse() : colors;
  const patch = ({ color, text }, words) => {
    const made = element("span", {}, words);
    made.style.background = color;
    made.style.color = text;
    return made;
  };
  byId("legend").replaceChildren(element("span", { class: "title" }, label + " (best to worst): "),
    ...shown.map((bin) => patch(bin, number(bin.begin) + " ~ " + number(bin.end))), patch(kNone, "none"),
    element("span", { class: "formula" }, (formula ? label + " = " + formula + ". " : "") + "A closed group has the colour of the worst node in it."));
}

// ---- What is selected, and what is near it ----

function highlight() {
  const { member } = selection;
  layers.boxes.selectAll(".node").classed("selected", (box) => box.member === member)
    .classed("hit", (box) => hits.has(box.member));
  layers.frames.selectAll(".frame").classed("selected", (frame) => frame.member === member);
  layers.near.select("path").attr("d", member === null ? "" : scene.arrows.filter(({ from, to }) => from === member || to === member).map(({ d }) => d).join(""));
}
function centre(member) {
  const box = scene.at.get(member);
  if (!box) return;
  const { width, height } = size();
  const k = view().k < 0.6 ? kCentred : view().k;
  picture.call(zoomer.transform, d3.zoomIdentity.translate(width / 2 - box.x * k, height / 2 - (isGroup(member) ? box.y - box.height / 2 + 60 : box.y) * k).scale(k));
}
function toggle(group, open = !opened[group]) {
  if (group <= 0 || opened[group] === open) return;
  opened[group] = open;
  rearrange(-1 - group);
}
function toggleAll(open) {
  groups.forEach((_, group) => (opened[group] = group === 0 || open));
  rearrange();
  if (selection.node !== null) {
    selection.member = standIn(selection.node);
    highlight();
    centre(selection.member);
  } else {
    fit();
  }
}

// ---- Moving ----

function fit() {
  const { width, height } = size();
  const k = Math.max(0.02, Math.min(1.2, (width - 24) / Math.max(1, scene.width), (height - 24) / Math.max(1, scene.height)));
  picture.call(zoomer.transform, d3.zoomIdentity.translate((width - scene.width * k) / 2, Math.max(12, (height - scene.height * k) / 2)).scale(k));
}
/** At first: the whole graph where that can be read, else its top. */
function firstView() {
  fit();
  if (view().k >= 0.5 || scene.boxes.length === 0) return;
  const top = scene.boxes.reduce((best, box) => (box.y < best.y ? box : best));
  picture.call(zoomer.transform, d3.zoomIdentity.translate(size().width / 2 - top.x * 0.8, 40 - top.y * 0.8).scale(0.8));
}
/** The member to go to from the selected one: along an arrow upwards or downwards, else the nearest beside it. */
function neighbour(key) {
  const from = scene.at.get(selection.member);
  if (!from) return null;
  if (key === "ArrowUp" || key === "ArrowDown") {
    const next = scene.arrows.filter((each) => (key === "ArrowUp" ? each.to : each.from) === from.member)
      .map((each) => (key === "ArrowUp" ? each.from : each.to)).filter((member) => scene.at.get(member) && member !== from.member);
    const nearest = d3.scan(next, (a, b) => Math.abs(scene.at.get(a).x - from.x) - Math.abs(scene.at.get(b).x - from.x));
    return nearest === undefined ? null : next[nearest];
  }
  const side = key === "ArrowLeft" ? -1 : 1;
  const beside = scene.boxes.filter((box) => side * (box.x - from.x) > 1 && Math.abs(box.y - from.y) < 3 * graph.height);
  const at = d3.scan(beside, (a, b) => Math.hypot(a.x - from.x, 4 * (a.y - from.y)) - Math.hypot(b.x - from.x, 4 * (b.y - from.y)));
  return at === undefined ? null : beside[at].member;
}
function listenToPicture() {
  picture.call(zoomer).on("dblclick.zoom", null);
  picture.on("click", () => {
    const drawn = d3.event.target.closest(".node, .head, .frame > text");
    if (!drawn || d3.event.defaultPrevented) return;
    const member = Number(drawn.closest("[data-member]").dataset.member);
    if (isGroup(member)) {
      selectGroup(groupAt(member));
      toggle(groupAt(member));
    } else {
      selectNode(member);
    }
  });
  const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const keys = {
    "+": () => picture.call(zoomer.scaleBy, 1.25), "=": () => picture.call(zoomer.scaleBy, 1.25), "-": () => picture.call(zoomer.scaleBy, 0.8), 0: fit,
    e: () => toggleAll(true), c: () => toggleAll(false), Enter: () => selection.member !== null && isGroup(selection.member) && toggle(groupAt(selection.member)),
  };
  picture.on("keydown", () => {
    const event = d3.event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step[event.key]) {
      event.preventDefault();
      const next = event.shiftKey ? null : neighbour(event.key);
      if (next === null) {
        if (event.shiftKey || selection.member === null) picture.call(zoomer.translateBy, ...step[event.key].map((by) => by / view().k));
        return;
      }
      if (isGroup(next)) selectGroup(groupAt(next));
      else selectNode(next);
      centre(next);
    } else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  byId("zoom-in").addEventListener("click", () => picture.call(zoomer.scaleBy, 1.4));
  byId("zoom-out").addEventListener("click", () => picture.call(zoomer.scaleBy, 1 / 1.4));
  byId("zoom-fit").addEventListener("click", fit);
  byId("open-all").addEventListener("click", () => toggleAll(true));
  byId("close-all").addEventListener("click", () => toggleAll(false));
  addEventListener("beforeprint", () => printAll(true));
  addEventListener("afterprint", () => printAll(false));
}
/** Paper shows the whole graph, as large as it fits. */
function printAll(printing) {
  drawnArea = printing ? [-Infinity, -Infinity, Infinity, Infinity] : null;
  draw();
  picture.attr("viewBox", printing ? `-4 -4 ${scene.width + 8} ${scene.height + 8}` : null).classed("far", !printing && view().k < kFar);
  world.attr("transform", printing ? null : `translate(${view().x} ${view().y}) scale(${view().k})`);
}

// ---- The small map ----

const minimap = byId("minimap");
let minimapScale = 0, minimapPicture = null;
function drawMinimap() {
  const most = innerWidth < 800 ? [90, 90] : [150, 150];
  const ratio = devicePixelRatio || 1;
  minimapScale = Math.min(most[0] / Math.max(1, scene.width), most[1] / Math.max(1, scene.height));
  const width = Math.max(16, Math.ceil(scene.width * minimapScale)), height = Math.max(16, Math.ceil(scene.height * minimapScale));
  minimap.width = width * ratio;
  minimap.height = height * ratio;
  minimap.style.width = width + "px";
  minimap.style.height = height + "px";
  minimapPicture = document.createElement("canvas");
  minimapPicture.width = minimap.width;
  minimapPicture.height = minimap.height;
  const pen = minimapPicture.getContext("2d");
  pen.scale(ratio * minimapScale, ratio * minimapScale);
  const least = 1.5 / minimapScale; // no box vanishes
  for (const { member, x, y, width: w, height: h } of scene.boxes) {
    pen.fillStyle = (fills.get(member) ?? kNone).color;
    pen.fillRect(x - w / 2, y - h / 2, Math.max(w, least), Math.max(h, least));
  }
  drawFrameOfSight();
}
function drawFrameOfSight() {
  if (!minimapPicture) return;
  const [left, top, right, bottom] = inSight(0);
  minimap.hidden = left <= 0 && top <= 0 && right >= scene.width && bottom >= scene.height;
  if (minimap.hidden) return;
  const pen = minimap.getContext("2d"), ratio = devicePixelRatio || 1, k = ratio * minimapScale;
  pen.clearRect(0, 0, minimap.width, minimap.height);
  pen.drawImage(minimapPicture, 0, 0);
  pen.lineWidth = 2 * ratio;
  pen.strokeStyle = "#0b5cad";
  pen.strokeRect(Math.max(1, left * k), Math.max(1, top * k), Math.min(minimap.width - 2, (Math.min(right, scene.width) - Math.max(0, left)) * k),
    Math.min(minimap.height - 2, (Math.min(bottom, scene.height) - Math.max(0, top)) * k));
}
function listenToMinimap() {
  const go = (event) => {
    const { left, top } = minimap.getBoundingClientRect(), { k } = view(), { width, height } = size();
    const x = (event.clientX - left) / minimapScale, y = (event.clientY - top) / minimapScale;
    picture.call(zoomer.transform, d3.zoomIdentity.translate(width / 2 - x * k, height / 2 - y * k).scale(k));
  };
  minimap.addEventListener("pointerdown", (event) => {
    minimap.setPointerCapture(event.pointerId);
    go(event);
  });
  minimap.addEventListener("pointermove", (event) => event.buttons > 0 && go(event));
}

// ---- Search ----

function listenToSearch() {
  const search = byId("search");
  let found = [], at = -1;
  const texts = graph.nodes.map(([op, name], index) => [op, name, ...mapsOfNode[index].flatMap((map) => [maps[map].name, maps[map].quantized_name ?? ""])].join("\n").toLowerCase());
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    found = wanted === "" ? [] : texts.map((_, index) => index).filter((index) => texts[index].includes(wanted));
    at = -1;
    showHits();
    byId("hits").textContent = wanted === "" ? "" : plural(found.length, "node");
  });
  function showHits() {
    hits.clear();
    for (const node of found) hits.add(standIn(node));
    highlight();
  }
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || found.length === 0) return;
    at = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length;
    byId("hits").textContent = at + 1 + " of " + found.length;
    selectNode(found[at], true);
    showHits();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
      search.select();
    }
    if (event.key === "Escape") {
      hideTip();
      mark({ map: null, node: null, member: null });
    }
  });
}

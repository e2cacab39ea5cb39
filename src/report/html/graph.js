// Second part: the graph, how it is moved, and the search in it.

// ---- Graph ----

const picture = byId("picture");
const world = shape("g");
const drawnNodes = [], edgesOfNode = graph.nodes.map(() => []);
const view = { x: 0, y: 0, scale: 1 };
const kFar = 0.45; // below this scale texts cannot be read, and are left out

function drawGraph() {
  const edges = shape("g"), nodes = shape("g");
  for (const [from, to, path] of graph.edges) {
    if (path.length < 8) continue;
    let d = `M${path[0]} ${path[1]}C`;
    for (let i = 2; i < path.length; ++i) d += path[i] + " ";
    const drawn = shape("path", { class: "edge", d });
    edges.append(drawn);
    edgesOfNode[from].push(drawn);
    edgesOfNode[to].push(drawn);
  }
  graph.nodes.forEach((node, index) => {
    const [x, y, width, height] = node.box;
    drawnNodes.push(shape("g", { class: "node", transform: `translate(${x} ${y})`, "data-node": index },
      shape("title", {}, node.op + " " + node.name),
      shape("rect", { x: -width / 2, y: -height / 2, width, height }),
      shape("text", { class: "op", y: -2 }, node.op), shape("text", { y: 11 }, node.label)));
  });
  nodes.append(...drawnNodes);
  world.append(edges, nodes);
  picture.append(world);
}
function place() {
  world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  picture.classList.toggle("far", view.scale < kFar);
}
const size = () => picture.getBoundingClientRect();
function fit() {
  const { width, height } = size();
  view.scale = Math.min(1.2, (width - 24) / Math.max(1, graph.width), (height - 24) / Math.max(1, graph.height));
  view.x = (width - graph.width * view.scale) / 2;
  view.y = (height - graph.height * view.scale) / 2;
  place();
}
/** At first: the whole graph where that can be read, else its top. */
function firstView() {
  fit();
  if (view.scale >= 0.5) return;
  const start = graph.nodes.findIndex((node) => node.op === "INPUT");
  const [x, y] = graph.nodes[Math.max(0, start)].box;
  view.scale = 0.8;
  view.x = size().width / 2 - x * view.scale;
  view.y = 40 - y * view.scale;
  place();
}
function zoom(factor, x = size().width / 2, y = size().height / 2) {
  const scale = Math.min(4, Math.max(0.01, view.scale * factor));
  view.x = x - (x - view.x) * (scale / view.scale);
  view.y = y - (y - view.y) * (scale / view.scale);
  view.scale = scale;
  place();
}
function centre(node) {
  const [x, y] = graph.nodes[node].box;
  if (view.scale < 0.6) view.scale = 0.9;
  view.x = size().width / 2 - x * view.scale;
  view.y = size().height / 2 - y * view.scale;
  place();
}
function paint(metric) {
  drawnNodes.forEach((drawn, node) => {
    const worst = worstMap(mapsOfNode[node], metric);
    const bin = worst === null ? kNone : binOf(metric, maps[worst].metrics[metric]);
    drawn.children[1].setAttribute("fill", bin.color);
    for (const text of [drawn.children[2], drawn.children[3]]) text.setAttribute("fill", bin.text);
  });
  const { label, formula, bins, higher } = metrics[metric];
  const shown = higher ? [...bins].reverse() : bins;
  byId("legend").replaceChildren(element("span", { class: "title" }, label + " (best to worst): " ),
    ...shown.map((bin) => element("span", { style: `background:${bin.color};color:${bin.text}` }, number(bin.begin) + " ~ " + number(bin.end))),
    element("span", { style: `background:${kNone.color};color:${kNone.text}` }, "none"), element("span", { class: "formula" }, formula));
}

function listenToPicture() {
  const fingers = new Map();
  let moved = 0;
  picture.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { left, top } = size();
    zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), event.clientX - left, event.clientY - top);
  }, { passive: false });
  picture.addEventListener("pointerdown", (event) => {
    if (fingers.size === 0) moved = 0;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  picture.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const other = [...fingers].find(([id]) => id !== event.pointerId);
    moved += Math.hypot(event.clientX - before[0], event.clientY - before[1]);
    if (moved > 4 && !picture.hasPointerCapture(event.pointerId)) picture.setPointerCapture(event.pointerId);
    if (other) {
      const apart = (x, y) => Math.max(1, Math.hypot(x - other[1][0], y - other[1][1]));
      const { left, top } = size();
      zoom(apart(event.clientX, event.clientY) / apart(...before), other[1][0] - left, other[1][1] - top);
    } else {
      view.x += event.clientX - before[0];
      view.y += event.clientY - before[1];
      place();
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    picture.classList.add("moving");
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    picture.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (fingers.size === 0) picture.classList.remove("moving");
    });
  }
  picture.addEventListener("click", (event) => {
    const drawn = event.target.closest(".node");
    if (drawn && moved <= 4) selectNode(Number(drawn.dataset.node));
  });
  const step = 60;
  const keys = {
    ArrowLeft: () => (view.x += step), ArrowRight: () => (view.x -= step), ArrowUp: () => (view.y += step), ArrowDown: () => (view.y -= step),
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: fit,
  };
  picture.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
    place();
  });
  byId("zoom-in").addEventListener("click", () => zoom(1.4));
  byId("zoom-out").addEventListener("click", () => zoom(1 / 1.4));
  byId("zoom-fit").addEventListener("click", fit);
}

// ---- Search ----

function listenToSearch() {
  const search = byId("search");
  let hits = [], at = -1;
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    hits = wanted === "" ? [] : graph.nodes.map((_, index) => index).filter((index) => {
      const names = mapsOfNode[index].flatMap((map) => [maps[map].name, maps[map].quantized_name || ""]);
      return [graph.nodes[index].op, graph.nodes[index].name, ...names].some((name) => name.toLowerCase().includes(wanted));
    });
    at = -1;
    drawnNodes.forEach((drawn) => drawn.classList.remove("hit"));
    for (const hit of hits) drawnNodes[hit].classList.add("hit");
    byId("hits").textContent = wanted === "" ? "" : hits.length + (hits.length === 1 ? " node" : " nodes");
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || hits.length === 0) return;
    at = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
    byId("hits").textContent = at + 1 + " of " + hits.length;
    selectNode(hits[at]);
    centre(hits[at]);
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
      search.select();
    }
    if (event.key === "Escape") mark(null, null);
  });
}

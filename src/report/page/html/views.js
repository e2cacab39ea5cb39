// Seventh part: both models' pictures in step, their colours, and the search in them.

const views = []; // the reference's, and the quantized model's from when it is first asked for
const mainView = () => views[0];

// ---- Colours ----

const kSame = { color: "#e8ecf1", text: "#1d2329" }, kOther = { color: "#f0b429", text: "#1d2329" }, kAlone = { color: "#ffffff", text: "#1d2329", alone: true };
const differences = () => byId("view").value === "differences";

/** Colours of everything in a picture: of a node its worst map, of a closed group the worst inside; without a partner: dashed. */
function fillsOf(view) {
  const fills = new Map(), metric = Number(byId("metric").value);
  const colors = metrics[metric] ? colorsOf(metric) : [];
  for (const { member } of view.scene.boxes) {
    const nodes = isGroup(member) ? view.layout.nodesIn(groupAt(member)) : [member];
    fills.set(member, differences() ? differenceOf(view, nodes) : errorOf(view, nodes, metric, colors));
  }
  return fills;
}
function errorOf(view, nodes, metric, colors) {
  const worst = worstMap(nodes.flatMap((node) => view.mapsOfNode[node]), metric);
  if (worst !== null) return metrics[metric] ? colorIn(colors, metric, maps[worst].metrics[metric]) : kNone;
  return nodes.length === 1 && lonely(view, nodes[0]) ? { ...kNone, alone: true } : kNone;
}
/** A node that makes no map with a partner; where one model's graph is all there is, nothing says so. */
const lonely = (view, node) => data.quantized_graph !== null && view.mapsOfNode[node].length === 0 && view.graph.nodes[node][0] !== "OUTPUT";
function differenceOf(view, nodes) {
  if (nodes.some((node) => lonely(view, node))) return kAlone;
  return nodes.some((node) => view.mapsOfNode[node].some((map) => maps[map].quantized_op !== undefined)) ? kOther : kSame;
}

function paint() {
  for (const view of views) view.paint();
  const metric = Number(byId("metric").value);
  const patch = ({ color, text, alone }, words) => {
    const made = element("span", { class: alone ? "alone" : "" }, words);
    made.style.background = color;
    made.style.color = text;
    return made;
  };
  if (differences()) {
    return byId("legend").replaceChildren(patch(kSame, "same operator"), patch(kOther, "another operator"), patch(kAlone, "without partner in the other model"),
      element("span", { class: "formula" }, "A closed group shows what is most unlike in it."));
  }
  if (!metrics[metric]) return;
  const { label, formula, higher } = metrics[metric];
  const colors = colorsOf(metric), shown = higher ? [...colors].reverse() : colors;
  byId("legend").replaceChildren(element("span", { class: "title" }, label + " (best to worst): "),
    ...shown.map((bin) => patch(bin, number(bin.begin) + " ~ " + number(bin.end))), patch({ ...kNone, alone: true }, "none"),
    element("span", { class: "formula" }, (formula ? label + " = " + formula + ". " : "") + "A closed group has the colour of the worst node in it; dashed: without partner."));
}

// ---- One model or both ----

function makeViews() {
  addView(byId("reference"), graph, "node");
  if (!data.quantized_graph || data.quantized_graph.error) byId("view").closest("label").hidden = true;
  byId("view").addEventListener("change", () => {
    arrangeStages();
    remember();
  });
  const all = (work) => () => views.forEach(work);
  byId("zoom-in").addEventListener("click", all((view) => view.picture.call(view.zoomer.scaleBy, 1.4)));
  byId("zoom-out").addEventListener("click", all((view) => view.picture.call(view.zoomer.scaleBy, 1 / 1.4)));
  byId("zoom-fit").addEventListener("click", all((view) => view.fit()));
  byId("open-all").addEventListener("click", all((view) => view.toggleAll(true)));
  byId("close-all").addEventListener("click", all((view) => view.toggleAll(false)));
  addEventListener("beforeprint", all((view) => view.print(true)));
  addEventListener("afterprint", all((view) => view.print(false)));
}
function addView(stage, drawn, side) {
  const view = new GraphView(stage, drawn, side);
  views.push(view);
  if (drawn.nodes.length === 0) return;
  view.layout.openAtFirst();
  view.rearrange();
  view.firstView();
}
/** Shows one picture or two, as chosen. */
function arrangeStages() {
  const both = byId("view").value !== "reference" && !byId("view").closest("label").hidden;
  byId("twin").hidden = !both;
  byId("stages").classList.toggle("both", both);
  if (both && views.length < 2) addView(byId("twin"), data.quantized_graph, "twin");
  for (const view of views) view.resized();
  paint();
  for (const view of views) if (selection.map !== null) view.show();
}

// ---- Search ----

function listenToSearch() {
  const search = byId("search");
  let found = [], at = -1;
  const texts = graph.nodes.map(([op, name], node) => [op, name, ...mapsOfNode[node].flatMap((map) => [maps[map].name, maps[map].display ?? "", maps[map].quantized_name ?? ""])].join("\n").toLowerCase());
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    found = wanted === "" ? [] : texts.map((_, index) => index).filter((index) => texts[index].includes(wanted));
    at = -1;
    showHits();
    byId("hits").textContent = wanted === "" ? "" : plural(found.length, "node");
  });
  function showHits() {
    const { hits, layout } = mainView();
    hits.clear();
    for (const node of found) hits.add(layout.standIn(node));
    mainView().highlight();
  }
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || found.length === 0) return;
    at = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length;
    byId("hits").textContent = at + 1 + " of " + found.length;
    selectNode(mainView(), found[at], true);
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
      mark({});
    }
  });
}

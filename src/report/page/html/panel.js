// Eighth part: what is selected, and the panel that shows it.

const onSelect = []; // charts that mark the selected map

/** A map was chosen in a table, a curve or a finding; `show`: bring its node into view. */
function select(map, show) {
  if (map === null || map === undefined) return;
  const { node, twin } = maps[map];
  mark({ map, node, twin });
  for (const view of views) view.show();
  if (!show || node === null) return;
  const { top, bottom } = byId("reference").getBoundingClientRect();
  if (bottom < 80 || top > innerHeight - 80) byId("graph").scrollIntoView({ block: "start" });
}
/** A node was chosen in a picture: its worst map; the other picture follows, tables scroll inside their frames only. `show`: here, too. */
function selectNode(view, node, show = false) {
  const map = worstMap(view.mapsOfNode[node], Number(byId("metric").value));
  mark(map === null ? { [view.side]: node } : { map, node: maps[map].node, twin: maps[map].twin, [view.side]: node });
  for (const each of views) if (show || each !== view) each.show();
}
function selectGroup(view, index) {
  mark({ group: { view, index } });
}
function mark(chosen) {
  Object.assign(selection, { map: null, node: null, twin: null, group: null }, chosen);
  for (const view of views) view.highlight();
  for (const each of tables) if (selection.map === null) each.mark(); else each.reveal(selection.map);
  for (const each of onSelect) each();
  showPanel();
  remember();
}

function showPanel() {
  const panel = byId("panel"), { map, node, twin, group } = selection;
  panel.replaceChildren();
  panel.scrollTop = 0;
  if (group) return panelOfGroup(panel, group.view, group.index);
  if (map !== null) return panelOfMap(panel, map, node);
  const view = node !== null ? views[0] : twin !== null ? views[1] ?? null : null;
  if (view === null) {
    panel.append(element("p", { class: "soft idle" }, "Choose a node of the graph, a row of a table or a point of a curve to see its numbers. Drag moves the graph, the wheel zooms, a click opens a group, a click on its name closes it."));
    return;
  }
  const [op, name] = view.graph.nodes[selection[view.side]];
  panel.append(element("h3", {}, op + " " + name),
    element("p", { class: "soft" }, `No feature map of this node of the ${view.side === "node" ? "reference" : "quantized model"} was compared; see Pairing for the reason.`));
  if (node !== null) panelWork(panel, node);
}

/** A group: its size, its like, and the worst nodes in it. */
function panelOfGroup(panel, view, group) {
  const { groups } = view.layout, { label, kind, leaves } = groups[group];
  const kinds = { prefix: "names that begin alike", block: "a block that repeats", stretch: "neighbours in the order of execution", subgraph: "a subgraph" };
  panel.append(element("h3", {}, label), element("div", { class: "soft" }, kinds[kind] + " · " + plural(leaves, "node")));
  const same = view.layout.alike(group).filter((other) => other !== group);
  if (same.length > 0) {
    panel.append(element("h4", {}, "Same structure"), ...same.slice(0, 12).map((other) => element("div", {}, element("button", { type: "button", class: "link", click: () => showGroup(view, other) }, groups[other].label))),
      same.length > 12 ? element("div", { class: "soft" }, `and ${same.length - 12} more`) : null);
  }
  const metric = Number(byId("metric").value);
  if (!metrics[metric]) return;
  const inside = view.layout.nodesIn(group).flatMap((node) => view.mapsOfNode[node]).sort((a, b) => badness(maps[b].metrics[metric], metrics[metric].higher) - badness(maps[a].metrics[metric], metrics[metric].higher));
  panel.append(element("h4", {}, "Worst inside by " + metrics[metric].label));
  for (const map of inside.slice(0, 8)) panel.append(element("div", { class: "pair" }, link(map, nameOfMap(map)), element("span", {}, number(maps[map].metrics[metric]))));
}
function showGroup(view, group) {
  if (view.layout.openAround(memberOf(group))) view.rearrange();
  selectGroup(view, group);
  view.centre(memberOf(group));
}

function panelOfMap(panel, map, node) {
  const chosen = maps[map];
  panel.append(element("h3", { title: chosen.name }, nameOfMap(map)), element("div", { class: "soft" }, chosen.op + " · node " + chosen.place + " · " + chosen.shape));
  panel.append(copyable(chosen.name, "the full name"));
  if (chosen.verdict) panel.append(element("p", {}, chosen.verdict));
  const siblings = node === null ? [] : mapsOfNode[node].filter((other) => other !== map);
  if (siblings.length > 0) panel.append(element("div", {}, "Other outputs: ", ...siblings.flatMap((other) => [link(other, nameOfMap(other)), " "])));
  for (const finding of data.diagnosis?.findings ?? []) if (finding.map === map) panel.append(element("div", { class: "finding " + finding.severity }, ...headline(finding, false), ...evidence(finding)));
  if (chosen.origin) panelOrigin(panel, chosen.origin);
  panel.append(element("h4", {}, "Errors"), list(metrics.map((metric, index) => [metric.label, number(chosen.metrics[index])])));
  if (chosen.differing !== undefined) panel.append(list([["differing elements", percent(chosen.differing)]]));
  for (const row of distributionsOf(map)) distributionCharts(panel, row, 300);
  panel.append(element("h4", {}, "Quantization"), list([
    ["name", chosen.quantized_name], ["operator", chosen.quantized_op], ["node", chosen.quantized_place], ["paired by", data.picture === null ? chosen.paired_by ?? "name" : ""], ["type", chosen.dtype],
    ["scale", chosen.scale], ["axis", chosen.axis === null ? "" : String(chosen.axis)],
    ["zero point", chosen.zero_point === null ? "" : String(chosen.zero_point)],
    ["saturated", chosen.saturated ? percent(chosen.saturated) : ""]]));
  if (chosen.reference) {
    const pair = (at) => number(chosen.reference[at]) + " → " + number(chosen.quantized[at]);
    panel.append(element("h4", {}, "Values, reference → quantized"),
      list([["min", pair(0)], ["max", pair(1)], ["mean", pair(2)], ["RMS", pair(3)],
        ["NaN or Inf", chosen.reference[4] + chosen.quantized[4] > 0 ? pair(4) : ""]]));
  }
  const sensitive = (data.sensitivity?.rows ?? []).filter((row) => row.map === map);
  if (sensitive.length > 0) {
    panel.append(element("h4", {}, "Sensitivity (" + data.sensitivity.metrics[0] + " of the output)"),
      list(sensitive.map((row) => [row.type, number(row.metrics[0]) + ", rank " + row.rank + " of " + data.sensitivity.rows.length])));
  }
  if (node !== null) panelWork(panel, node);
}
/** Accumulated, created and inherited error as bars. */
function panelOrigin(panel, { gap, errors, created, roundings, share, measured }) {
  panel.append(element("h4", {}, "Where its error comes from (RMS)"));
  if (gap) panel.append(element("p", { class: "soft" }, gap));
  const most = Math.max(...errors.map((value) => value ?? 0), Number.MIN_VALUE);
  ["accumulated", "created here", "inherited"].forEach((what, at) => {
    const bar = element("span", { class: "bar" });
    bar.style.setProperty("--share", 100 * (errors[at] ?? 0) / most + "%");
    panel.append(element("div", { class: "origin" }, element("span", {}, what), bar,
      element("span", { title: roundings ? "in units of scale/√12, where 1 is pure rounding" : "" }, number(errors[at]) + (roundings ? ` (${number(roundings[at])} roundings)` : ""))));
  });
  const parts = ["rounding of weights", "rounding inside", "rounding of the output", "clipping of the output"];
  panel.append(list([...parts.map((what, at) => [what, created[at] ? number(created[at]) : ""]), [measured ? "alone makes of the outputs' error" : "share of the outputs' error, estimated", share > 0 ? percent(share) : ""]]));
}
function panelWork(panel, node) {
  const work = rowOfWork.get(node);
  if (!work) return;
  const facts = [["MACs", work.macs === null ? "" : grouped(work.macs)], ["reference", work.reference === null ? "" : milliseconds(work.reference)],
    ["quantized", work.quantized === null ? "" : milliseconds(work.quantized)]];
  if (facts.some(([, text]) => text)) panel.append(element("h4", {}, "Work and time"), list(facts));
}

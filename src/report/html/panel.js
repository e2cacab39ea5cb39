// Third part: what is selected, and the panel that shows it.

// ---- Selection: a node of the graph, rows of the tables, the panel ----

/** A map was chosen in a table or a finding; `show`: bring its node into view. */
function select(map, show) {
  if (map === null || map === undefined) return;
  mark(map, maps[map].node);
  if (show && maps[map].node !== null) {
    centre(maps[map].node);
    const { top, bottom } = size();
    if (bottom < 80 || top > window.innerHeight - 80) byId("graph").scrollIntoView({ block: "start" });
  }
}
/** A node was chosen in the graph: its worst map; tables scroll inside their frames only. */
function selectNode(node) {
  mark(worstMap(mapsOfNode[node], Number(byId("metric").value)), node);
}
function mark(map, node) {
  for (const each of document.querySelectorAll(".selected")) each.classList.remove("selected");
  for (const each of document.querySelectorAll(".near")) each.classList.remove("near");
  if (node !== null) {
    drawnNodes[node].classList.add("selected");
    for (const edge of edgesOfNode[node]) edge.classList.add("near");
  }
  for (const row of rowsOfMap.get(map) ?? []) {
    row.classList.add("selected");
    rove(row.parentElement);
    const frame = row.closest(".scroll");
    frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
  }
  showPanel(map, node);
}

function showPanel(map, node) {
  const panel = byId("panel");
  panel.replaceChildren();
  panel.scrollTop = 0;
  if (map === null && node === null) {
    panel.append(element("p", { class: "soft" }, "Choose a node of the graph or a row of a table to see its numbers. Drag moves the graph, the wheel zooms."));
    return;
  }
  if (map === null) {
    panel.append(element("h3", {}, graph.nodes[node].op + " " + graph.nodes[node].name),
      element("p", { class: "soft" }, "No feature map of this node was compared; see Pairing for the reason."));
    return;
  }
  const chosen = maps[map];
  panel.append(element("h3", {}, chosen.name), element("div", { class: "soft" }, chosen.op + " · node " + chosen.place + " · " + chosen.shape));
  if (chosen.verdict) panel.append(element("p", {}, chosen.verdict));
  const siblings = node === null ? [] : mapsOfNode[node].filter((other) => other !== map);
  if (siblings.length > 0) panel.append(element("div", {}, "Other outputs: ", ...siblings.flatMap((other) => [link(other, maps[other].name), " "])));
  panelFindings(panel, map);
  panel.append(element("h4", {}, "Errors"), list(metrics.map((metric, index) => [metric.label, number(chosen.metrics[index])])));
  if (chosen.differing !== undefined) panel.append(list([["differing elements", percent(chosen.differing)]]));
  panel.append(element("h4", {}, "Quantization"), list([
    ["name", chosen.quantized_name], ["operator", chosen.quantized_op], ["node", chosen.quantized_place], ["type", chosen.dtype],
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
}
function panelFindings(panel, map) {
  for (const finding of data.diagnosis?.findings ?? []) {
    if (finding.map === map) panel.append(card(finding, false));
  }
}

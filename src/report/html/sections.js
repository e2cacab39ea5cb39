// Last part: the sections of the page, and its start.

// ---- Sections ----

function heading() {
  const { reference, quantized } = data.models;
  const title = data.title || reference.file + " → " + quantized.file;
  document.title = title + " – visqerror";
  byId("title").textContent = title;
  const facts = (model) => [
    model.file, model.mode, model.quantization, model.operators === undefined ? "" : grouped(model.operators) + " operators",
    model.parameters === undefined ? "" : grouped(model.parameters) + " parameters",
    model.macs ? grouped(model.macs) + " MACs" : "", model.bytes ? grouped(model.bytes) + " bytes" : ""].filter((text) => text).join(" · ");
  byId("facts").append(list([["reference", facts(reference)], ["quantized", facts(quantized)],
    ["data", data.data + " · " + data.records + (data.records === 1 ? " record" : " records")], ["made by", "visqerror " + data.version],
    ["SHA-256", reference.sha256 ? reference.sha256.slice(0, 12) + "… → " + quantized.sha256.slice(0, 12) + "…" : ""]]));
}

function card(finding, withTensor) {
  const made = element("div", { class: "finding " + finding.severity });
  if (finding.gain !== null) {
    made.append(element("span", { class: "gain", title: "SQNR of the model's outputs, measured with the fix applied" },
      (finding.gain > 0 ? "+" : "") + number(finding.gain) + " dB"));
  }
  made.append(element("span", { class: "badge" }, finding.severity), " ", element("b", {}, finding.cause), " ");
  if (withTensor && finding.tensor) made.append(link(finding.map, finding.tensor), element("span", { class: "soft" }, " " + finding.op));
  made.append(element("p", {}, finding.text));
  if (finding.fix) made.append(element("p", {}, element("b", {}, "Fix: "), finding.fix));
  if (finding.configuration) made.append(element("p", {}, element("code", {}, finding.configuration)));
  if (finding.evidence.length > 0 && withTensor) {
    made.append(element("details", {}, element("summary", {}, "Numbers behind it"), list(finding.evidence.map(([what, value]) => [what.replaceAll("_", " "), number(value)]))));
  }
  return made;
}

const kNotMade = data.missing.length > 0 ? "Could not be computed, see Findings." : "Not in the quick report; without --quick it is.";

/** What was found, in a sentence or two. */
function summary(all) {
  const outputs = data.diagnosis.outputs.map(([name, sqnr]) => `${name} at ${number(sqnr)} dB SQNR`).join(", ");
  const errors = all.filter((finding) => finding.severity === "error").length;
  const found = all.length === 0 ? "No cause of a loss was found." :
    `${all.length} ${all.length === 1 ? "finding" : "findings"}, ${errors} of them ${errors === 1 ? "an error" : "errors"}, most important first; the decibels on the right are what a fix wins at the outputs, measured.`;
  return found + (outputs ? ` Quantized (${data.diagnosis.mode}), the model's outputs keep ${outputs}.` : "");
}

function findings() {
  const section = byId("findings");
  for (const part of data.missing) section.append(element("div", { class: "finding warning" }, part));
  if (!data.diagnosis) return section.append(element("p", { class: "soft" }, kNotMade));
  const { findings: all, remarks, measures } = data.diagnosis;
  for (const remark of remarks) section.append(element("div", { class: "finding warning" }, remark));
  section.append(element("p", {}, summary(all)));
  for (const finding of all) section.append(card(finding, true));
  if (measures.length > 0) {
    section.append(element("p", {}, "What helps in general:"), element("ul", { class: "plain" }, ...measures.map((text) => element("li", {}, text))));
  }
}

function metricColumns(wanted) {
  return metrics.map((metric, index) => ({ metric, index })).filter(({ metric }) => !wanted || wanted.includes(metric.name)).map(({ metric, index }) => ({
    label: metric.label, number: true, descending: !metric.higher, title: metric.formula, value: (row) => maps[row.map].metrics[index] }));
}

function outputs() {
  const section = byId("outputs");
  const rows = data.outputs.map((map) => ({ map }));
  if (rows.length === 0) return section.append(element("p", { class: "soft" }, "None was compared."));
  const body = element("tbody");
  const columns = [{ label: "Name", name: true, value: (row) => maps[row.map].name }, { label: "Type", value: (row) => maps[row.map].dtype },
    { label: "Shape", value: (row) => maps[row.map].shape }, ...metricColumns(["mse", "sqnr", "cosine", "atol", "mpeir"]),
    { label: "Verdict", value: (row) => maps[row.map].verdict }];
  body.append(...rows.map((row) => line(row, columns)));
  body.addEventListener("keydown", (event) => walk(event, body));
  rove(body);
  section.append(element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {},
    ...columns.map((column) => element("th", { scope: "col", class: column.number ? "number" : "" }, column.label)))), body)));
}

function featureMaps() {
  const section = byId("maps");
  const columns = [
    { label: "Node", value: (row) => row.place }, { label: "Name", name: true, value: (row) => row.name }, { label: "Operator", value: (row) => row.op },
    { label: "Type", value: (row) => row.dtype }, { label: "Shape", value: (row) => row.shape }, ...metricColumns(),
    { label: "Verdict", value: (row) => row.verdict }, { label: "Scale", value: (row) => row.scale }];
  table(section, "", columns, maps.map((map, index) => ({ ...map, map: index })), 5 + mainMetric, "Filter feature maps");
}

function weights() {
  const section = byId("weights");
  if (data.weights.length === 0) return section.append(element("p", { class: "soft" }, data.diagnosis ? "The models share no weights that can be compared." : kNotMade));
  const both = (what, at) => ({ label: what, value: (row) => row.reference[at], number: true, show: (row) => number(row.reference[at]) + " → " + number(row.quantized[at]) });
  table(section, "minimum to deviation: reference → quantized", [
    { label: "Name", name: true, value: (row) => row.name }, { label: "Operator", value: (row) => row.op }, { label: "Role", value: (row) => row.attribute },
    { label: "Type", value: (row) => row.dtype }, { label: "MSE", number: true, descending: true, value: (row) => row.mse },
    { label: "SQNR", number: true, value: (row) => row.sqnr }, both("Min", 0), both("Max", 1), both("Mean", 2), both("Deviation", 3)],
    data.weights, 4, "Filter weights");
}

function sensitivity() {
  const section = byId("sensitivity");
  if (!data.sensitivity) return section.append(element("p", { class: "soft" }, kNotMade));
  const { rows, metrics: labels, records } = data.sensitivity;
  const largest = Math.max(...rows.map((row) => (typeof row.metrics[0] === "number" ? row.metrics[0] : 0)), Number.MIN_VALUE);
  const caption = `error of the model's output where this alone is quantized, over ${records} ${records === 1 ? "record" : "records"}; everything quantized: ` +
    labels.map((label, index) => label + " " + number(data.sensitivity.all[index])).join(", ");
  table(section, caption, [
    { label: "Rank", number: true, value: (row) => row.rank }, { label: "Kind", value: (row) => row.type }, { label: "Name", name: true, value: (row) => row.name },
    { label: "Operator", value: (row) => row.op }, { label: "Type", value: (row) => row.dtype },
    ...labels.map((label, index) => ({ label, number: true, descending: true, value: (row) => row.metrics[index],
      bar: index === 0 ? (row) => (typeof row.metrics[0] === "number" ? row.metrics[0] / largest : 0) : undefined })),
    { label: "Threshold", number: true, descending: true, value: (row) => row.threshold },
    { label: "Work", number: true, descending: true, value: (row) => row.flops, show: (row) => percent(row.flops) }], rows, 0, "Filter sensitivity");
}

function curves() {
  const section = byId("curves");
  if (data.pictures.length === 0) section.append(element("p", { class: "soft" }, kNotMade));
  for (const [title, svg] of data.pictures) {
    const src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
    section.append(element("figure", {}, element("figcaption", {}, title), element("img", { alt: title, src })));
  }
}

function pairing() {
  const section = byId("pairing");
  const { by_name, by_structure, unpaired, warnings, not_computed } = data.match;
  section.append(element("p", {}, `${by_name} feature maps were paired by name, ${by_structure} by structure; ${unpaired.length} have no partner.`));
  for (const warning of warnings) section.append(element("div", { class: "finding warning" }, warning));
  for (const anomaly of data.anomalies) {
    section.append(element("div", {}, anomaly.kind + ": ", link(anomaly.map, anomaly.name), " " + number(anomaly.value) + " (limit " + number(anomaly.limit) + ")"));
  }
  const details = (title, rows) => {
    if (rows.length === 0) return;
    section.append(element("details", {}, element("summary", {}, title), element("div", { class: "scroll" }, element("table", {}, element("tbody", {},
      ...rows.map((row) => element("tr", {}, ...row.map((text) => element("td", {}, text)))))))));
  };
  details("Without partner", unpaired);
  details("Not computed", not_computed);
  if (graph.subgraphs > 1) section.append(element("p", { class: "soft" }, "The graph shows the main subgraph of " + graph.subgraphs + "; the table holds the maps of all."));
}

heading();
findings();
outputs();
metrics.forEach((metric, index) => byId("metric").append(element("option", { value: index }, metric.label)));
byId("metric").value = mainMetric;
byId("metric").addEventListener("change", () => paint(Number(byId("metric").value)));
drawGraph();
if (metrics.length > 0) paint(mainMetric);
featureMaps();
weights();
sensitivity();
curves();
pairing();
if (graph.nodes.length > 0) firstView();
listenToPicture();
listenToSearch();
showPanel(null, null);

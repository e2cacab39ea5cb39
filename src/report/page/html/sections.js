// Eleventh part: the sections of the page.

const milliseconds = (seconds) => number(1000 * seconds) + " ms";

function heading() {
  const { reference, quantized } = data.models;
  const title = data.title || (data.picture !== null ? data.picture : reference.file + " → " + quantized.file);
  document.title = title + " – visqerror";
  byId("title").textContent = title;
}
/** Links to the sections that there are. */
function sections() {
  const nav = document.querySelector("nav");
  for (const section of document.querySelectorAll("main section")) {
    if (section.childElementCount < 2) section.hidden = true;
    else nav.append(element("a", { href: "#" + section.id }, section.querySelector("h2").textContent));
  }
  nav.append(element("span", { class: "hint" }, element("kbd", {}, "/"), " search, ", element("kbd", {}, "Esc"), " deselect"));
}

/** Severity, cause, what it is about, and what its fix wins. */
function headline(finding, withTensor) {
  const made = [element("span", { class: "badge" }, finding.severity), " ", element("b", {}, finding.cause), " "];
  const name = finding.map === null ? finding.display : nameOfMap(finding.map);
  if (withTensor && finding.tensor) made.push(element("span", { class: "about", title: finding.tensor }, shortened(name, 70)), element("span", { class: "soft" }, " " + finding.op));
  if (finding.gain !== null) {
    made.unshift(element("span", { class: "gain", title: "SQNR of the model's outputs, measured with the fix applied" }, (finding.gain > 0 ? "+" : "") + number(finding.gain) + " dB"));
  }
  return made;
}
function evidence(finding) {
  return [element("p", {}, finding.text), finding.fix ? element("p", {}, element("b", {}, "Fix: "), finding.fix) : null,
    finding.configuration ? element("p", {}, copyable(finding.configuration, "the configuration")) : null].filter((part) => part);
}
/** A finding as its headline, which opens. */
function card(finding) {
  const made = element("details", { class: "finding " + finding.severity }, element("summary", {}, ...headline(finding, true)), ...evidence(finding));
  if (finding.map !== null) made.append(element("p", {}, link(finding.map, "Show it in the graph")));
  if (finding.evidence.length > 0) made.append(element("h3", {}, "Numbers behind it"), list(finding.evidence.map(([what, value]) => [what.replaceAll("_", " "), number(value)])));
  return made;
}

/** Why a part is not there. */
function absent(section, part) {
  const reason = [...data.missing, ...data.left_out].find((text) => text.startsWith(part + ":"));
  if (data.picture !== null) return;
  section.append(element("p", { class: "soft" }, reason ?? "Not in this page: it holds the comparison only. `visqerror report` without --quick computes it."));
}

/** What was found, in a sentence or two. */
function summary(all) {
  const outputs = data.diagnosis.outputs.map(([name, sqnr]) => `${name} at ${number(sqnr)} dB`).join(", ");
  const errors = all.filter((finding) => finding.severity === "error").length;
  const found = all.length === 0 ? "No cause of a loss was found." :
    `${plural(all.length, "finding")} (${plural(errors, "error")}), most important first; the decibels on the right are what a fix wins at the outputs, measured.`;
  return found + (outputs ? ` On the records that fixes are measured on (${data.diagnosis.mode} mode, ${data.diagnosis.records}) the outputs are ${outputs} without them.` : "");
}
const kShownFindings = 5;
function findings() {
  const section = byId("findings");
  showFindings(section);
  if (data.left_out.length > 0) section.append(element("details", { class: "finding info" }, element("summary", {}, plural(data.left_out.length, "part") + " left out for want of time"), ...data.left_out.map((part) => element("p", {}, part))));
}
function showFindings(section) {
  for (const part of data.missing) section.append(element("div", { class: "finding warning" }, part));
  if (!data.diagnosis) {
    if (data.missing.length + data.left_out.length === 0) absent(section, "diagnose");
    return;
  }
  const { findings: all, remarks, measures } = data.diagnosis;
  for (const remark of remarks) section.append(element("div", { class: "finding warning" }, remark));
  section.append(element("p", {}, summary(all)));
  for (const finding of all.slice(0, kShownFindings)) section.append(card(finding));
  if (all.length > kShownFindings) {
    section.append(element("details", {}, element("summary", {}, plural(all.length - kShownFindings, "more finding")), ...all.slice(kShownFindings).map((finding) => card(finding))));
  }
  if (measures.length > 0) {
    section.append(element("p", {}, "What helps in general:"), element("ul", { class: "plain" }, ...measures.map((text) => element("li", {}, text))));
  }
}

const kOnPaper = ["mse", "mpeir", "cosine", "sqnr", "atol"];
function metricColumns(wanted, values = (row) => maps[row.map].metrics) {
  return metrics.map((metric, index) => ({ metric, index })).filter(({ metric }) => !wanted || wanted.includes(metric.name)).map(({ metric, index }) => ({
    label: metric.label, number: true, descending: !metric.higher, title: metric.formula, screen: !kOnPaper.includes(metric.name), value: (row) => values(row)[index] }));
}

/** A small table as it is. */
function plainTable(columns, rows) {
  const body = element("tbody", {}, ...rows.map((row) => {
    const made = line(row, columns);
    if (row.map === null) return made;
    made.tabIndex = 0;
    made.addEventListener("click", () => select(row.map, true));
    made.addEventListener("keydown", (event) => event.key === "Enter" && select(row.map, true));
    return made;
  }));
  const reached = rows.some((row) => row.map !== null); // a frame that scrolls must be reached with Tab, itself or a row
  return element("div", { class: "scroll", tabindex: reached ? null : 0 }, element("table", { class: "loose" }, element("thead", {}, element("tr", {},
    ...columns.map((column) => element("th", { scope: "col", class: classOf(column) }, column.label)))), body));
}
function outputs() {
  const section = byId("outputs");
  if (data.accuracy) section.append(accuracy(data.accuracy));
  if (data.outputs.length === 0) return data.picture !== null ? null : section.append(element("p", { class: "soft" }, "No output of the model was compared."));
  const rows = data.outputs.map((map, at) => ({ map, values: data.processed[at] ?? maps[map].metrics }));
  const wanted = metrics.length === 1 ? null : ["mse", "cosine", "atol", "mpeir"], values = (row) => row.values;
  if (data.post) section.append(element("p", { class: "soft" }, `Compared after ${data.post}; the feature maps below are as the models compute them.`));
  section.append(plainTable([kNames, ...(wanted ? metricColumns(["sqnr"], values) : []), { label: "Verdict", value: (row) => maps[row.map].verdict },
    ...metricColumns(wanted, values), { label: "Type", value: (row) => maps[row.map].dtype }, { label: "Shape", value: (row) => maps[row.map].shape }], rows));
}
function accuracy({ output, program, records, titles, main, second, ratio, drop }) {
  const points = drop === 0 ? "no difference" : number(Math.abs(drop)) + (drop > 0 ? " points lost" : " points won");
  if (program) return element("p", {}, element("b", {}, "Score "), `by ${program}: ${number(main[0])} → ${number(main[1])}, ratio ${number(ratio)}, ${points}.`);
  return element("p", {}, element("b", {}, "Accuracy "), `of ${output} over ${plural(records, "record")}: ${titles[0]} ${percent(main[0])} → ${percent(main[1])}, ratio ${number(ratio)}, ${points}; ${titles[1]} ${percent(second[0])} → ${percent(second[1])}.`);
}

function featureMaps() {
  const section = byId("maps");
  const [first, rest] = [["sqnr"], metrics.map(({ name }) => name).filter((name) => name !== "sqnr")].map((wanted) => metricColumns(wanted));
  const all = [
    kNames, ...first, { label: "Verdict", value: (row) => row.verdict }, { label: "Operator", value: (row) => row.op },
    { label: "Node", value: (row) => row.place }, { label: "Type", value: (row) => row.dtype }, { label: "Shape", value: (row) => row.shape }, ...rest,
    { label: "Scale", screen: true, value: (row) => row.scale }];
  const caption = maps.some((map) => map.origin) ? "a row's three errors stand in the panel beside the graph" : "";
  if (maps.some((map) => map.origin)) {
    all.splice(-1, 0, ...["Accumulated", "Created", "Inherited"].map((label, at) => ({ label, number: true, descending: true, screen: true, value: (row) => row.origin?.errors[at] ?? null })));
  }
  if (maps.some((map) => map.display && map.display !== map.name)) all.push({ label: "Full name", screen: true, value: (row) => row.name });
  const sorted = all.findIndex((column) => column.label === metrics[mainMetric]?.label);
  new Table(section, caption, all, maps.map((map, index) => ({ ...map, map: index })), Math.max(0, sorted), "Filter feature maps", "feature_maps");
}

function weights() {
  const section = byId("weights");
  if (data.weights.length === 0) return data.sensitivity ? section.append(element("p", { class: "soft" }, "The models share no weights that can be compared.")) : absent(section, "weights");
  const both = (what, at) => ({ label: what, value: (row) => row.reference[at], number: true, show: (row) => number(row.reference[at]) + " → " + number(row.quantized[at]) });
  new Table(section, "minimum to deviation: reference → quantized", [
    { ...kNames, hover: (row) => row.name }, { label: "Operator", value: (row) => row.op }, { label: "Role", value: (row) => row.attribute },
    { label: "Type", value: (row) => row.dtype }, { label: "MSE", number: true, descending: true, value: (row) => row.mse },
    { label: "SQNR", number: true, value: (row) => row.sqnr }, both("Min", 0), both("Max", 1), both("Mean", 2), both("Deviation", 3)],
    data.weights, 4, "Filter weights", "weights");
}

function sensitivity() {
  const section = byId("sensitivity");
  if (!data.sensitivity) return absent(section, "sensitivity");
  const { rows, metrics: labels, records } = data.sensitivity;
  const largest = Math.max(...rows.map((row) => (typeof row.metrics[0] === "number" ? row.metrics[0] : 0)), Number.MIN_VALUE);
  const caption = `error of the model's output where this alone is quantized, over ${plural(records, "record")}; everything quantized: ` +
    labels.map((label, index) => label + " " + number(data.sensitivity.all[index])).join(", ");
  new Table(section, caption, [
    { label: "Rank", number: true, value: (row) => row.rank }, { label: "Kind", value: (row) => row.type }, kNames,
    { label: "Operator", value: (row) => row.op }, { label: "Type", value: (row) => row.dtype },
    ...labels.map((label, index) => ({ label, number: true, descending: true, value: (row) => row.metrics[index],
      bar: index === 0 ? (row) => (typeof row.metrics[0] === "number" ? row.metrics[0] / largest : 0) : undefined })),
    { label: "Threshold", number: true, descending: true, value: (row) => row.threshold },
    { label: "Work", number: true, descending: true, value: (row) => row.flops, show: (row) => percent(row.flops) }], rows, 0, "Filter sensitivity", "sensitivity");
}

/** The most sensitive weights and activations; without a ranking those with most error. */
function topRows(kind) {
  const ranked = (data.sensitivity?.rows ?? []).filter((row) => row.type === kind).map((row) => row.map);
  const order = [...new Set([...ranked, ...distributionRows.filter((row) => row.kind === kind).map((row) => row.map)])];
  const found = order.map((map) => distributionRows.find((row) => row.kind === kind && row.map === map)).filter((row) => row);
  return found.slice(0, data.top);
}
function distributions() {
  const section = byId("distributions");
  if (!data.distributions) return absent(section, "distributions");
  const gallery = element("div");
  const box = element("input", { type: "checkbox", change: () => {
    logCounts = box.checked;
    fill();
    showPanel();
  } });
  section.append(element("div", { class: "tools" }, element("label", {}, box, " logarithmic counts"), element("span", { class: "soft" },
    `the ${data.top} most sensitive of each kind, over ${plural(data.distributions.records, "record")}; the panel beside the graph shows those of every node`)), gallery);
  function fill() {
    gallery.replaceChildren();
    for (const [kind, title] of [["weight", "Weights"], ["activation", "Activations"]]) {
      const cards = topRows(kind).map((row) => {
        const made = element("div", { class: "card" }, element("h4", {}, link(row.map, row.map === null ? row.name : nameOfMap(row.map))), histogramChart(row, 330));
        if (row.boxes && row.channels > 1) made.append(boxChart(row, 330));
        return made;
      });
      if (cards.length > 0) gallery.append(element("h3", {}, title), element("div", { class: "cards" }, ...cards));
    }
  }
  fill();
}

function curves() {
  const section = byId("curves");
  if (!data.accumulation && !data.partial && !data.diagnosis) return absent(section, "accumulate");
  if (data.accumulation) accumulation(section, data.accumulation); else absent(section, "accumulate");
  if (data.partial) partial(section, data.partial); else absent(section, "partial");
  if (data.diagnosis) degradation(section, data.diagnosis);
}
const nameAt = ([name, map]) => (name || map === null ? name : nameOfMap(map));
function accumulation(section, { metric, nodes, curves: lines, records }) {
  curveChart(section, { title: "Error through the graph", label: metric, count: nodes.length, names: (i) => i + " " + nameAt(nodes[i]), mapOf: (i) => nodes[i][1],
    note: `${metric} of every node where only weights, or only activations, are quantized, over ${plural(records, "record")}`,
    series: lines.map(({ label, members, output, values }, at) => ({ label: `${label} (${plural(members, "member")}), output ${finite(output) ? output.toPrecision(6) : number(output)}`, values, color: curveColors[at % curveColors.length], dash: at === 1 ? "6 3" : undefined })) });
}
function partial(section, { metric, steps, none, picked_by, threshold, records }) {
  const picked = { threshold: `nodes that alone bring the output's ${metric} below ${threshold}`, worst: "no node alone does much harm: these are the worst", names: "the chosen nodes" }[picked_by];
  const rows = [["none", null, null, none], ...steps];
  curveChart(section, { title: "Partly quantized: how many nodes must stay float?", label: metric, count: rows.length, names: (i) => nameAt(rows[i]), mapOf: (i) => rows[i][1], named: true,
    note: `${picked}, the most harmful first, over ${plural(records, "record")}`,
    series: [{ label: "float", values: rows.map(() => 1), color: "#0072b2", dash: "7 4" }, { label: "quantized at this node only", values: rows.map((row) => row[2]), color: "#009e73", crosses: true },
      { label: "this node and all before it float, the rest quantized", values: rows.map((row) => row[3]), color: "#d62728" }] });
}
function degradation(section, { losses, limits }) {
  const capped = (value) => (value === "inf" ? 80 : finite(value) ? Math.min(80, value) : null);
  const charts = [["MSE / variance", 2, true, (value) => value], ["cosine", 3, false, (value) => value], ["SQNR (dB)", 4, false, capped]];
  charts.forEach(([label, at, logarithmic, value], index) => curveChart(section, { title: "Degradation by layer: " + label, label, count: losses.length, logarithmic,
    note: index === 0 ? "of the quantized model's layers, as diagnose runs it; degraded layers are circled" : "", names: (i) => i + " " + nameAt(losses[i]), mapOf: (i) => losses[i][1],
    series: [{ label, values: losses.map((loss) => value(loss[at])), color: "#0072b2" }], threshold: limits[index], marked: (i) => losses[i][5] === 1 }));
}

// ---- Work and time ----

const rowOfWork = new Map();
graph.nodes.forEach(([op, name], node) => {
  if (op === "INPUT" || op === "OUTPUT") return;
  rowOfWork.set(node, { map: mapsOfNode[node][0] ?? null, op, name, macs: data.operators.macs[node] ?? null, reference: null, quantized: null });
});
for (const side of ["reference", "quantized"]) {
  for (const [node, seconds] of data.operators[side] ?? []) if (rowOfWork.has(node)) rowOfWork.get(node)[side] = seconds;
}
function operators() {
  const section = byId("operators");
  const { runs, others } = data.operators;
  const rows = [...rowOfWork.values(), ...(others ?? []).map(([op, name, quantized]) => ({ map: null, op, name, macs: null, reference: null, quantized }))];
  if (!rows.some((row) => row.macs !== null || row.quantized !== null)) return;
  const total = (what) => rows.reduce((sum, row) => sum + (row[what] ?? 0), 0);
  const all = total("macs");
  const caption = `${grouped(all)} MACs` + (runs ? `; median of ${runs} runs per operator, one thread, visqerror's own kernels: reference ${milliseconds(total("reference"))}, quantized ${milliseconds(total("quantized"))}` : "; times with --time");
  const times = runs ? ["reference", "quantized"].map((side) => ({ label: side === "reference" ? "Reference" : "Quantized", number: true, descending: true, value: (row) => row[side], show: (row) => (row[side] === null ? "–" : milliseconds(row[side])) })) : [];
  new Table(section, caption, [kNames, { label: "Operator", value: (row) => row.op },
    { label: "MACs", number: true, descending: true, value: (row) => row.macs, show: (row) => (row.macs === null ? "–" : grouped(row.macs)), bar: (row) => (all > 0 ? (row.macs ?? 0) / all : 0) }, ...times],
    rows, runs ? 4 : 2, "Filter operators", "operators");
}

function pairing() {
  const section = byId("pairing");
  if (data.picture !== null) return;
  const { by_name, by_structure, by_weights, by_maps, by_user, doubtful, unpaired, warnings, not_computed } = data.match;
  section.append(element("p", {}, `${grouped(by_name)} feature maps were paired by name, ${grouped(by_structure)} by structure${[[by_weights, "weights"], [by_maps, "values"], [by_user, "the user"]].map(([count, how]) => (count > 0 ? `, ${grouped(count)} by ${how}` : "")).join("")}; ${unpaired.length === 0 ? "none is" : grouped(unpaired.length) + (unpaired.length === 1 ? " is" : " are")} without partner.`));
  for (const warning of warnings) section.append(element("div", { class: "finding warning" }, warning));
  const anomalies = data.anomalies.map((anomaly) => element("div", {}, anomaly.kind + ": ", link(anomaly.map, anomaly.map === null ? anomaly.name : nameOfMap(anomaly.map)), " " + number(anomaly.value) + " (limit " + number(anomaly.limit) + ")"));
  if (anomalies.length > 12) section.append(element("details", {}, element("summary", {}, plural(anomalies.length, "oddity").replace("odditys", "oddities")), ...anomalies));
  else section.append(...anomalies);
  const details = (title, heads, rows) => {
    if (rows.length === 0) return;
    section.append(element("details", {}, element("summary", {}, `${title} (${rows.length})`), element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, element("table", { class: "loose" }, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", {}, head)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((text) => element("td", {}, text)))))))));
  };
  details("Doubtful pairs, compared with nothing: their values in the first record do not agree", ["Node", "Reference", "Node", "Quantized", "Correlation"], doubtful);
  details("Without partner", ["Model", "Node", "Name", "Operator", "Reason"], unpaired);
  details("Not computed", ["Model", "Node", "Name", "Operator", "Reason"], not_computed);
}

function about() {
  const section = byId("about");
  const facts = (model) => [
    model.file, model.mode, model.quantization, model.operators === undefined ? "" : plural(model.operators, "operator"),
    model.parameters === undefined ? "" : plural(model.parameters, "parameter"),
    model.macs ? grouped(model.macs) + " MACs" : "", model.bytes ? grouped(model.bytes) + " bytes" : ""].filter((text) => text).join(" · ");
  const { reference, quantized } = data.models;
  section.append(data.picture !== null
    ? list([["values", data.picture], ["model", facts({ ...reference, mode: "" })]])
    : list([["reference", facts(reference)], ["SHA-256", reference.sha256], ["quantized", facts(quantized)], ["SHA-256", quantized.sha256],
      ["data", data.data + " · " + plural(data.records, "record")]]));
  section.append(list([["command", data.command ? element("code", {}, data.command) : ""], ["made by", "visqerror " + data.version + ", drawn with d3 " + d3.version]]));
}

/** The system's choice of light and dark, or one's own. */
function listenToTheme() {
  const button = byId("theme"), states = ["auto", "light", "dark"];
  button.addEventListener("click", () => {
    const next = states[(states.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % states.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    button.textContent = "Theme: " + next;
  });
}

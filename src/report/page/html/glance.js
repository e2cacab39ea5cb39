// Tenth part: the answer, before the numbers: verdict, accuracy, size and work, one picture, what to do next.

const kHealth = { fine: ["fine", "✓ Fine"], "noticeably off": ["off", "! Noticeably off"], broken: ["broken", "✕ Broken"], unknown: ["unknown", "? Not known"] };

/** All that the models have in common, and which of them the page shows. */
function signatures() {
  if (reports.length < 2) return;
  const section = byId("signatures");
  const show = (report) => { location.hash = "#signature=" + encodeURIComponent(signatureOf(report)); };
  const columns = [{ label: "Signature", name: true, value: signatureOf }, { label: "Verdict", value: ({ verdict }) => kHealth[verdict.health][1] },
    { label: "Output SQNR (dB)", number: true, value: outputSqnr }, { label: "Records", number: true, value: ({ records }) => records }, { label: "Findings", number: true, value: ({ diagnosis }) => diagnosis?.findings.length ?? null }];
  const choose = element("p", {}, "Shown: ");
  for (const report of reports) choose.append(element("button", { type: "button", class: "link", "aria-pressed": String(report === data), click: () => show(report) }, signatureOf(report)), " ");
  section.append(choose, plainTable(columns, reports));
}
/** Of the worst output of a report; null where none has any. */
function outputSqnr({ outputs, maps, metrics, processed }) {
  const at = metrics.findIndex(({ name }) => name === "sqnr");
  const values = outputs.map((map, i) => (processed[i] ?? maps[map].metrics)[at]).filter((value) => value === "inf" || finite(value)).map((value) => (value === "inf" ? Infinity : value));
  if (values.length === 0) return null;
  const worst = Math.min(...values);
  return worst === Infinity ? "inf" : worst;
}

function glance() {
  if (!data.verdict) return; // a picture of one metric
  const section = byId("glance");
  section.append(verdict(data.verdict), tiles());
  for (const remark of data.verdict.remarks) section.append(element("div", { class: "finding warning" }, "Beware: " + remark));
  depthChart(section);
  if (data.next) section.append(element("p", { class: "next" }, element("b", {}, "Next: "), copyable(data.next, "the command")));
}
/** "✓ Fine. Output Identity is off by …". */
function verdict({ health, text, first, first_text }) {
  const [name, words] = kHealth[health], { reference, quantized } = data.models;
  const made = element("div", { class: "verdict " + name, role: "status" }, element("strong", {}, words), element("p", {}, (text || "Nothing that was measured says how good the outputs are") + "."));
  const facts = [`${quantized.file} as ${quantized.mode} against ${reference.file} as ${reference.mode}`, data.data === "random" ? "a random record" : `${plural(data.records, "record")} of ${data.data}`];
  made.append(element("p", { class: "soft" }, facts.join(" · ")));
  if (first_text) made.append(element("p", {}, first_text + ". ", link(first, "Show it")));
  return made;
}

const kilo = (value, unit) => {
  const [scale, letter] = value >= 1e9 ? [1e9, "G"] : value >= 1e6 ? [1e6, "M"] : value >= 1e3 ? [1e3, "k"] : [1, ""];
  return String(Number((value / scale).toPrecision(3))) + " " + letter + (letter && unit.length > 1 ? " " : "") + unit;
};
/** Accuracy or SQNR of the outputs, size and work of both models. */
function tiles() {
  const { reference, quantized } = data.models, made = element("div", { class: "tiles" });
  const tile = (what, value, more) => made.append(element("div", { class: "tile" }, element("span", { class: "soft" }, what), element("b", {}, value), element("span", { class: "soft" }, more ?? "")));
  if (data.accuracy) tile(...accuracyTile(data.accuracy));
  const worst = outputSqnr(data);
  if (worst !== null) {
    tile(data.outputs.length > 1 ? "SQNR of the worst output" : "SQNR of the output", number(worst) + " dB", worst === "inf" ? "no error" : `${number(Number((100 * 10 ** (-worst / 20)).toPrecision(2)))} % noise`);
  }
  if (data.tokens) tile(...tokensTile(data.tokens));
  if (reference.bytes && quantized.bytes) tile("size", `${kilo(reference.bytes, "B")} → ${kilo(quantized.bytes, "B")}`, percent(Number((quantized.bytes / reference.bytes).toPrecision(2))) + " of it");
  if (reference.macs) tile("work", reference.macs === quantized.macs ? `${kilo(reference.macs, "MACs")}` : `${kilo(reference.macs, "")} → ${kilo(quantized.macs, "MACs")}`, reference.macs === quantized.macs ? "the same in both" : "per record");
  if (reference.operators) tile("operators", reference.operators === quantized.operators ? grouped(reference.operators) : `${grouped(reference.operators)} → ${grouped(quantized.operators)}`, quantized.quantization);
  return made;
}
/** What both models say of the tokens that follow. */
function tokensTile({ count, perplexity, agreement }) {
  return ["perplexity", `${number(perplexity.reference)} → ${number(perplexity.quantized)}`, `same greedy token in ${percent(agreement)} of ${plural(count, "token")}`];
}
function accuracyTile({ program, titles, main, records, drop }) {
  const points = drop === 0 ? "the same" : number(Math.abs(drop)) + (drop > 0 ? " points lost" : " points won");
  return program ? ["score by " + program, `${number(main[0])} → ${number(main[1])}`, points]
    : [titles[0] === "top-1" ? "top-1 accuracy" : titles[0], `${percent(main[0])} → ${percent(main[1])}`, `${points}, ${plural(records, "record")}`];
}

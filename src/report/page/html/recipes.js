// Twelfth part: several quantizations of the same network side by side.

function recipes() {
  if (data.recipes.length < 2) return;
  const section = byId("recipes"), colors = curveColors;
  const worstOf = ({ sqnr }) => Math.min(...data.outputs.map((map) => (sqnr[map] === "inf" ? Infinity : sqnr[map] ?? Infinity)));
  const all = data.recipes.map((recipe, at) => ({ ...recipe, at, output: worstOf(recipe), wins: 0, map: null, color: colors[at % colors.length] }));
  const nodes = maps.map((map, index) => ({ map: index, values: all.map(({ sqnr }) => sqnr[index]), best: best(all.map(({ sqnr }) => sqnr[index])) }));
  for (const { best: at } of nodes) if (at !== null) ++all[at].wins;
  section.append(recipeTable(all), tradeOff(all));
  curveChart(section, { title: "SQNR by recipe, node by node", label: "SQNR (dB)", count: nodes.length, names: (i) => nodes[i].map + " " + nameOfMap(nodes[i].map), mapOf: (i) => nodes[i].map,
    series: all.map(({ model, at, color }) => ({ label: model.file, color, dash: at % 2 === 1 ? "6 3" : undefined, values: nodes.map(({ values }) => (values[at] === "inf" ? 80 : values[at])) })) });
  const decibels = (at) => ({ label: all[at].model.file, number: true, value: (row) => row.values[at] });
  new Table(section, "SQNR of every feature map under every recipe, in dB", [kNames, ...all.map(({ at }) => decibels(at)),
    { label: "Best", value: (row) => (row.best === null ? "" : all[row.best].model.file) }, { label: "Operator", value: (row) => maps[row.map].op }], nodes, 1, "Filter recipes", "recipes");
}
/** Which of the values is the largest; null where none is, or all are alike. */
function best(values) {
  const known = values.map((value) => (value === "inf" ? Infinity : value ?? -Infinity)), most = Math.max(...known);
  return most === -Infinity || known.every((value) => value === most) ? null : known.indexOf(most);
}
function recipeTable(all) {
  const columns = [{ label: "Recipe", name: true, value: (row) => row.model.file }, { label: "Verdict", value: (row) => row.verdict.health }, { label: "Output SQNR", number: true, value: (row) => (row.output === Infinity ? "inf" : row.output) },
    { label: "Size", number: true, value: (row) => row.model.bytes ?? null, show: (row) => (row.model.bytes ? kilo(row.model.bytes, "B") : "–") }, { label: "Best in", number: true, value: (row) => row.wins, show: (row) => plural(row.wins, "node") },
    { label: "Scheme", value: (row) => row.model.quantization ?? "" }];
  if (all.some(({ accuracy }) => accuracy)) columns.splice(2, 0, { label: "Accuracy", number: true, value: (row) => row.accuracy?.main[1] ?? null, show: (row) => (row.accuracy ? percent(row.accuracy.main[1]) : "–") });
  return plainTable(columns, all);
}
/** Size against error: to the upper left is better; a line joins those that no other beats in both. */
function tradeOff(all) {
  const shown = all.filter(({ model, output }) => model.bytes && Number.isFinite(output));
  if (shown.length < 2) return element("div");
  const width = Math.min(620, pageRoom()), height = 260, left = 62, right = 30, top = 18, bottom = 40;
  const words = shown.map(({ model, output }) => `${model.file}: ${kilo(model.bytes, "B")}, ${number(output)} dB`).join("; ");
  const svg = histogramFrame("Size and output SQNR of the recipes. " + words, width, height);
  const padded = (values, from) => { const [low, high] = d3.extent(values), by = (high - low || Math.abs(high) || 1) * 0.15; return [Math.max(from, low - by), high + by]; };
  const x = d3.scaleLinear(padded(shown.map(({ model }) => model.bytes), 0), [left, width - right]), y = d3.scaleLinear(padded(shown.map(({ output }) => output), -Infinity), [height - bottom, top]);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0 ${height - bottom})`).call(d3.axisBottom(x).ticks(5).tickFormat((value) => kilo(value, "B")));
  svg.append("g").attr("class", "axis grid").attr("transform", `translate(${left} 0)`).call(d3.axisLeft(y).ticks(5).tickSize(-(width - left - right)));
  svg.append("text").attr("class", "words").attr("x", width - right).attr("y", height - 4).attr("text-anchor", "end").text("size of the file");
  svg.append("text").attr("class", "words").attr("transform", `translate(14 ${(height - bottom + top) / 2}) rotate(-90)`).attr("text-anchor", "middle").text("SQNR of the output (dB)");
  const front = shown.filter((one) => !shown.some((other) => other !== one && other.model.bytes <= one.model.bytes && other.output >= one.output)).sort((a, b) => a.model.bytes - b.model.bytes);
  svg.append("path").attr("class", "front").attr("d", d3.line().x(({ model }) => x(model.bytes)).y(({ output }) => y(output))(front));
  for (const { model, output, color } of shown) {
    const beyond = x(model.bytes) > (left + width) / 2;
    svg.append("circle").attr("r", 6).attr("fill", color).attr("cx", x(model.bytes)).attr("cy", y(output));
    svg.append("text").attr("class", "named").attr("x", x(model.bytes) + (beyond ? -10 : 10)).attr("y", y(output) - 8).attr("text-anchor", beyond ? "end" : "start").text(shortened(model.file, 34));
  }
  return element("figure", {}, element("figcaption", {}, "Size and error"), svg.node());
}

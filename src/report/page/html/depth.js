// Ninth part: the error along the depth of the network, as one picture.

const kDeepest = 80; // dB below the signal: errors smaller than that are drawn there
const kNoticeable = 20, kBroken = 10; // dB; docs/commands/compare.md says why
const kNamed = { wide: 4, narrow: 2 };

/** Null where it is not known. */
const level = (error, rms) => (!finite(error) || !(rms > 0) ? null : error > 0 ? Math.max(-kDeepest, 20 * Math.log10(error / rms)) : -kDeepest);

/** Per compared map in graph order: its index, its error and what of that is created there or inherited, in dB relative to the signal. */
function depthPoints() {
  const sqnr = metricAt("sqnr");
  if (sqnr < 0) return [];
  return maps.map((map, index) => ({ map: index, value: map.metrics[sqnr], origin: map.origin, rms: map.reference?.[3] }))
    .filter(({ value }) => value === "inf" || finite(value))
    .map(({ map, value, origin, rms }) => ({ map, sqnr: value, total: value === "inf" ? -kDeepest : Math.max(-kDeepest, -value),
      created: origin ? level(origin.errors[1], rms) : null, inherited: origin ? level(origin.errors[2], rms) : null, share: origin?.share ?? 0 }));
}
/** The maps to be named: those that make most of the outputs' error, else those with the most error. */
function worstPoints(points, most) {
  const shared = points.some(({ share }) => share > 0);
  const by = shared ? (a, b) => b.share - a.share : (a, b) => b.total - a.total;
  return { shared, worst: [...points].filter(({ sqnr, share }) => sqnr !== "inf" && (!shared || share > 0)).sort(by).slice(0, most) };
}

function depthChart(parent) {
  const points = depthPoints();
  if (points.length < 2) return;
  const origins = points.some(({ created }) => created !== null);
  const key = (name, words) => element("span", {}, element("i", { class: name }), words);
  const frame = element("div", { class: "chart" });
  const figure = element("figure", { class: "depth" }, element("figcaption", {}, "Error along the network, from input to output"),
    element("div", { class: "keys" }, key("total", "error of the feature map (SQNR)"), origins ? key("fill inherited", "inherited from above") : null, origins ? key("fill created", "created here") : null,
      key("dash limit", "from here a verdict is noticeably off, and broken")), frame, worstLine(points));
  parent.append(figure);
  let markSelected = () => {};
  onSelect.push(() => markSelected());
  fitted(frame, (width) => (markSelected = drawDepth(frame, width, points, origins)));
}
/** The worst in words, each leading to its node. */
function worstLine(points) {
  const { shared, worst } = worstPoints(points, 5);
  const made = element("p", { class: "worst" }, shared ? "Where the outputs' error is made: " : "Worst: ");
  worst.forEach(({ map, share, sqnr }, at) => made.append(at > 0 ? ", " : "", link(map, shortened(nameOfMap(map), 40)), ` (${!shared ? number(sqnr) + " dB" : percent(Number(share.toPrecision(2)))})`));
  if (worst.some(({ share }) => share > 1.05)) made.append("; over 100 %: the errors of others cancel a part of it");
  return worst.length > 0 ? made : null;
}

function drawDepth(frame, width, points, origins) {
  const height = width < 700 ? 206 : 216, left = 90, right = 12, top = 10, bottom = 36;
  const svg = d3.select(frame.appendChild(shape("svg", { role: "img", "aria-label": depthInWords(points) })));
  frame.replaceChildren(svg.node());
  svg.attr("width", width).attr("height", height);
  const lowest = Math.max(-kDeepest, Math.min(-50, d3.min(points, ({ total }) => total))), highest = Math.max(0, d3.max(points, ({ total }) => total)) + 4;
  const x = d3.scaleLinear([0, points.length - 1], [left, width - right]), y = d3.scaleLinear([lowest, highest], [height - bottom, top]);
  for (const [from, to, name] of [[-kNoticeable, -kBroken, "off"], [-kBroken, highest, "broken"]]) {
    svg.append("rect").attr("class", "zone " + name).attr("x", left).attr("width", width - left - right).attr("y", y(to)).attr("height", y(from) - y(to));
  }
  depthAxes(svg, x, y, width, height, { left, right, bottom });
  const area = (field) => d3.area().defined((point) => point[field] !== null).x((_, i) => x(i)).y0(y(lowest)).y1((point) => y(Math.max(lowest, point[field])))(points);
  for (const [field, name] of origins ? [["inherited", "inherited"], ["created", "created"]] : [["total", "inherited"]]) svg.append("path").attr("class", "area " + name).attr("d", area(field));
  const crowded = points.length > (width - left - right) / 3; // thick lines would run into one
  svg.append("path").attr("class", crowded ? "total crowded" : "total").attr("d", d3.line().x((_, i) => x(i)).y(({ total }) => y(total))(points));
  for (const limit of [kNoticeable, kBroken]) svg.append("line").attr("class", "limit").attr("x1", left).attr("x2", width - right).attr("y1", y(-limit)).attr("y2", y(-limit));
  nameWorst(svg, points, x, y, width, { left, right, top });
  return listenToDepth(svg, points, x, [top, height - bottom]);
}
function depthAxes(svg, x, y, width, height, { left, right, bottom }) {
  const decibels = [0, 10, 20, 40, 60, 80].filter((value) => -value >= y.domain()[0]);
  const share = (value) => number(Number((100 * 10 ** (-value / 20)).toPrecision(2))) + " %";
  const up = d3.axisLeft(y).tickValues(decibels.map((value) => -value)).tickFormat((value) => `${Math.abs(value)} dB · ${share(-value)}`).tickSize(-(width - left - right));
  svg.append("g").attr("class", "axis grid").attr("transform", `translate(${left} 0)`).call(up);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0 ${height - bottom})`).call(d3.axisBottom(x).ticks(Math.max(2, width / 110)).tickFormat((i) => (Number.isInteger(i) ? i : "")));
  svg.append("text").attr("class", "words").attr("x", width - right).attr("y", height - 4).attr("text-anchor", "end").text("feature maps in order of execution");
}
/** Names beside the worst points, where they do not lie on each other. */
function nameWorst(svg, points, x, y, width, { left, right, top }) {
  const taken = [];
  for (const point of worstPoints(points, width < 700 ? kNamed.narrow : kNamed.wide).worst) {
    const text = shortened(nameOfMap(point.map), width < 700 ? 20 : 30), wide = 6.6 * [...text].length + 4;
    const at = [x(points.indexOf(point)), y(point.total)];
    const ends = at[0] + wide / 2 > width - right; // the estimate of its width is one
    const from = Math.max(left + 2, ends ? width - right - wide : at[0] - wide / 2);
    const free = (line) => line > top + 6 && taken.every(([a, b, height]) => a > from + wide + 6 || b < from - 6 || Math.abs(height - line) > 13);
    const line = [-12, -26, -40, -54].map((up) => at[1] + up).find(free) ?? [24, 38].map((down) => at[1] + down).find(free);
    svg.append("circle").attr("class", "worst").attr("r", 3.5).attr("cx", at[0]).attr("cy", at[1]);
    if (line === undefined) continue;
    taken.push([from, from + wide, line]);
    svg.append("path").attr("class", "leader").attr("d", `M${at[0]} ${at[1]}V${line + (line < at[1] ? 3 : -10)}`);
    svg.append("text").attr("class", "named").attr("x", ends ? width - right : from).attr("y", line).attr("text-anchor", ends ? "end" : "start").text(text);
  }
}
function depthInWords(points) {
  const { worst } = worstPoints(points, 3), last = points[points.length - 1];
  return `SQNR of ${points.length} feature maps in order of execution; the last has ${number(last.sqnr)} dB. ` +
    worst.map(({ map, sqnr }) => `${nameOfMap(map)}: ${number(sqnr)} dB`).join("; ");
}
/** Hovering tells, a click selects; what it returns marks the selected map. */
function listenToDepth(svg, points, x, [top, bottom]) {
  const cursor = svg.append("line").attr("class", "cursor").attr("y1", top).attr("y2", bottom).attr("display", "none");
  const selected = svg.append("line").attr("class", "chosen").attr("y1", top).attr("y2", bottom);
  const at = () => Math.max(0, Math.min(points.length - 1, Math.round(x.invert(d3.mouse(svg.node())[0]))));
  svg.on("mousemove", () => {
    const i = at(), { map, sqnr, created, inherited } = points[i];
    cursor.attr("display", null).attr("x1", x(i)).attr("x2", x(i));
    const part = (words, value) => (value === null ? [] : [`${words}: ${number(-value)} dB`]);
    showTip(d3.event, [nameOfMap(map), `${maps[map].op}, SQNR ${number(sqnr)} dB`, ...part("created here", created), ...part("inherited", inherited)]);
  }).on("mouseleave", () => {
    cursor.attr("display", "none");
    hideTip();
  }).on("click", () => select(points[at()].map, false));
  const mark = () => {
    const i = points.findIndex(({ map }) => map === selection.map);
    selected.attr("display", i < 0 ? "none" : null).attr("x1", x(i)).attr("x2", x(i));
  };
  mark();
  return mark;
}

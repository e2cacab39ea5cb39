// Third part: curves, histograms and box plots.

const curveColors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]; // apart for most eyes
let logCounts = false;

/** Calls draw(width) now, and whenever the frame turns out to have another width. */
function fitted(frame, draw) {
  let drawn = 0;
  const again = (width) => {
    if (width < 50 || Math.abs(width - drawn) < 1) return;
    drawn = width;
    draw(width);
  };
  again(pageRoom());
  new ResizeObserver((entries) => again(Math.floor(entries[0].contentRect.width))).observe(frame);
}
/** As many digits as tell the ticks apart. */
function tick(scale) {
  const [low, high] = scale.domain(), digits = Math.max(0, Math.ceil(-Math.log10(Math.abs(high - low) / 6)));
  return (value) => (digits <= 6 ? String(Number(value.toFixed(digits))) : value.toExponential(2));
}
const finite = (value) => typeof value === "number" && Number.isFinite(value);

/**
 * Values from node to node. `names(i)`, `mapOf(i)`: what stands at place i; `series`: {label, color, dash, values, crosses}; `threshold` and
 * `marked` (places to be circled) may be left out. Hovering tells, a click selects the node everywhere, dragging shows a part, a double click all.
 */
function curveChart(parent, { title, note, label, count, names, mapOf, series, threshold, marked = () => false, logarithmic = false, named = false }) {
  const figure = element("figure", {}, element("figcaption", {}, title), note ? element("div", { class: "soft" }, note) : null);
  const legend = element("div", { class: "keys" }, ...series.map(({ label: text, color, dash, crosses }) => {
    const sample = element("i", { class: crosses ? "cross" : dash ? "dash" : "" }, crosses ? "✕" : "");
    sample.style.color = color;
    return element("span", {}, sample, text);
  }), threshold === undefined ? null : element("span", {}, element("i", { class: "dash limit" }), "threshold " + number(threshold)));
  const frame = element("div", { class: "chart" });
  figure.append(legend, frame);
  parent.append(figure);
  const all = series.flatMap(({ values }) => values).concat(threshold === undefined ? [] : [threshold]).filter((value) => finite(value) && (!logarithmic || value > 0));
  if (all.length === 0) return frame.append(element("p", { class: "soft" }, "Nothing in it has a finite value."));
  let shown = [-0.5, count - 0.5], markSelected = () => {};
  onSelect.push(() => markSelected());
  const height = named ? 330 : 260, left = 62, right = 14, top = 10, bottom = named ? 110 : 38;

  fitted(frame, draw);
  function draw(width) {
    frame.replaceChildren();
    const svg = d3.select(frame).append("svg").attr("width", width).attr("height", height).attr("role", "img").attr("aria-label", title);
    const x = d3.scaleLinear(shown, [left, width - right]);
    const y = (logarithmic ? d3.scaleLog() : d3.scaleLinear()).domain(d3.extent(all)).nice().range([height - bottom, top]);
    if (y.domain()[0] === y.domain()[1]) y.domain([y.domain()[0] - 1e-6, y.domain()[1] + 1e-6]);
    axes(svg, x, y, width);
    const clip = "clip" + String(charts++);
    svg.append("clipPath").attr("id", clip).append("rect").attr("x", left).attr("y", top - 6).attr("width", width - left - right).attr("height", height - top - bottom + 12);
    const plot = svg.append("g").attr("clip-path", `url(#${clip})`);
    const place = (value) => y(logarithmic ? Math.max(value, y.domain()[0]) : value);
    if (threshold !== undefined) plot.append("line").attr("class", "limit").attr("x1", left).attr("x2", width - right).attr("y1", place(threshold)).attr("y2", place(threshold));
    const path = d3.line().x((_, i) => x(i)).y(place).defined((value) => finite(value));
    for (const { values, color, dash, crosses } of series) {
      if (!crosses) plot.append("path").attr("class", "curve").attr("stroke", color).attr("stroke-dasharray", dash ?? null).attr("d", path(values));
      const points = values.map((value, i) => [i, value]).filter(([i, value]) => finite(value) && i >= shown[0] && i <= shown[1]);
      if (crosses) {
        plot.selectAll(null).data(points).join("path").attr("class", "mark").attr("stroke", color).attr("d", ([i, value]) => `M${x(i) - 4} ${place(value) - 4}l8 8m0-8l-8 8`);
      } else if (points.length <= 120) {
        plot.selectAll(null).data(points).join("circle").attr("r", 2.2).attr("fill", color).attr("cx", ([i]) => x(i)).attr("cy", ([, value]) => place(value));
      }
      plot.selectAll(null).data(points.filter(([i]) => marked(i))).join("circle").attr("class", "circled").attr("r", 5).attr("cx", ([i]) => x(i)).attr("cy", ([, value]) => place(value));
    }
    const cursor = plot.append("line").attr("class", "cursor").attr("y1", top).attr("y2", height - bottom);
    const selected = plot.append("line").attr("class", "chosen").attr("y1", top).attr("y2", height - bottom);
    markSelected = () => {
      let at = -1;
      for (let i = 0; i < count && selection.map !== null && at < 0; ++i) if (mapOf(i) === selection.map) at = i;
      selected.attr("display", at < 0 ? "none" : null).attr("x1", x(at)).attr("x2", x(at));
    };
    markSelected();
    listen(svg, x, cursor, width);
  }

  function axes(svg, x, y, width) {
    const ticks = named ? d3.range(Math.ceil(shown[0]), Math.floor(shown[1]) + 1) : x.ticks(Math.max(2, width / 90)).filter(Number.isInteger);
    const across = d3.axisBottom(x).tickValues(named && ticks.length > width / 14 ? ticks.filter((_, i) => i % Math.ceil(ticks.length * 14 / width) === 0) : ticks)
      .tickFormat((i) => (named ? shortened(names(i), 22) : String(i)));
    const below = svg.append("g").attr("class", "axis").attr("transform", `translate(0 ${height - bottom})`).call(across);
    if (named) below.selectAll("text").attr("transform", "rotate(-35)").attr("text-anchor", "end").attr("dx", "-0.5em").attr("dy", "0.4em");
    else svg.append("text").attr("class", "words").attr("x", (left + width - right) / 2).attr("y", height - 4).attr("text-anchor", "middle").text("layer, in graph order");
    const up = d3.axisLeft(y).ticks(logarithmic ? 5 : 6).tickFormat(logarithmic ? (value) => (Number.isInteger(Math.log10(value)) || y.ticks(5).length < 6 ? number(value) : "") : tick(y)).tickSize(-(width - left - right));
    svg.append("g").attr("class", "axis grid").attr("transform", `translate(${left} 0)`).call(up);
    svg.append("text").attr("class", "words").attr("transform", `translate(13 ${(height - bottom + top) / 2}) rotate(-90)`).attr("text-anchor", "middle").text(label);
  }
  function listen(svg, x, cursor, width) {
    const at = () => Math.max(0, Math.min(count - 1, Math.round(x.invert(d3.mouse(svg.node())[0]))));
    const brush = d3.brushX().extent([[left, top], [width - right, height - bottom]]).on("end", () => {
      const { selection: part, sourceEvent } = d3.event;
      if (!sourceEvent) return;
      if (!part || part[1] - part[0] < 6) {
        if (part) over.call(brush.move, null);
        return select(mapOf(at()), false);
      }
      shown = [Math.max(-0.5, x.invert(part[0])), Math.min(count - 0.5, x.invert(part[1]))];
      draw(width);
    });
    const over = svg.append("g").attr("class", "brush").call(brush);
    over.on("mousemove.tip", () => {
      const i = at();
      cursor.attr("display", null).attr("x1", x(i)).attr("x2", x(i));
      showTip(d3.event, [names(i), ...series.map(({ label: text, values }) => text + ": " + number(values[i]))]);
    }).on("mouseleave.tip", () => {
      cursor.attr("display", "none");
      hideTip();
    }).on("dblclick", () => {
      shown = [-0.5, count - 0.5];
      draw(width);
    });
    cursor.attr("display", "none");
  }
}
let charts = 0;

// ---- Histograms and box plots ----

const kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
const kCodes = new Map([...kAlphabet].map((letter, code) => [letter, code]));
/** Shares from 0 to 1, two letters each. */
function shares(letters) {
  const made = new Array(letters.length / 2);
  for (let i = 0; i < made.length; ++i) made[i] = (kCodes.get(letters[2 * i]) * 64 + kCodes.get(letters[2 * i + 1])) / 4095;
  return made;
}
const countsOf = ([, , most, letters]) => shares(letters).map((share) => Math.round(Math.expm1(share * Math.log1p(most))));

const distributionRows = data.distributions?.rows ?? [];
const distributionsByMap = rowsByMap();
function rowsByMap() {
  const made = new Map();
  for (const row of distributionRows) {
    if (!made.has(row.map)) made.set(row.map, []);
    made.get(row.map).push(row);
  }
  return made;
}
const distributionsOf = (map) => distributionsByMap.get(map) ?? [];

function distributionCharts(parent, row, width) {
  const what = row.kind === "weight" ? "Weights " + row.name : "Values";
  parent.append(element("h4", {}, what), histogramChart(row, width));
  if (row.boxes && row.channels > 1) parent.append(boxChart(row, width));
  parent.append(element("details", {}, element("summary", {}, "Reference − quantized"), errorHistogram(row, width)));
}

function histogramFrame(title, width, height) {
  return d3.create("svg").attr("class", "plot").attr("width", width).attr("height", height).attr("role", "img").attr("aria-label", title);
}
function stepPath(x, y, low, high, counts, closed) {
  const step = (high - low) / counts.length, base = y.range()[0];
  let d = `M${x(low)} ${base}`;
  counts.forEach((count, i) => (d += `V${y(count)}H${x(low + (i + 1) * step)}`));
  return d + (closed ? `V${base}Z` : `V${base}`);
}
/** Reference filled, quantized as a line; the representable range dashed in red, max|x| as a triangle. */
function histogramChart(row, width) {
  const height = 128, bottom = 24, top = 16;
  const [low, high] = row.before, before = countsOf(row.before), after = countsOf(row.after);
  const span = high - low, inside = (row.range ?? []).filter((limit) => limit > low - span && limit < high + span);
  const svg = histogramFrame("Histogram", width, height);
  const x = d3.scaleLinear([Math.min(low, ...inside), Math.max(high, ...inside)], [14, width - 14]);
  const y = (logCounts ? d3.scaleSymlog() : d3.scaleLinear()).domain([0, Math.max(1, ...before, ...after)]).range([height - bottom, top]);
  svg.append("path").attr("class", "before").attr("d", stepPath(x, y, row.before[0], row.before[1], before, true));
  svg.append("path").attr("class", "after").attr("d", stepPath(x, y, row.after[0], row.after[1], after, false));
  for (const limit of inside) svg.append("line").attr("class", "limit").attr("x1", x(limit)).attr("x2", x(limit)).attr("y1", top - 8).attr("y2", height - bottom);
  const largest = Math.abs(high - row.before[4]) < Math.abs(low + row.before[4]) ? row.before[4] : -row.before[4];
  svg.append("path").attr("class", "largest").attr("d", `M${x(largest)} ${height - bottom - 7}l-4 7h8z`).append("title").text("largest |x|: " + number(row.before[4]));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0 ${height - bottom})`).call(d3.axisBottom(x).ticks(Math.max(2, width / 75)).tickFormat(number));
  svg.on("mousemove", () => {
    const value = x.invert(d3.mouse(svg.node())[0]), at = Math.floor((value - low) / span * before.length);
    if (at < 0 || at >= before.length) return hideTip();
    const step = span / before.length;
    showTip(d3.event, [number(low + at * step) + " ~ " + number(low + (at + 1) * step), "reference: about " + grouped(before[at]), "quantized: about " + grouped(after[at] ?? 0)]);
  }).on("mouseleave", hideTip);
  const range = row.range ? element("span", {}, element("i", { class: "dash limit" }), `range ${number(row.range[0])} ~ ${number(row.range[1])}` + (inside.length < 2 ? " (beyond the picture)" : "")) : null;
  return element("div", { class: "histogram" }, svg.node(), element("div", { class: "keys small" }, element("span", {}, element("i", { class: "fill" }), "reference"),
    element("span", {}, element("i", { class: "stroke" }), "quantized"), range));
}
function errorHistogram(row, width) {
  const height = 96, bottom = 24, counts = countsOf(row.difference), [low, high] = row.difference;
  const svg = histogramFrame("Histogram of the difference", width, height);
  const x = d3.scaleLinear([low, high], [14, width - 14]);
  const y = (logCounts ? d3.scaleSymlog() : d3.scaleLinear()).domain([0, Math.max(1, ...counts)]).range([height - bottom, 6]);
  svg.append("path").attr("class", "before").attr("d", stepPath(x, y, low, high, counts, true));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0 ${height - bottom})`).call(d3.axisBottom(x).ticks(Math.max(2, width / 75)).tickFormat(number));
  return svg.node();
}
/** Per channel of the reference: quartiles, red median, blue dashed mean, whiskers, the largest outlier. */
function boxChart(row, width) {
  const [low, high, letters] = row.boxes, parts = shares(letters), count = parts.length / 7;
  const height = 140, bottom = 30, left = 42, folded = row.channels > count;
  const svg = histogramFrame("Box plot per channel", width, height);
  const x = d3.scaleLinear([0, count], [left, width - 14]), y = d3.scaleLinear([0, 1], [height - bottom, 6]);
  const half = Math.max(0.6, (x(1) - x(0)) * 0.36);
  const lines = { whisker: "", box: "", median: "", mean: "", outlier: "" };
  for (let i = 0; i < count; ++i) {
    const at = x(i + 0.5), [bottomEnd, lower, median, mean, upper, topEnd, outlier] = parts.slice(7 * i, 7 * i + 7).map(y);
    lines.whisker += `M${at} ${bottomEnd}V${lower}M${at} ${upper}V${topEnd}`;
    lines.box += `M${at - half} ${lower}H${at + half}V${upper}H${at - half}Z`;
    lines.median += `M${at - half} ${median}H${at + half}`;
    lines.mean += `M${at - half} ${mean}H${at + half}`;
    if (outlier !== median) lines.outlier += `M${at} ${outlier}h0`;
  }
  for (const [name, d] of Object.entries(lines)) svg.append("path").attr("class", name).attr("d", d);
  const channel = d3.scaleLinear([0, row.channels], x.range());
  svg.append("g").attr("class", "axis").attr("transform", `translate(0 ${height - bottom})`).call(d3.axisBottom(channel).ticks(Math.max(2, width / 60)).tickFormat(d3.format("d")));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${left} 0)`).call(d3.axisLeft(d3.scaleLinear([low, high], y.range())).ticks(5).tickFormat(number));
  svg.append("text").attr("class", "words").attr("x", width / 2).attr("y", height - 2).attr("text-anchor", "middle").text("channel of axis " + row.axis + (folded ? ", neighbours folded" : ""));
  svg.on("mousemove", () => {
    const i = Math.floor(x.invert(d3.mouse(svg.node())[0]));
    if (i < 0 || i >= count) return hideTip();
    const value = (at) => number(low + parts[7 * i + at] * (high - low));
    const first = Math.ceil(i * row.channels / count), last = Math.ceil((i + 1) * row.channels / count) - 1;
    showTip(d3.event, [first === last ? "channel " + first : `channels ${first} to ${last}`, `median ${value(2)}, mean ${value(3)}`, `quartiles ${value(1)} ~ ${value(4)}`, `whiskers ${value(0)} ~ ${value(5)}`,
      parts[7 * i + 6] === parts[7 * i + 2] ? "no outlier" : "farthest outlier " + value(6)]);
  }).on("mouseleave", hideTip);
  return svg.node();
}

// Fifth part: the picture of a graph, and how it is moved.

const kFar = 0.42;   // below this scale texts cannot be read, and are left out
const kMany = 300;   // pictures of more boxes hold only those in sight
const kCentred = 0.9; // scale at which a node is shown
const kWhole = [-Infinity, -Infinity, Infinity, Infinity];

const within = (inner, outer) => inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3];
const touch = (box, area) => box[0] <= area[2] && box[2] >= area[0] && box[1] <= area[3] && box[3] >= area[1];
const extent = ({ x, y, width, height }) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];

/** One of the two models: `side` is "node" or "twin", the field of a map that names the node that makes it here. */
class GraphView {
  constructor(stage, graph, side) {
    Object.assign(this, { stage, graph, side, layout: new Layout(graph), hits: new Set(), fills: new Map(), drawnArea: null, measured: null, untouched: true });
    this.svg = stage.querySelector("svg");
    this.picture = d3.select(this.svg);
    this.world = this.picture.append("g").attr("class", "world");
    this.layers = Object.fromEntries(["frames", "edges", "near", "boxes"].map((name) => [name, this.world.append("g").attr("class", name)]));
    this.layers.edges.append("path").attr("class", "edge");
    this.layers.near.append("path").attr("class", "edge near");
    this.scene = { boxes: [], frames: [], arrows: [], at: new Map(), width: 0, height: 0 };
    this.mapsOfNode = side === "node" ? mapsOfNode : mapsByNode(graph.nodes, side);
    this.zoomer = d3.zoom().scaleExtent([0.02, 4]).clickDistance(4)
      .wheelDelta(() => -d3.event.deltaY * (d3.event.deltaMode === 1 ? 0.05 : d3.event.deltaMode ? 1 : 0.0022))
      .on("start", () => {
        if (d3.event.sourceEvent) this.untouched = false;
        this.picture.classed("moving", true);
      })
      .on("end", () => this.picture.classed("moving", false))
      .on("zoom", () => this.moved());
    this.minimap = new Minimap(this, stage.querySelector("canvas"));
    this.listen();
    new ResizeObserver(() => this.resized()).observe(this.svg);
  }
  get view() {
    return d3.zoomTransform(this.svg);
  }
  /** Asking again in every frame would lay the page out in every frame. */
  get size() {
    return (this.measured ??= this.svg.getBoundingClientRect());
  }
  /** The window has another size: what was in the middle stays there; a picture that nobody moved is fitted again. */
  resized() {
    const before = this.measured;
    this.measured = null;
    const { width, height } = this.size;
    if (!before || width < 2 || (Math.abs(before.width - width) < 1 && Math.abs(before.height - height) < 1)) return;
    if (before.width < 2 || this.untouched) return this.firstView();
    const { x, y, k } = this.view;
    this.moveTo(x + (width - before.width) / 2, y + (height - before.height) / 2, k);
  }
  moveTo(x, y, k) {
    this.picture.call(this.zoomer.transform, d3.zoomIdentity.translate(x, y).scale(k));
  }
  moved() {
    const { x, y, k } = this.view;
    this.world.attr("transform", `translate(${x} ${y}) scale(${k})`);
    this.picture.classed("far", k < kFar);
    if (!this.drawnArea || !within(this.inSight(0), this.drawnArea)) {
      this.drawnArea = null;
      this.draw();
    }
    this.minimap.drawFrame();
  }
  /** The part of the world that is in the window, and `spare` windows more on every side. */
  inSight(spare) {
    const { x, y, k } = this.view, { width, height } = this.size;
    return [(-x - spare * width) / k, (-y - spare * height) / k, (width * (1 + spare) - x) / k, (height * (1 + spare) - y) / k];
  }

  // ---- Drawing ----

  /** Lays the graph out again, after groups opened or closed; `anchor`: a member that stays where it is in the window. */
  rearrange(anchor) {
    const before = anchor === undefined ? null : this.scene.at.get(anchor);
    this.scene = this.layout.arrange();
    this.fills = fillsOf(this);
    this.drawnArea = null;
    const after = anchor === undefined ? null : this.scene.at.get(anchor);
    if (before && after) {
      const { x, y, k } = this.view;
      const shift = (what) => (what.y - what.height / 2) * k;
      this.moveTo(x + (before.x - after.x) * k, y + shift(before) - shift(after), k);
    }
    this.draw(true);
    this.minimap.draw();
  }
  /** Makes the elements of what is in sight; `again`: those that there are have another place or colour, too. */
  draw(again = false) {
    const { scene, layers } = this;
    const many = scene.boxes.length > kMany && this.drawnArea?.[0] !== -Infinity;
    const area = (this.drawnArea = many ? this.inSight(0.7) : kWhole);
    const seen = many ? scene.boxes.filter((box) => touch(extent(box), area)) : scene.boxes;
    const boxes = layers.boxes.selectAll(".node").data(seen, (box) => box.member).join((enter) => this.makeBox(enter).each(this.dress()));
    if (again) boxes.each(this.dress());
    layers.frames.selectAll(".frame").data(scene.frames.filter((frame) => touch(extent(frame), area)), (frame) => frame.member).join((enter) => this.makeFrame(enter))
      .attr("transform", ({ x, y, width, height }) => `translate(${x - width / 2} ${y - height / 2})`)
      .call((all) => all.select(".ground").attr("width", ({ width }) => width).attr("height", ({ height }) => height));
    layers.edges.select("path").attr("d", scene.arrows.filter((each) => touch(each.box, area)).map((each) => each.d).join(""));
    this.highlight();
  }
  makeBox(enter) {
    const made = enter.append("g").attr("class", (box) => (isGroup(box.member) ? "node group" : "node")).attr("data-member", (box) => box.member);
    made.filter((box) => isGroup(box.member)).append("rect").attr("class", "behind");
    made.append("title").text((box) => this.titleOf(box.member));
    made.append("rect").attr("class", "face");
    made.append("text").attr("class", "op").attr("y", -2).text(({ member }) => (isGroup(member) ? "▸ " + this.groupOf(member).label : this.graph.nodes[member][0]));
    made.append("text").attr("y", 11).text(({ member }) => (isGroup(member) ? this.groupFacts(groupAt(member)) : shortened(this.nameOf(member), 26)));
    return made;
  }
  dress() {
    const view = this;
    return function (box) {
      const drawn = d3.select(this).attr("transform", `translate(${box.x} ${box.y})`);
      const { color, text, alone } = view.fills.get(box.member) ?? kNone;
      drawn.classed("alone", alone === true);
      drawn.select(".behind").attr("x", -box.width / 2 + 4).attr("y", -box.height / 2 + 4).attr("width", box.width).attr("height", box.height);
      drawn.select(".face").attr("x", -box.width / 2).attr("y", -box.height / 2).attr("width", box.width).attr("height", box.height).attr("fill", color);
      drawn.selectAll("text").attr("fill", text);
    };
  }
  makeFrame(enter) {
    const headOf = (member) => "▾ " + this.groupOf(member).label;
    const made = enter.append("g").attr("class", "frame").attr("data-member", (frame) => frame.member);
    made.append("rect").attr("class", "ground");
    made.append("rect").attr("class", "head").attr("width", ({ member }) => 16 + 7.2 * headOf(member).length).attr("height", kHeader);
    made.append("text").attr("x", 8).attr("y", 15).text(({ member }) => headOf(member));
    return made;
  }
  groupOf(member) {
    return this.layout.groups[groupAt(member)];
  }
  /** The short name where there is one. */
  nameOf(node) {
    const map = this.side === "node" ? maps[this.mapsOfNode[node][0]] : undefined;
    return map?.display ?? this.graph.nodes[node][1];
  }
  titleOf(member) {
    if (isGroup(member)) return this.groupOf(member).label + ": " + this.groupFacts(groupAt(member)) + " (click to open)";
    return this.graph.nodes[member][0] + " " + this.graph.nodes[member][1];
  }
  groupFacts(group) {
    const same = this.layout.alike(group).length;
    return plural(this.layout.groups[group].leaves, "node") + (same > 1 ? ` · 1 of ${same} alike` : "");
  }
  paint() {
    this.fills = fillsOf(this);
    this.layers.boxes.selectAll(".node").each(this.dress());
    this.minimap.draw();
  }

  // ---- What is selected, and what is near it ----

  /** What stands for the selection in this picture; null: nothing. */
  get chosen() {
    if (selection.group?.view === this) return memberOf(selection.group.index);
    const node = selection.group ? null : selection[this.side];
    return node === null || node === undefined ? null : this.layout.standIn(node);
  }
  highlight() {
    const member = this.chosen;
    this.layers.boxes.selectAll(".node").classed("selected", (box) => box.member === member).classed("hit", (box) => this.hits.has(box.member));
    this.layers.frames.selectAll(".frame").classed("selected", (frame) => frame.member === member);
    this.layers.near.select("path").attr("d", member === null ? "" : this.scene.arrows.filter(({ from, to }) => from === member || to === member).map(({ d }) => d).join(""));
  }
  /** Brings the selection into view; groups around it open. */
  show() {
    const node = selection.group ? null : selection[this.side];
    if (node !== null && node !== undefined && this.layout.openAround(node)) this.rearrange();
    if (this.chosen !== null) this.centre(this.chosen);
  }
  centre(member) {
    const box = this.scene.at.get(member);
    if (!box) return;
    this.untouched = false;
    const { width, height } = this.size;
    const k = this.view.k < 0.6 ? kCentred : this.view.k;
    this.moveTo(width / 2 - box.x * k, height / 2 - (isGroup(member) ? box.y - box.height / 2 + 60 : box.y) * k, k);
  }
  toggle(group, open = !this.layout.opened[group]) {
    if (group <= 0 || this.layout.opened[group] === open) return;
    this.layout.opened[group] = open;
    this.untouched = false;
    this.rearrange(memberOf(group));
  }
  toggleAll(open) {
    this.layout.groups.forEach((_, group) => (this.layout.opened[group] = group === 0 || open));
    this.rearrange();
    if (this.chosen !== null && this.scene.at.has(this.chosen)) this.centre(this.chosen);
    else this.fit();
  }

  // ---- Moving ----

  fit() {
    const { width, height } = this.size, { scene } = this;
    const k = Math.max(0.02, Math.min(1.2, (width - 24) / Math.max(1, scene.width), (height - 24) / Math.max(1, scene.height)));
    this.moveTo((width - scene.width * k) / 2, Math.max(12, (height - scene.height * k) / 2), k);
  }
  /** At first: the whole graph where that can be read, else its top. */
  firstView() {
    this.fit();
    const { boxes } = this.scene;
    this.untouched = true;
    if (this.view.k >= kFar || boxes.length === 0) return;
    const top = boxes.reduce((best, box) => (box.y < best.y ? box : best));
    const k = 0.8, room = Math.max(0, this.size.width - this.scene.width * k) / 2;
    this.moveTo(Math.min(this.size.width / 2 - top.x * k, 24 + room), 40 - top.y * k, k);
  }
  /** The member to go to from the selected one: along an arrow upwards or downwards, else the nearest beside it. */
  neighbour(key) {
    const { scene } = this, from = scene.at.get(this.chosen);
    if (!from) return null;
    if (key === "ArrowUp" || key === "ArrowDown") {
      const next = scene.arrows.filter((each) => (key === "ArrowUp" ? each.to : each.from) === from.member)
        .map((each) => (key === "ArrowUp" ? each.from : each.to)).filter((member) => scene.at.get(member) && member !== from.member);
      const nearest = d3.scan(next, (a, b) => Math.abs(scene.at.get(a).x - from.x) - Math.abs(scene.at.get(b).x - from.x));
      return nearest === undefined ? null : next[nearest];
    }
    const side = key === "ArrowLeft" ? -1 : 1;
    const beside = scene.boxes.filter((box) => side * (box.x - from.x) > 1 && Math.abs(box.y - from.y) < 3 * this.graph.height);
    const at = d3.scan(beside, (a, b) => Math.hypot(a.x - from.x, 4 * (a.y - from.y)) - Math.hypot(b.x - from.x, 4 * (b.y - from.y)));
    return at === undefined ? null : beside[at].member;
  }
  listen() {
    this.picture.call(this.zoomer).on("dblclick.zoom", null);
    this.picture.on("click", () => {
      const drawn = d3.event.target.closest(".node, .head, .frame > text");
      if (!drawn || d3.event.defaultPrevented) return;
      const member = Number(drawn.closest("[data-member]").dataset.member);
      if (!isGroup(member)) return selectNode(this, member);
      selectGroup(this, groupAt(member));
      this.toggle(groupAt(member));
    });
    this.picture.on("keydown", () => this.pressed(d3.event));
  }
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    const zoom = (by) => () => this.picture.call(this.zoomer.scaleBy, by);
    const action = { "+": zoom(1.25), "=": zoom(1.25), "-": zoom(0.8), 0: () => this.fit(), e: () => this.toggleAll(true), c: () => this.toggleAll(false),
      Enter: () => this.chosen !== null && isGroup(this.chosen) && this.toggle(groupAt(this.chosen)) }[event.key];
    if (!step && !action) return;
    event.preventDefault();
    if (action) return action();
    const next = event.shiftKey ? null : this.chosen === null ? this.firstInSight() : this.neighbour(event.key);
    if (event.shiftKey || this.chosen === null && next === null) return this.picture.call(this.zoomer.translateBy, ...step.map((by) => by / this.view.k));
    if (next === null) return;
    if (isGroup(next)) selectGroup(this, groupAt(next));
    else selectNode(this, next);
    this.centre(next);
  }
  /** Where the arrow keys begin. */
  firstInSight() {
    const seen = this.scene.boxes.filter((box) => touch(extent(box), this.inSight(0)));
    const at = d3.scan(seen, (a, b) => a.y - b.y || a.x - b.x);
    return at === undefined ? null : seen[at].member;
  }
  /** Paper shows the whole graph, as large as it fits. */
  print(printing) {
    this.drawnArea = printing ? kWhole : null;
    this.draw();
    this.picture.attr("viewBox", printing ? `-4 -4 ${this.scene.width + 8} ${this.scene.height + 8}` : null).classed("far", !printing && this.view.k < kFar);
    this.world.attr("transform", printing ? null : `translate(${this.view.x} ${this.view.y}) scale(${this.view.k})`);
  }
}

// Fourth part: which groups of a graph are open, and where everything lies then.
//
// Every group was laid out by Graphviz with its members closed. A member that opens is larger than its box: the level around it is stretched
// where the member lies, in x and y alone, nowhere less than it was. So nothing comes to overlap, and everything keeps its order.

const kHeader = 22, kPadding = 12;
const kFew = 80;     // graphs of so many nodes start with all groups open
const kAtFirst = 40; // others with as many groups open as show no more boxes

const isGroup = (member) => member < 0;
const groupAt = (member) => -1 - member;
const memberOf = (group) => -1 - group;

/** A map of the line onto itself that makes room: intervals [from, to] become `factor` times as long, where several lie, as the largest says. */
function stretch(intervals, length) {
  const marks = [...new Set([0, length, ...intervals.flatMap(([from, to]) => [from, to])])].sort((a, b) => a - b);
  const places = [marks[0]];
  for (let i = 1; i < marks.length; ++i) {
    let factor = 1;
    for (const [from, to, times] of intervals) if (from < marks[i] && to > marks[i - 1]) factor = Math.max(factor, times);
    places.push(places[i - 1] + (marks[i] - marks[i - 1]) * factor);
  }
  if (marks.length < 2) return (value) => value;
  const mapped = d3.scaleLinear().domain(marks).range(places);
  return (value) => mapped(value);
}

/** The groups of one graph, and the places of what they show. */
class Layout {
  constructor({ nodes, groups, edges, height }) {
    Object.assign(this, { nodes, groups, height });
    this.opened = groups.map((_, index) => index === 0);
    this.members = groups.map(() => ({ nodes: [], groups: [], edges: [] }));
    this.groupOfNode = nodes.map((node) => node[5]);
    this.inside = groups.map(() => null);
    groups.forEach((group, index) => index > 0 && this.members[group.parent].groups.push(index));
    nodes.forEach((_, index) => this.members[this.groupOfNode[index]].nodes.push(index));
    for (const edge of edges) this.members[edge[0]].edges.push(edge);
  }
  nodesIn(group) {
    this.inside[group] ??= [...this.members[group].nodes, ...this.members[group].groups.flatMap((inner) => this.nodesIn(inner))];
    return this.inside[group];
  }
  /** Groups of the same structure, itself among them. */
  alike(group) {
    const { pattern } = this.groups[group];
    return pattern < 0 ? [] : this.groups.map((_, index) => index).filter((index) => this.groups[index].pattern === pattern);
  }
  openAtFirst() {
    let boxes = this.members[0]?.nodes.length + this.members[0]?.groups.length;
    const waiting = [...(this.members[0]?.groups ?? [])];
    while (waiting.length > 0) {
      const group = waiting.shift();
      const more = this.members[group].nodes.length + this.members[group].groups.length - 1;
      if (this.groups[group].kind === "subgraph" || (this.nodes.length > kFew && boxes + more > kAtFirst)) continue;
      this.opened[group] = true;
      boxes += more;
      waiting.push(...this.members[group].groups);
    }
  }
  /** Opens the groups around a node, or around a group; true where one was closed. */
  openAround(member) {
    let changed = false;
    let group = isGroup(member) ? this.groups[groupAt(member)].parent : this.groupOfNode[member];
    for (; group > 0; group = this.groups[group].parent) {
      changed = changed || !this.opened[group];
      this.opened[group] = true;
    }
    return changed;
  }
  /** What stands for a node in the picture: itself, or the outermost closed group around it. */
  standIn(node) {
    let shown = node;
    for (let group = this.groupOfNode[node]; group > 0; group = this.groups[group].parent) if (!this.opened[group]) shown = memberOf(group);
    return shown;
  }

  /** Sizes of the open groups, from the inside out. */
  measure(group) {
    const [width, height] = this.groups[group].size;
    const across = [], down = [], sizes = new Map();
    for (const inner of this.members[group].groups) {
      if (!this.opened[inner]) continue;
      const size = this.measure(inner);
      sizes.set(inner, size);
      const [x, y, box] = this.groups[inner].box;
      across.push([x - box / 2, x + box / 2, size.width / Math.max(1, box)]);
      down.push([y - this.height / 2, y + this.height / 2, size.height / this.height]);
    }
    const x = stretch(across, width), y = stretch(down, height);
    return { x, y, sizes, width: Math.max(x(width) + 2 * kPadding, this.groups[group].box[2]), height: y(height) + 2 * kPadding + kHeader,
      inner: x(width) };
  }
  /** Everything that is in the picture: boxes {member, x, y, width, height} (centres), frames of open groups, arrows {from, to, d, box}. */
  arrange() {
    const scene = { boxes: [], frames: [], arrows: [], width: 0, height: 0, at: new Map() };
    if (this.groups.length === 0) return scene;
    const root = this.measure(0);
    scene.width = root.inner;
    scene.height = root.y(this.groups[0].size[1]);
    this.put(0, root, 0, 0, scene);
    return scene;
  }
  put(group, size, left, top, scene) {
    const x = (value) => left + size.x(value), y = (value) => top + size.y(value);
    const tops = new Map(), bottoms = new Map();
    const box = (member, place, width, height) => {
      const made = { member, x: x(place[0]), y: y(place[1]), width, height };
      tops.set(member, made.y - height / 2);
      bottoms.set(member, made.y + height / 2);
      scene.at.set(member, made);
      return made;
    };
    for (const node of this.members[group].nodes) {
      const [, , across, down, width] = this.nodes[node];
      scene.boxes.push(box(node, [across, down], width, this.height));
    }
    for (const inner of this.members[group].groups) {
      const inside = size.sizes.get(inner), place = this.groups[inner].box;
      if (!inside) {
        scene.boxes.push(box(memberOf(inner), place, place[2], this.height));
        continue;
      }
      const frame = box(memberOf(inner), place, inside.width, inside.height);
      scene.frames.push(frame);
      this.put(inner, inside, frame.x - inside.inner / 2, frame.y - inside.height / 2 + kHeader + kPadding, scene);
    }
    const own = scene.at.get(memberOf(group));
    for (const [, from, to, path] of this.members[group].edges) {
      scene.arrows.push(arrow(from, to, path, x, y, { own, border: memberOf(group), tops, bottoms }));
    }
  }
}

/** The curve of an arrow; its ends are drawn on to the borders of what it joins. */
function arrow(from, to, path, x, y, { own, border, tops, bottoms }) {
  const made = d3.path();
  const xs = [], ys = [];
  for (let i = 0; i + 1 < path.length; i += 2) {
    xs.push(x(path[i]));
    ys.push(y(path[i + 1]));
  }
  const last = xs.length - 1;
  if (last < 3) return { from, to, d: "", box: [0, 0, 0, 0] };
  const start = from === border && own ? [own.x, own.y - own.height / 2 + kHeader] : [xs[0], bottoms.get(from) ?? ys[0]];
  const end = to === border && own ? [own.x, own.y + own.height / 2] : [xs[last], tops.get(to) ?? ys[last]];
  made.moveTo(...start);
  made.lineTo(xs[0], ys[0]);
  for (let i = 1; i + 2 <= last; i += 3) made.bezierCurveTo(xs[i], ys[i], xs[i + 1], ys[i + 1], xs[i + 2], ys[i + 2]);
  made.lineTo(...end);
  xs.push(start[0], end[0]);
  ys.push(start[1], end[1]);
  return { from, to, d: made.toString(), box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] };
}

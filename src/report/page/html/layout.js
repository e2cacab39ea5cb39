// Fourth part: which groups are open, and where everything lies then.
//
// Every group was laid out by Graphviz with its members closed. A member that opens is larger than its box: the level around it is stretched
// where the member lies, in x and y alone, nowhere less than it was. So nothing comes to overlap, and everything keeps its order.

const kHeader = 22, kPadding = 12;
const kFew = 80;     // graphs of so many nodes start with all groups open
const kAtFirst = 40; // others with as many groups open as show no more boxes

const groups = graph.groups;
const opened = groups.map((_, index) => index === 0);
const membersOf = groups.map(() => ({ nodes: [], groups: [], edges: [] }));
/** The groups around a node, from the outermost (below the root) on. */
const groupOfNode = graph.nodes.map((node) => node[5]);
groups.forEach((group, index) => index > 0 && membersOf[group.parent].groups.push(index));
graph.nodes.forEach((_, index) => membersOf[groupOfNode[index]].nodes.push(index));
for (const edge of graph.edges) membersOf[edge[0]].edges.push(edge);
const nodesOfGroup = groups.map(() => null);
function nodesIn(group) {
  nodesOfGroup[group] ??= [...membersOf[group].nodes, ...membersOf[group].groups.flatMap(nodesIn)];
  return nodesOfGroup[group];
}
const isGroup = (member) => member < 0;
const groupAt = (member) => -1 - member;

function openAtFirst() {
  let boxes = membersOf[0]?.nodes.length + membersOf[0]?.groups.length;
  const waiting = [...(membersOf[0]?.groups ?? [])];
  while (waiting.length > 0) {
    const group = waiting.shift();
    const more = membersOf[group].nodes.length + membersOf[group].groups.length - 1;
    if (groups[group].kind === "subgraph" || (graph.nodes.length > kFew && boxes + more > kAtFirst)) continue;
    opened[group] = true;
    boxes += more;
    waiting.push(...membersOf[group].groups);
  }
}
function openAround(node) {
  let changed = false;
  for (let group = groupOfNode[node]; group > 0; group = groups[group].parent) {
    changed = changed || !opened[group];
    opened[group] = true;
  }
  return changed;
}
/** What stands for a node in the picture: itself, or the outermost closed group around it. */
function standIn(node) {
  let shown = node;
  for (let group = groupOfNode[node]; group > 0; group = groups[group].parent) if (!opened[group]) shown = -1 - group;
  return shown;
}

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

/** Sizes of the open groups, from the inside out. */
function measure(group) {
  const [width, height] = groups[group].size;
  const across = [], down = [], sizes = new Map();
  for (const inner of membersOf[group].groups) {
    if (!opened[inner]) continue;
    const size = measure(inner);
    sizes.set(inner, size);
    const [x, y, box] = groups[inner].box;
    across.push([x - box / 2, x + box / 2, size.width / Math.max(1, box)]);
    down.push([y - graph.height / 2, y + graph.height / 2, size.height / graph.height]);
  }
  const x = stretch(across, width), y = stretch(down, height);
  return { x, y, sizes, width: Math.max(x(width) + 2 * kPadding, groups[group].box[2]), height: y(height) + 2 * kPadding + kHeader,
    inner: x(width) };
}

/** Everything that is in the picture: boxes {member, x, y, width, height} (centres), frames of open groups, arrows [from, to, path, box]. */
function arrange() {
  const scene = { boxes: [], frames: [], arrows: [], width: 0, height: 0, at: new Map() };
  if (groups.length === 0) return scene;
  const root = measure(0);
  scene.width = root.inner;
  scene.height = root.y(groups[0].size[1]);
  put(0, root, 0, 0, scene);
  return scene;
}
function put(group, size, left, top, scene) {
  const x = (value) => left + size.x(value), y = (value) => top + size.y(value);
  const tops = new Map(), bottoms = new Map();
  const box = (member, place, width, height) => {
    const made = { member, x: x(place[0]), y: y(place[1]), width, height };
    tops.set(member, made.y - height / 2);
    bottoms.set(member, made.y + height / 2);
    return made;
  };
  for (const node of membersOf[group].nodes) {
    const [, , across, down, width] = graph.nodes[node];
    add(scene, box(node, [across, down], width, graph.height));
  }
  for (const inner of membersOf[group].groups) {
    const inside = size.sizes.get(inner);
    if (!inside) {
      add(scene, box(-1 - inner, groups[inner].box, groups[inner].box[2], graph.height));
      continue;
    }
    const frame = box(-1 - inner, groups[inner].box, inside.width, inside.height);
    scene.frames.push(frame);
    scene.at.set(frame.member, frame);
    put(inner, inside, frame.x - inside.inner / 2, frame.y - inside.height / 2 + kHeader + kPadding, scene);
  }
  const own = scene.at.get(-1 - group);
  for (const [, from, to, path] of membersOf[group].edges) {
    scene.arrows.push(arrow(from, to, path, x, y, { own, border: -1 - group, tops, bottoms }));
  }
}
function add(scene, box) {
  scene.boxes.push(box);
  scene.at.set(box.member, box);
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

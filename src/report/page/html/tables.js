// Second part: tables that sort, filter, show the columns that one wants, and hold thousands of rows: only those in sight exist as elements.

const kRow = 25;   // height of a row in pixels, as the style has it
const kSpare = 30; // rows kept above and below those in sight
const kAll = 100;  // tables up to this length are kept whole
const kSample = 300; // rows looked at for the widths of columns
const tables = [];

/** Columns: {label, value(row), show(row), number, descending, name, bar, title, screen}, in order of worth: as many as there is room for are
    shown at first. Rows have `map`, an index into maps, or null. `file`: the name of the table as CSV. */
class Table {
  constructor(section, caption, columns, rows, sorted, filterLabel, file) {
    this.all = columns;
    this.rows = rows;
    this.wide = columns.map((column) => widthOf(column, rows));
    this.chosen = thatFit(this.wide, columns, sorted);
    this.entries = rows.map((row) => ({ row, line: null, text: searchable(row, columns) }));
    this.shown = this.entries;
    this.first = this.end = -1;
    this.current = 0;
    this.body = element("tbody");
    this.count = element("output", { class: "soft" });
    this.filter = element("input", { type: "search", placeholder: "filter", "aria-label": filterLabel, input: () => this.choose() });
    this.table = element("table", { "aria-rowcount": rows.length + 1, "aria-label": filterLabel.replace("Filter ", "") });
    this.frame = element("div", { class: "scroll", tabindex: "-1" }, this.table);
    this.frame.addEventListener("scroll", () => this.draw(), { passive: true });
    this.body.addEventListener("keydown", (event) => this.walk(event));
    const save = element("button", { type: "button", click: () => download(file + ".csv", "text/csv", csvOf(this.all, this.shown.map((entry) => entry.row))) }, "CSV");
    section.append(element("div", { class: "tools" }, this.filter, this.count, caption ? element("span", { class: "soft" }, caption) : null,
      element("span", { class: "buttons" }, this.chooser(), save)), this.frame);
    this.sorting = { column: null, descending: false };
    this.fresh = true; // nothing has been scrolled yet, and asking would lay the page out
    this.furnish();
    this.sort(columns[sorted], columns[sorted].descending === true);
    this.fresh = false;
    tables.push(this);
  }
  /** A list of all columns, to choose from. */
  chooser() {
    const boxes = this.all.map((column) => {
      const box = element("input", { type: "checkbox", change: () => {
        if (box.checked) this.chosen.add(column);
        else if (this.chosen.size > 1) this.chosen.delete(column);
        box.checked = this.chosen.has(column);
        this.furnish();
        this.choose();
      } });
      box.checked = this.chosen.has(column);
      return element("label", {}, box, " " + column.label);
    });
    return element("details", { class: "chooser" }, element("summary", {}, "Columns"), element("div", {}, ...boxes));
  }
  /** Head and widths of the chosen columns. */
  furnish() {
    this.columns = this.all.filter((column) => this.chosen.has(column));
    this.heads = this.columns.map((column) => element("th", { scope: "col", class: classOf(column) },
      element("button", { type: "button", title: column.title, click: () => this.sort(column) }, column.label)));
    const widths = this.columns.map((column) => {
      const made = element("col", { class: classOf(column) });
      made.style.width = this.wide[this.all.indexOf(column)] + "px";
      return made;
    });
    this.table.replaceChildren(element("colgroup", {}, ...widths), element("thead", {}, element("tr", {}, ...this.heads)), this.body);
    for (const entry of this.entries) entry.line = null;
    this.markSorting();
  }
  markSorting() {
    this.columns.forEach((column, at) => {
      if (column === this.sorting.column) this.heads[at].setAttribute("aria-sort", this.sorting.descending ? "descending" : "ascending");
      else this.heads[at].removeAttribute("aria-sort");
    });
  }
  sort(column, descending) {
    this.sorting = { column, descending: descending ?? (this.sorting.column === column ? !this.sorting.descending : column.descending === true) };
    const sign = this.sorting.descending ? -1 : 1;
    const keyed = this.entries.map((entry) => [column.value(entry.row), entry]);
    keyed.sort((a, b) => sign * order(a[0], b[0], sign));
    this.entries = keyed.map(([, entry]) => entry);
    this.markSorting();
    this.choose();
  }
  choose() {
    const wanted = this.filter.value.trim().toLowerCase();
    this.shown = wanted === "" ? this.entries : this.entries.filter((entry) => entry.text.includes(wanted));
    this.count.textContent = wanted === "" ? plural(this.entries.length, "row") : this.shown.length + " of " + this.entries.length;
    this.current = 0;
    if (!this.fresh) this.frame.scrollTop = 0;
    this.draw(true);
  }
  /** Makes the rows in sight; `all`: every one, for printing (up to a thousand). */
  draw(again = false, all = false) {
    const whole = all || this.shown.length <= kAll;
    const top = this.fresh ? 0 : Math.floor(this.frame.scrollTop / kRow), height = this.fresh ? kSpare : Math.ceil((this.frame.clientHeight || 700) / kRow);
    if (!again && (whole || (top >= this.first && top + height <= this.end))) return;
    this.first = whole ? 0 : Math.max(0, top - kSpare);
    this.end = whole ? Math.min(this.shown.length, 1000) : Math.min(this.shown.length, top + height + kSpare);
    const lines = this.shown.slice(this.first, this.end).map((entry) => this.lineOf(entry));
    this.body.replaceChildren(...this.gap(this.first), ...lines, ...this.gap(this.shown.length - this.end));
    this.mark();
  }
  gap(rows) {
    if (rows <= 0) return [];
    const made = element("tr", { class: "gap", "aria-hidden": "true" }, element("td", { colspan: this.columns.length }));
    made.firstChild.style.height = rows * kRow + "px";
    return [made];
  }
  lineOf(entry) {
    if (!entry.line) {
      entry.line = line(entry.row, this.columns);
      entry.line.addEventListener("click", () => {
        this.current = this.shown.indexOf(entry);
        select(entry.row.map, true);
      });
    }
    return entry.line;
  }
  /** One row is reached with Tab, the others with the arrows; those of the selected map are highlighted. */
  mark() {
    this.shown.slice(this.first, this.end).forEach((entry, at) => {
      const { row, line: drawn } = entry;
      drawn.classList.toggle("selected", selection.map !== null && row.map === selection.map);
      drawn.tabIndex = this.first + at === this.current ? 0 : -1;
    });
  }
  /** Brings the row of a map into the frame, without moving the page. */
  reveal(map) {
    const at = this.shown.findIndex((entry) => entry.row.map === map);
    if (at >= 0) {
      this.current = at;
      const top = at * kRow, { scrollTop, clientHeight } = this.frame;
      if (top < scrollTop || top > scrollTop + clientHeight - 3 * kRow) this.frame.scrollTop = Math.max(0, top - clientHeight / 2);
      this.draw();
    }
    this.mark();
  }
  walk(event) {
    if (event.key === "Enter") return event.target.closest("tr")?.click();
    const page = Math.max(1, Math.floor(this.frame.clientHeight / kRow) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || this.shown.length === 0) return;
    event.preventDefault();
    this.current = Math.max(0, Math.min(this.shown.length - 1, this.current + step));
    const top = this.current * kRow, { scrollTop, clientHeight } = this.frame;
    if (top < scrollTop || top + 3 * kRow > scrollTop + clientHeight) this.frame.scrollTop = top - clientHeight / 2;
    this.draw();
    this.mark();
    this.shown[this.current].line?.focus({ preventScroll: true });
  }
}

/** Columns keep their widths while rows come and go: as wide as their longest text. */
function widthOf(column, rows) {
  let most = column.label.length + 3;
  const step = Math.ceil(rows.length / kSample);
  for (let at = 0; at < rows.length; at += step) most = Math.max(most, shownText(rows[at], column).length);
  const width = Math.min(column.name ? 46 : 34, most) * (column.number ? 9.1 : 8.5) + 20 + (column.bar ? 60 : 0);
  return Math.round(column.name ? Math.max(120, Math.min(width, 0.4 * pageRoom())) : width);
}
/** The first columns, as far as they fit into the page's frame, and the one that is sorted by. */
function thatFit(wide, columns, sorted) {
  const chosen = new Set();
  let room = pageRoom() - wide[sorted];
  columns.forEach((column, at) => {
    if (at === sorted) return chosen.add(column);
    room -= wide[at];
    if (room >= 0) chosen.add(column);
  });
  return chosen;
}
/** Paper is too narrow for columns that are for the screen. */
const classOf = ({ number: isNumber, name, screen }) => [isNumber ? "number" : name ? "name" : "", screen ? "screen" : ""].join(" ").trim();
const shownText = (row, column) => (column.show ? column.show(row) : column.number ? number(column.value(row)) : String(column.value(row) ?? ""));

/** Undefined values stay at the end in either direction. */
function order(a, b, sign) {
  const none = (value) => value === null || value === undefined || value === "";
  if (none(a) || none(b)) return sign * (Number(none(a)) - Number(none(b)));
  const finite = (value) => (value === "inf" ? Infinity : value);
  if (typeof a === "string" && a !== "inf") return collator.compare(a, b);
  return finite(a) === finite(b) ? 0 : finite(a) < finite(b) ? -1 : 1;
}
const collator = new Intl.Collator("en", { numeric: true });

function line(row, columns) {
  const made = element("tr", { tabindex: "-1" });
  for (const column of columns) {
    const text = shownText(row, column);
    const cell = element("td", { class: classOf(column) }, text);
    if (!column.number) cell.title = column.hover ? column.hover(row) : text;
    if (column.bar) {
      cell.classList.add("bar");
      cell.style.setProperty("--share", (100 * column.bar(row)).toFixed(2) + "%");
    }
    made.append(cell);
  }
  if (row.map !== null && row.map !== undefined) made.dataset.map = row.map;
  return made;
}
const searchable = (row, columns) => columns.filter((column) => !column.number).map((column) => String(column.value(row) ?? "")).join("\n").toLowerCase();

addEventListener("beforeprint", () => tables.forEach((table) => table.draw(true, true)));
addEventListener("afterprint", () => tables.forEach((table) => table.draw(true)));

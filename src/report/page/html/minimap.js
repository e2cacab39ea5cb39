// Sixth part: the small map of a picture that is larger than its window.

class Minimap {
  constructor(view, canvas) {
    Object.assign(this, { view, canvas, scale: 0, whole: null });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.go(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons > 0 && this.go(event));
  }
  go(event) {
    const { left, top } = this.canvas.getBoundingClientRect(), { k } = this.view.view, { width, height } = this.view.size;
    const x = (event.clientX - left) / this.scale, y = (event.clientY - top) / this.scale;
    this.view.untouched = false;
    this.view.moveTo(width / 2 - x * k, height / 2 - y * k, k);
  }
  draw() {
    const { scene, fills } = this.view, { canvas } = this;
    const most = innerWidth < 800 ? [90, 90] : [150, 150];
    const ratio = devicePixelRatio || 1;
    this.scale = Math.min(most[0] / Math.max(1, scene.width), most[1] / Math.max(1, scene.height));
    const width = Math.max(16, Math.ceil(scene.width * this.scale)), height = Math.max(16, Math.ceil(scene.height * this.scale));
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    this.whole = document.createElement("canvas");
    this.whole.width = canvas.width;
    this.whole.height = canvas.height;
    const pen = this.whole.getContext("2d");
    pen.scale(ratio * this.scale, ratio * this.scale);
    const least = 1.5 / this.scale; // no box vanishes
    for (const { member, x, y, width: w, height: h } of scene.boxes) {
      pen.fillStyle = (fills.get(member) ?? kNone).color;
      pen.fillRect(x - w / 2, y - h / 2, Math.max(w, least), Math.max(h, least));
    }
    this.drawFrame();
  }
  drawFrame() {
    if (!this.whole) return;
    const { scene } = this.view, { canvas } = this;
    const [left, top, right, bottom] = this.view.inSight(0);
    canvas.hidden = left <= 0 && top <= 0 && right >= scene.width && bottom >= scene.height;
    if (canvas.hidden) return;
    const pen = canvas.getContext("2d"), ratio = devicePixelRatio || 1, k = ratio * this.scale;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(this.whole, 0, 0);
    pen.lineWidth = 2 * ratio;
    pen.strokeStyle = "#0b5cad";
    pen.strokeRect(Math.max(1, left * k), Math.max(1, top * k), Math.min(canvas.width - 2, (Math.min(right, scene.width) - Math.max(0, left)) * k),
      Math.min(canvas.height - 2, (Math.min(bottom, scene.height) - Math.max(0, top)) * k));
  }
}

// Last part: puts the page together.

heading();
findings();
outputs();
metrics.forEach((metric, index) => byId("metric").append(element("option", { value: index }, metric.label)));
byId("metric").value = mainMetric;
byId("metric").addEventListener("change", () => {
  paint();
  showPanel();
});
byId("palette").addEventListener("change", () => {
  palette = byId("palette").value;
  paint();
});
featureMaps();
weights();
sensitivity();
distributions();
curves();
operators();
pairing();
about();
sections();
if (graph.nodes.length > 0) {
  openAtFirst();
  rearrange();
  firstView();
}
paint();
if (graph.error) byId("picture").closest(".split").before(element("div", { class: "finding warning" }, graph.error));
listenToPicture();
listenToMinimap();
listenToSearch();
listenToTheme();
showPanel();

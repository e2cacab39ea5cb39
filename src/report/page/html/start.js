// Last part: puts the page together.

heading();
signatures();
glance();
findings();
outputs();
metrics.forEach((metric, index) => byId("metric").append(element("option", { value: index }, metric.label)));
byId("metric").value = mainMetric;
byId("metric").addEventListener("change", () => {
  paint();
  showPanel();
  remember();
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
recipes();
pairing();
about();
sections();
makeViews();
paint();
if (graph.error) byId("stages").closest(".split").before(element("div", { class: "finding warning" }, graph.error));
listenToSearch();
listenToTheme();
listenToExports();
showPanel();
recall();
addEventListener("hashchange", recall);

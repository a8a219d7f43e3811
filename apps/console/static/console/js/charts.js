// Charts of the same figures that stand in the table beneath them.
"use strict";

(() => {
  const source = document.getElementById("figures");
  if (!source || typeof Chart === "undefined") return;
  const figures = JSON.parse(source.textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const charts = [];

  const options = (unit, stacked) => ({
    animation: false,
    maintainAspectRatio: false,
    scales: {
      x: { stacked, grid: { display: false }, ticks: { color: colour("--ink-soft"), maxRotation: 0 } },
      y: {
        stacked,
        beginAtZero: true,
        grid: { color: colour("--line") },
        ticks: { color: colour("--ink-soft"), precision: 0 },
        title: { display: true, text: unit, color: colour("--ink-soft") },
      },
    },
    plugins: { legend: { labels: { color: colour("--ink"), boxWidth: 12 } } },
  });

  const bars = (id, labels, sets, unit, stacked) => {
    const canvas = document.getElementById(id);
    if (!canvas) return;
    const datasets = sets.map(([label, data, name]) => ({
      label, data, backgroundColor: colour(name), borderRadius: 3, maxBarThickness: 34,
    }));
    charts.push(new Chart(canvas, { type: "bar", data: { labels, datasets }, options: options(unit, stacked) }));
  };

  const draw = () => {
    while (charts.length) charts.pop().destroy();
    const words = figures.words;
    bars("chart-calls", figures.slots.map((slot) => slot.label), [
      [words.answered, figures.slots.map((slot) => slot.calls - slot.errors), "--accent"],
      [words.failed, figures.slots.map((slot) => slot.errors), "--bad"],
    ], words.calls, true);
    bars("chart-times", figures.engines.map((engine) => engine.extension), [
      ["p50", figures.engines.map((engine) => engine.p50), "--accent"],
      ["p95", figures.engines.map((engine) => engine.p95), "--warn"],
    ], words.milliseconds, false);
  };

  draw();
  dark.addEventListener("change", draw);
})();

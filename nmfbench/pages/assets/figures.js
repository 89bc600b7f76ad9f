// Draws the curves of a figure from the numbers linked below it, in place of its picture: values, intervals and
// repeats under the pointer or by arrow keys, zoom by dragging, curves on and off by their buttons. What is shown stands
// in the fragment of the address, as in #figure=mahnmf-fig3&off=PCA&zoom=0+0.1+0.5+20+80: number of a panel, ends of x
// and y. The numbers come as a script, since a page that was opened from a disk can read no other file.
{
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const complete = !folder; // a page that is to be mailed has everything in itself
  const loaded = new Map();

  function load(tag, address) {
    if (!complete && !loaded.has(address)) {
      const element = document.createElement(tag);
      loaded.set(address, new Promise((resolve, reject) => Object.assign(element, { onload: resolve, onerror: reject })));
      Object.assign(element, tag === "link" ? { rel: "stylesheet", href: address } : { src: address });
      document.head.append(element);
    }
    return loaded.get(address);
  }

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  // Colours of curves are chosen for white paper; on a dark one they are lighter.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 45rem)");
  const named = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const ink = () => named("--ink");
  const faint = () => named("--line");
  const tone = (color) => (dark.matches ? `color-mix(in oklab, ${color} 68%, white)` : color);

  // -- numbers ---------------------------------------------------------------------------------

  // Points in the order of x, by panel and curve; of each curve its columns are given.
  function pointsOf(panels) {
    const ordered = ({ x, ...columns }) =>
      x.map((place, k) => ({
        x: place,
        ...Object.fromEntries(["y", "low", "high", "n"].map((name) => [name, columns[name]?.[k] ?? null])),
      })).sort((a, b) => a.x - b.x);
    const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
    return mapped(panels, (curves) => mapped(curves, ordered));
  }

  function words(value) {
    const size = Math.abs(value);
    const text = size && (size >= 1e5 || size < 1e-3) ? value.toExponential(2).replace(/\.?0*e\+?/, "e") : `${+value.toPrecision(4)}`;
    return text.replace("-", "−");
  }

  function said({ y, low, high, n }) {
    return [words(y), low === null ? "" : `[${words(low)}, ${words(high)}]`, n === null ? "" : `n = ${n}`];
  }

  // -- a panel ---------------------------------------------------------------------------------

  const DISTRIBUTIONS = { linear: 1, log: 3, symlog: 4 };
  const markerSize = () => 8 * devicePixelRatio;

  // Paint inside of the axes, and as much beyond them as `margin`.
  function paintInside({ ctx, bbox }, margin, paint) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - margin, bbox.top - margin, bbox.width + 2 * margin, bbox.height + 2 * margin);
    ctx.clip();
    paint();
    ctx.restore();
  }

  // Shaded areas, behind everything else.
  function drawAreas(u, areas) {
    const { ctx } = u;
    for (const { color, x, y } of areas) {
      const [left, right] = x.map((end) => u.valToPos(end, "x", true));
      const [bottom, top] = y.map((end) => u.valToPos(end, "y", true));
      ctx.fillStyle = color;
      ctx.globalAlpha = 0.2;
      ctx.fillRect(left, top, right - left, bottom - top);
    }
  }

  function drawIntervals(u, curves, points) {
    const { ctx } = u;
    const place = (value, scale) => u.valToPos(value, scale, true);
    curves.forEach((curve, i) => {
      const rows = points[i].filter((p) => p.low !== null);
      if (!u.series[i + 1].show || !rows.length || !(curve.interval || curve.near)) return;
      const bottom = (p) => place(u.scales.y.distr === 3 ? Math.max(p.low, u.scales.y.min / 10) : p.low, "y");
      ctx.fillStyle = ctx.strokeStyle = tone(curve.color);
      ctx.beginPath();
      if (curve.interval === "bars" || rows.length === 1) {
        for (const p of rows) {
          ctx.moveTo(place(p.x, "x"), bottom(p));
          ctx.lineTo(place(p.x, "x"), place(p.high, "y"));
        }
        ctx.lineWidth = 1.5 * devicePixelRatio;
        ctx.stroke();
      } else {
        for (const p of rows) ctx.lineTo(place(p.x, "x"), place(p.high, "y"));
        for (const p of rows.toReversed()) ctx.lineTo(place(p.x, "x"), bottom(p));
        ctx.globalAlpha = 0.15;
        ctx.fill();
        ctx.globalAlpha = 1;
      }
    });
  }

  // Markers as in the picture; where places of a curve are close, some of them have one.
  function drawMarkers(u, curves, points) {
    const { ctx } = u;
    const size = markerSize();
    curves.forEach((curve, i) => {
      if (!curve.marker || !u.series[i + 1].show) return;
      const outline = new Path2D(curve.marker);
      let last = [-size, -size];
      ctx.fillStyle = ctx.strokeStyle = tone(curve.color);
      ctx.lineWidth = 1.3 * devicePixelRatio;
      for (const p of points[i]) {
        const place = [u.valToPos(p.x, "x", true), u.valToPos(p.y, "y", true)];
        if (curve.line && Math.hypot(place[0] - last[0], place[1] - last[1]) < 1.5 * size) continue;
        last = place;
        const path = new Path2D();
        path.addPath(outline, new DOMMatrix([size, 0, 0, size, ...place]));
        if (curve.full) ctx.fill(path);
        else ctx.stroke(path);
      }
    });
  }

  // The library's own ticks of logarithmic axes take whole decades for granted, and do not end without.
  function ticksOf(scale, min, max) {
    if (scale === "symlog") {
      const sizes = ticksOf("log", 1, Math.max(-min, max, 1));
      return [...sizes.map((size) => -size).reverse(), 0, ...sizes].filter((tick) => min <= tick && tick <= max);
    }
    const decades = Math.log10(max / min);
    const found = [];
    if (decades < 0.7) {
      const size = 10 ** Math.floor(Math.log10((max - min) / 4));
      const step = size * [1, 2, 5, 10].find((factor) => 4 * factor * size >= max - min);
      for (let k = Math.ceil(min / step); k * step <= max; k++) found.push(k * step);
      return found;
    }
    const steps = decades > 2 ? [1] : [1, 2, 5];
    const every = Math.ceil(decades / 6);
    for (let k = Math.floor(Math.log10(min)); k <= Math.log10(max); k += every) {
      found.push(...steps.map((step) => step * 10 ** k).filter((tick) => min <= tick && tick <= max));
    }
    return found;
  }

  function axisOf(panel, name, names) {
    const style = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, size: 5 } };
    const numbers = { ...style, size: name === "x" ? 30 : 48, values: (u, splits) => splits.map((v) => (v === null ? "" : words(v))) };
    const scale = panel.scales[name];
    if (scale !== "linear") {
      Object.assign(numbers, { splits: (u, axis, min, max) => ticksOf(scale, min, max), filter: (u, ticks) => ticks });
    }
    if (name === "y" || !panel.ticks.length) return numbers;
    return {
      ...style,
      size: 12 + names,
      rotate: -90,
      splits: () => panel.ticks.map(([place]) => place),
      values: () => panel.ticks.map(([, text]) => text),
    };
  }

  // A panel of a figure; `panels` are all of it, and `changed` is called where a reader has zoomed.
  function plot(panel, curves, all, sync, panels, changed) {
    const head = [make("h4", { textContent: panel.title }), make("div", { className: "y", textContent: panel.y })];
    const box = make("div", { className: "panel", tabIndex: 0 }, ...head);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `${panel.name}: ${panel.y} against ${panel.x}`);
    const values = make("div", { className: "values", hidden: true });
    values.setAttribute("aria-live", "polite");
    const points = curves.map((curve) => all[curve.name]);
    const scale = (name, range) => ({ time: false, distr: DISTRIBUTIONS[panel.scales[name]], range });
    const names = Math.max(0, ...panel.ticks.map(([, text]) => 7.2 * text.length));
    const sizeOf = (width) => ({ width, height: Math.max(220, Math.min(0.5 * width, 320)) + names });
    let nearest = null; // number of a series, and of a place

    function at(i, k) {
      const x = u.data[0][k];
      return u.series[i].show ? points[i - 1].find((p) => p.x === x) : undefined;
    }

    function here(k) {
      const found = curves.map((curve, i) => [i + 1, at(i + 1, k)]).filter(([, point]) => point);
      return found.sort((a, b) => b[1].y - a[1].y);
    }

    // Values stand below the panel, or above it where the window ends: not on the curves that are looked at. Where there
    // is room, those of the other panels with the same x stand beside them.
    function tell() {
      values.hidden = !nearest;
      if (!nearest) return;
      const [series, k] = nearest;
      const x = u.data[0][k];
      const others = narrow.matches ? [] : panels.filter((other) => other.box !== box && other.x === panel.x);
      const rows = here(k).map(([i, point]) => {
        const { name, color } = curves[i - 1];
        const beside = others.map((other) => other.value(name, x));
        const cells = [name, ...said(point), ...beside].map((text) => make("td", { textContent: text }));
        cells[0].style.borderColor = tone(color);
        return make("tr", { className: i === series ? "nearest" : "" }, ...cells);
      });
      const place = panel.ticks.find(([tick]) => tick === Math.round(x))?.[1] ?? `${panel.x} ${words(x)}`;
      const table = make("table", {}, make("tbody", {}, ...rows));
      if (others.length) {
        const heads = others.map((other) => make("th", { textContent: other.name, scope: "col" }));
        table.createTHead().append(make("tr", {}, make("td"), make("th", { textContent: panel.name, scope: "col", colSpan: 3 }), ...heads));
      }
      values.replaceChildren(make("div", { textContent: place }), table);
      const { left, top, bottom } = box.getBoundingClientRect();
      values.classList.toggle("above", bottom + values.offsetHeight > innerHeight && top > values.offsetHeight);
      values.style.left = `${Math.min(0, document.documentElement.clientWidth - 12 - left - values.offsetWidth)}px`;
    }

    // The value of a curve at a place, as text; empty where it has none.
    function value(name, x) {
      const i = curves.findIndex((curve) => curve.name === name) + 1;
      const point = i && at(i, u.data[0].indexOf(x));
      return point ? words(point.y) : "";
    }

    // The nearest point of a curve that is shown, by the place on the screen.
    function find(left, top) {
      let best = null;
      let least = Infinity;
      points.forEach((rows, i) => {
        if (!u.series[i + 1].show) return;
        for (const p of rows) {
          const away = 4 * Math.abs(u.valToPos(p.x, "x") - left) + Math.abs(u.valToPos(p.y, "y") - top);
          if (away < least) [best, least] = [[i + 1, u.data[0].indexOf(p.x)], away];
        }
      });
      return best;
    }

    function choose(found) {
      nearest = found;
      curves.forEach((curve, i) => (curve.near = i + 1 === nearest?.[0]));
      u.redraw(false);
      tell();
    }

    function ring() {
      if (!nearest) return;
      const [series, k] = nearest;
      u.ctx.beginPath();
      u.ctx.arc(u.valToPos(u.data[0][k], "x", true), u.valToPos(u.data[series][k], "y", true), 6 * devicePixelRatio, 0, 7);
      u.ctx.strokeStyle = ink();
      u.ctx.lineWidth = 1.5 * devicePixelRatio;
      u.ctx.stroke();
    }

    const u = new uPlot(
      {
        ...sizeOf(320),
        legend: { show: false },
        scales: { x: scale("x", (u, min, max) => [min, max]), y: scale("y", () => panel.limits.y) },
        axes: [axisOf(panel, "x", names), axisOf(panel, "y")],
        series: [
          {},
          ...curves.map((curve) => ({
            label: curve.name,
            stroke: () => tone(curve.color),
            width: !curve.line || panel.ticks.length ? 0 : 1.5,
            dash: curve.dashes,
            ...(curve.steps && { paths: uPlot.paths.stepped({ align: 1 }) }),
            points: { show: !curve.marker && (!curve.line || panel.ticks.length > 0), size: 5, fill: () => tone(curve.color) },
          })),
        ],
        cursor: {
          sync: { key: `${sync}: ${panel.x}`, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
          drag: { x: true, y: true, uni: 40 },
          bind: { dblclick: () => () => (reset(), changed()) },
          points: { show: false },
        },
        hooks: {
          drawAxes: [
            (u) => paintInside(u, 0, () => drawAreas(u, panel.areas)),
            (u) => paintInside(u, 0, () => drawIntervals(u, curves, points)),
          ],
          draw: [(u) => paintInside(u, markerSize(), () => drawMarkers(u, curves, points)), ring],
          setSelect: [({ select }) => (select.width || select.height) && setTimeout(changed)],
          setCursor: [({ cursor: { left, top, event } }) => event && choose(left < 0 ? null : find(left, top))],
        },
      },
      uPlot.join(points.map((rows) => [rows.map((p) => p.x), rows.map((p) => p.y)])),
      box,
    );

    // All of x; with it y returns to its limits, too.
    function reset() {
      const [min, max] = panel.limits.x;
      u.setScale("x", { min, max });
    }

    // Ends of x and of y that are shown, where it is not all.
    function zoom() {
      const ends = ["x", "y"].flatMap((name) => [u.scales[name].min, u.scales[name].max]);
      const whole = [...panel.limits.x, ...panel.limits.y];
      return ends.every((end, i) => end === whole[i]) ? null : ends;
    }

    function setZoom(ends) {
      if (ends?.length !== 4 || !ends.every(Number.isFinite)) return reset();
      const [left, right, low, high] = ends;
      u.batch(() => {
        u.setScale("x", { min: left, max: right });
        u.setScale("y", { min: low, max: high });
      });
    }

    // Arrow keys walk along a curve, and from curve to curve.
    box.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (event.key === "Escape") choose(null);
      if (!step) return;
      event.preventDefault();
      let [series, k] = nearest ?? find(0, 0) ?? [];
      if (!series) return;
      if (nearest && step[0]) {
        const places = points[series - 1].map((p) => u.data[0].indexOf(p.x));
        k = places[Math.max(0, Math.min(places.indexOf(k) + step[0], places.length - 1))];
      } else if (nearest) {
        const column = here(k).map(([i]) => i);
        series = column[Math.max(0, Math.min(column.indexOf(series) + step[1], column.length - 1))];
      }
      choose([series, k]);
    });
    box.addEventListener("blur", () => choose(null));
    const areas = panel.areas.map(({ name, color }) => {
      const said = make("div", { className: "area", textContent: name });
      said.style.borderColor = color;
      return said;
    });
    box.append(make("div", { className: "x", textContent: panel.x }), ...areas, values);
    reset();
    new ResizeObserver(() => box.clientWidth && u.setSize(sizeOf(box.clientWidth))).observe(box);
    dark.addEventListener("change", () => u.redraw(false, true));
    const show = (name, yes) => curves.some((c, i) => c.name === name && (u.setSeries(i + 1, { show: yes }), true));
    return { box, name: panel.name, x: panel.x, value, show, zoom, setZoom };
  }

  // -- a figure --------------------------------------------------------------------------------

  // Buttons of all curves, and which of them are off.
  function legendOf(curves, panels, changed) {
    const isOff = (button) => button.ariaPressed !== "true";
    const buttons = curves.map((curve) => {
      const marker = curve.marker ? `<path class="${curve.full ? "full" : "open"}" d="${curve.marker}" transform="translate(13 5) scale(8)"/>` : "";
      const line = curve.line ? `<path d="M0 5H26" stroke-width="2.5" stroke-dasharray="${curve.dashes}"/>` : "";
      const button = make("button", { type: "button", innerHTML: `<svg viewBox="0 0 26 10" aria-hidden="true">${line}${marker}</svg>` }, curve.name);
      button.style.setProperty("--curve", curve.color);
      button.addEventListener("click", () => (turn([button], isOff(button)), changed()));
      return button;
    });
    function turn(some, yes) {
      for (const button of some) {
        button.ariaPressed = yes;
        for (const panel of panels) panel.show(button.textContent, yes);
      }
    }
    const every = make("button", { type: "button", textContent: "all or none" });
    every.addEventListener("click", () => (turn(buttons, buttons.some(isOff)), changed()));
    buttons.forEach((button) => (button.ariaPressed = true));
    const legend = make("div", { className: "legend" }, ...buttons, every);
    legend.setAttribute("role", "group");
    legend.setAttribute("aria-label", "curves");
    const off = () => buttons.filter(isOff).map((button) => button.textContent);
    const setOff = (names) => buttons.forEach((button) => turn([button], !names.includes(button.textContent)));
    return { legend, off, setOff };
  }

  const keyOf = (figure) => figure.dataset.numbers.match(/([^/]*)\.csv$/)[1];

  async function draw(figure) {
    const address = figure.dataset.numbers.replace(/\.csv$/, "");
    const key = keyOf(figure);
    await Promise.all([load("link", `${folder}uPlot.min.css`), load("script", `${folder}uPlot.iife.min.js`), load("script", `${address}.js`)]);
    const { panels, curves, points: given } = window.figures[key];
    const points = pointsOf(given);
    const shown = [];
    const write = () => {
      const state = new URLSearchParams({ figure: key });
      for (const name of off()) state.append("off", name);
      shown.forEach((panel, i) => {
        const ends = panel.zoom();
        if (ends) state.append("zoom", [i, ...ends.map((end) => +end.toPrecision(6))].join(" "));
      });
      history.replaceState(null, "", `#${state}`);
    };
    const { legend, off, setOff } = legendOf(curves, shown, write);
    for (const panel of panels) {
      const own = curves.filter((curve) => points[panel.name]?.[curve.name]).map((curve) => ({ ...curve, interval: panel.intervals[curve.name] }));
      shown.push(plot(panel, own, points[panel.name], key, shown, write));
    }
    const read = (state) => {
      const zooms = new Map(state.getAll("zoom").map((text) => text.split(" ").map(Number)).map(([i, ...ends]) => [i, ends]));
      setOff(state.getAll("off"));
      shown.forEach((panel, i) => panel.setZoom(zooms.get(i)));
    };
    const hint = "Point at a curve, or use the arrow keys, for its values. Drag to zoom, double-click to see all again.";
    const chart = make(
      "div",
      { className: "interactive" },
      legend,
      make("div", { className: "panels" }, ...shown.map((panel) => panel.box)),
      make("p", { className: "hint", textContent: hint }),
    );
    return { chart, read, write };
  }

  const figures = document.querySelectorAll("figure[data-numbers]");
  if (figures.length) load("link", `${folder}figures.css`);
  for (const figure of figures) {
    const picture = figure.querySelector(":scope > a, :scope > img");
    const button = make("button", { type: "button", className: "as-figure", textContent: "Interactive" });
    button.ariaPressed = false;
    let drawn;

    async function turn(interactive) {
      button.disabled = true;
      if (!drawn) picture.after((drawn = await draw(figure)).chart);
      drawn.chart.hidden = !interactive;
      picture.hidden = interactive;
      button.ariaPressed = interactive;
      button.disabled = false;
    }

    // What the address asks for, if it is this figure.
    async function open() {
      const state = new URLSearchParams(location.hash.slice(1));
      if (state.get("figure") !== keyOf(figure)) return;
      await turn(true);
      drawn.read(state);
      figure.scrollIntoView();
    }

    button.addEventListener("click", async () => {
      await turn(button.ariaPressed !== "true");
      if (button.ariaPressed === "true") drawn.write();
      else history.replaceState(null, "", `#${figure.closest("[id]")?.id ?? ""}`);
      button.focus();
    });
    addEventListener("hashchange", open);
    open();
    figure.prepend(button);
  }
}

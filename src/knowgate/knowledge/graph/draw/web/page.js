// The picture: what is shown, how it is drawn, and what pointer and keys do. Texts are only ever set as text.
const FIRST = 120;
const MORE = 200;
const NEIGHBOURS = 40;
const COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#c9a227", "#3a9d9d", "#9c755f", "#d37295", "#7f8c8d"];

const $ = (id) => document.getElementById(id);
const graph = JSON.parse($("graph").textContent);
const nodes = graph.entities.map(([name, type, description, aliases, documents, mentions], index) =>
  ({ index, name, type, description, aliases, documents, mentions, links: [], degree: 1, shown: false, held: false }));
const links = graph.relations.map(([source, target, type, description, passages]) =>
  ({ source: nodes[source], target: nodes[target], type, description, passages }));
for (const link of links) {
  link.source.links.push(link);
  if (link.target !== link.source) link.target.links.push(link);
}
for (const node of nodes) {
  node.radius = 4 + Math.min(10, 1.3 * Math.sqrt(node.links.length));
}
const other = (link, node) => (link.source === node ? link.target : link.source);

// What is shown

const hiddenTypes = new Set();
let shown = [], visible = new Set(), shownLinks = [], selected = null, hovered = null, heat = 0;

function reveal(some) {
  for (const node of some) {
    if (node.shown) continue;
    place(node, node.index, node.links.map((link) => other(link, node)).find((near) => near.shown));
    node.shown = true;
  }
  refresh();
}

function refresh() {
  shown = nodes.filter((node) => node.shown && !hiddenTypes.has(node.type));
  visible = new Set(shown);
  shownLinks = links.filter((link) => link.source !== link.target && visible.has(link.source) && visible.has(link.target));
  for (const node of shown) node.degree = 1;
  for (const link of shownLinks) link.source.degree++, link.target.degree++;
  $("count").textContent = `${shown.length} of ${nodes.length} entities, ${shownLinks.length} of ${links.length} relations`;
  $("more").hidden = nodes.every((node) => node.shown);
  warm(1);
}

function warm(to) {
  const still = heat < 0.01;
  heat = Math.max(heat, to);
  if (still) requestAnimationFrame(frame);
}

function frame() {
  step(shown, shownLinks, heat);
  heat *= 0.985;
  draw();
  if (heat >= 0.01) requestAnimationFrame(frame);
}

// How it is drawn

const canvas = $("picture"), pen = canvas.getContext("2d");
const view = { x: 0, y: 0, scale: 1 };
let ink, soft, line, paper, drawing = false;

function dress() {
  const style = getComputedStyle(document.documentElement);
  [ink, soft, line, paper] = ["--ink", "--soft", "--line", "--paper"].map((name) => style.getPropertyValue(name).trim());
  const ratio = window.devicePixelRatio || 1;
  canvas.width = innerWidth * ratio;
  canvas.height = innerHeight * ratio;
  redraw();
}

function redraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; draw(); });
}

function draw() {
  const ratio = window.devicePixelRatio || 1, scale = view.scale;
  const focus = hovered || selected;
  const close = focus && new Set([focus, ...focus.links.map((link) => other(link, focus))]);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, innerWidth, innerHeight);
  pen.translate(innerWidth / 2 + view.x, innerHeight / 2 + view.y);
  pen.scale(scale, scale);
  pen.lineWidth = 1 / Math.max(scale, 0.5);
  for (const link of shownLinks) {
    const lit = focus && (link.source === focus || link.target === focus);
    pen.globalAlpha = lit ? 1 : focus ? 0.25 : 0.8;
    pen.strokeStyle = pen.fillStyle = lit ? ink : line;
    arrow(link);
  }
  for (const node of shown) {
    pen.globalAlpha = !close || close.has(node) ? 1 : 0.25;
    pen.fillStyle = COLOURS[node.type % COLOURS.length];
    pen.beginPath();
    pen.arc(node.x, node.y, node.radius, 0, 7);
    pen.fill();
    if (node === selected) { pen.strokeStyle = ink; pen.lineWidth = 3 / scale; pen.stroke(); pen.lineWidth = 1 / scale; }
  }
  pen.globalAlpha = 1;
  label(focus, close);
}

function arrow({ source, target }) {
  const dx = target.x - source.x, dy = target.y - source.y, far = Math.hypot(dx, dy) || 1;
  const x = target.x - (dx / far) * (target.radius + 1), y = target.y - (dy / far) * (target.radius + 1);
  pen.beginPath();
  pen.moveTo(source.x, source.y);
  pen.lineTo(x, y);
  pen.stroke();
  if (view.scale < 0.4) return;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - (dx * 7 - dy * 3) / far, y - (dy * 7 + dx * 3) / far);
  pen.lineTo(x - (dx * 7 + dy * 3) / far, y - (dy * 7 - dx * 3) / far);
  pen.fill();
}

// Names are written where there is room, the best connected first; those in focus always.
function label(focus, close) {
  const scale = view.scale, taken = [];
  pen.font = `${12 / scale}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.lineWidth = 3 / scale;
  pen.strokeStyle = paper;
  const first = focus ? [focus, ...[...close].filter((node) => node !== focus)] : [];
  for (const node of new Set([...first, ...(focus && focus === selected ? [] : shown)])) {
    if (!visible.has(node) || taken.length >= 80) continue;
    const text = node.name.length > 32 ? node.name.slice(0, 31) + "…" : node.name;
    const y = node.y + node.radius + 13 / scale;
    const half = (text.length * 3.4) / scale, tall = 13 / scale;
    const box = { x: node.x, y, half, tall };
    if (node !== focus && taken.some((at) => Math.abs(at.x - box.x) < at.half + half && Math.abs(at.y - y) < tall)) continue;
    taken.push(box);
    pen.fillStyle = close && !close.has(node) ? soft : ink;
    pen.strokeText(text, node.x, y);
    pen.fillText(text, node.x, y);
  }
  if (!focus) return;
  pen.font = `${10 / scale}px system-ui, sans-serif`;
  pen.fillStyle = soft;
  for (const link of focus.links.slice(0, 60)) {
    if (!visible.has(other(link, focus)) || other(link, focus) === focus) continue;
    const x = (link.source.x + link.target.x) / 2, y = (link.source.y + link.target.y) / 2;
    pen.strokeText(link.type, x, y);
    pen.fillText(link.type, x, y);
  }
}

function zoom(factor, x = innerWidth / 2, y = innerHeight / 2) {
  const scale = Math.min(6, Math.max(0.05, view.scale * factor)), change = scale / view.scale;
  view.x = (x - innerWidth / 2) * (1 - change) + view.x * change;
  view.y = (y - innerHeight / 2) * (1 - change) + view.y * change;
  view.scale = scale;
  redraw();
}

function fit() {
  if (!shown.length) return;
  const xs = shown.map((node) => node.x), ys = shown.map((node) => node.y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const panel = innerWidth > 800 ? $("panel").offsetWidth : 0;
  view.scale = Math.min(1.5, 0.92 * Math.min((innerWidth - panel) / (right - left + 80), innerHeight / (bottom - top + 60)));
  view.x = (-(left + right) / 2) * view.scale + panel / 2;
  view.y = (-(top + bottom) / 2) * view.scale;
  redraw();
}

// What is said about one

function make(tag, text, parent, props = {}) {
  const element = Object.assign(document.createElement(tag), props);
  element.textContent = text;
  parent.append(element);
  return element;
}

function select(node) {
  selected = node;
  const about = $("about");
  about.replaceChildren();
  about.hidden = !node;
  redraw();
  if (!node) return;
  make("button", "×", about, { className: "close", type: "button", onclick: () => select(null), ariaLabel: "Close" });
  make("h1", node.name, about);
  make("small", `${graph.types[node.type]} · passages: ${node.mentions} · documents: ${node.documents}`, about);
  if (node.aliases.length) make("p", `Also: ${node.aliases.join(", ")}`, about);
  if (node.description) make("p", node.description, about);
  const hidden = [...new Set(node.links.map((link) => other(link, node)))].filter((near) => !near.shown);
  if (hidden.length) {
    const some = hidden.sort((a, b) => a.index - b.index).slice(0, NEIGHBOURS);
    const text = some.length < hidden.length ? `Show ${some.length} of ${hidden.length} hidden neighbours` : `Show ${hidden.length} hidden neighbours`;
    make("button", text, make("p", "", about), { type: "button", onclick: () => expand(node, some) });
  }
  relations(about, "Relations", node.links.filter((link) => link.source === node), node);
  relations(about, "Relations to it", node.links.filter((link) => link.source !== node), node);
  const passages = [...new Set(node.links.flatMap((link) => link.passages))];
  if (!passages.length) return;
  make("h2", "Passages", about);
  const list = make("ul", "", about);
  for (const passage of passages.slice(0, 100)) make("li", graph.passages[passage], list);
}

function relations(about, title, some, node) {
  if (!some.length) return;
  make("h2", `${title} (${some.length})`, about);
  const list = make("ul", "", about);
  for (const link of some.slice(0, 200)) {
    const item = make("li", "", list);
    const text = link.source === node ? `${link.type} → ${link.target.name}` : `${link.source.name} → ${link.type}`;
    make("button", text, item, { type: "button", title: link.description, onclick: () => visit(other(link, node)) });
  }
}

function expand(node, some) {
  reveal(some);
  select(node);
}

function visit(node) {
  hiddenTypes.delete(node.type);
  legend();
  reveal([node]);
  view.x = -node.x * view.scale;
  view.y = -node.y * view.scale;
  select(node);
}

// Types, search and buttons

function legend() {
  $("legend").replaceChildren();
  graph.types.forEach((type, index) => {
    const label = make("label", "", $("legend"));
    make("input", "", label, {
      type: "checkbox",
      checked: !hiddenTypes.has(index),
      onchange: (event) => { hiddenTypes[event.target.checked ? "delete" : "add"](index); refresh(); },
    });
    make("i", "", label).style.background = COLOURS[index % COLOURS.length];
    make("span", type, label);
    make("small", nodes.filter((node) => node.type === index).length, label);
  });
}

$("search").oninput = () => {
  const wanted = $("search").value.trim().toLowerCase();
  $("found").replaceChildren();
  if (!wanted) return;
  const score = (name) => (name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3);
  const best = (node) => Math.min(...[node.name, ...node.aliases].map((name) => score(name.toLowerCase())));
  const found = nodes.map((node) => [best(node), node]).filter(([rank]) => rank < 3).sort((a, b) => a[0] - b[0]).slice(0, 12);
  for (const [, node] of found) make("button", node.name, make("li", "", $("found")), { type: "button", onclick: () => visit(node) });
  if (!found.length) make("li", "Nothing by that name.", $("found"));
};
$("search").onkeydown = (event) => { if (event.key === "Enter") $("found").querySelector("button")?.click(); };
$("more").onclick = () => reveal(nodes.filter((node) => !node.shown).slice(0, MORE));
$("fit").onclick = fit;
$("in").onclick = () => zoom(1.4);
$("out").onclick = () => zoom(1 / 1.4);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") select(null);
  if (event.key === "/" && event.target !== $("search")) { event.preventDefault(); $("search").focus(); }
});

// Pointer: drag a node or the whole picture, pinch or turn the wheel to zoom

const pointers = new Map();
let dragged = null, moved = 0, apart = 0;

function under(event) {
  const x = (event.clientX - innerWidth / 2 - view.x) / view.scale, y = (event.clientY - innerHeight / 2 - view.y) / view.scale;
  const reach = 4 / view.scale;
  return shown.findLast((node) => Math.hypot(node.x - x, node.y - y) <= node.radius + reach) || null;
}

function spread() {
  const [a, b] = [...pointers.values()];
  return { far: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

canvas.onpointerdown = (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  moved = 0;
  if (pointers.size === 2) { release(); apart = spread().far; return; }
  dragged = under(event);
  if (dragged) dragged.held = true;
};
canvas.onpointermove = (event) => {
  const last = pointers.get(event.pointerId);
  if (!last) {
    const node = under(event);
    canvas.style.cursor = node ? "pointer" : "grab";
    if (node !== hovered) { hovered = node; redraw(); }
    return;
  }
  const dx = event.clientX - last.x, dy = event.clientY - last.y;
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  moved += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {
    const now = spread();
    zoom(now.far / (apart || now.far), now.x, now.y);
    apart = now.far;
  } else if (dragged) {
    dragged.x += dx / view.scale;
    dragged.y += dy / view.scale;
    warm(0.3);
  } else {
    view.x += dx;
    view.y += dy;
    redraw();
  }
};
canvas.onpointerup = canvas.onpointercancel = (event) => {
  pointers.delete(event.pointerId);
  if (event.type === "pointerup" && moved < 5) select(dragged);
  release();
};
canvas.ondblclick = (event) => {
  const node = under(event);
  if (node) expand(node, node.links.map((link) => other(link, node)).slice(0, NEIGHBOURS));
};
canvas.onwheel = (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX, event.clientY);
};

function release() {
  if (dragged) dragged.held = false;
  dragged = null;
}

addEventListener("resize", dress);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);

legend();
reveal(nodes.slice(0, FIRST));
// The first picture is already in order when it is seen.
for (let round = 0; round < 250; round++) { step(shown, shownLinks, heat); heat *= 0.985; }
dress();
fit();

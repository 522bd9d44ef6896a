// Where things lie: those that are related pull each other closer, all others push each other away.
// A node is {index, x, y, vx, vy, held, degree}, a link is {source, target}; nothing here is left to chance.
const LENGTH = 80;
const PUSH = 3000;
const FRICTION = 0.6;

// A first place: beside the neighbour that is shown already, else on a spiral around the middle.
function place(node, index, neighbour) {
  const turn = index * 2.39996;
  const reach = neighbour ? LENGTH : 30 * Math.sqrt(index + 0.5);
  node.x = (neighbour ? neighbour.x : 0) + reach * Math.cos(turn);
  node.y = (neighbour ? neighbour.y : 0) + reach * Math.sin(turn);
  node.vx = node.vy = 0;
}

// One small move of everything; with less heat it is smaller.
function step(nodes, links, heat) {
  push(nodes, heat);
  for (const { source, target } of links) {
    const dx = target.x - source.x, dy = target.y - source.y;
    const far = Math.sqrt(dx * dx + dy * dy) || 1;
    const pull = (heat * (far - LENGTH)) / far / Math.min(source.degree, target.degree);
    const share = source.degree / (source.degree + target.degree);
    target.vx -= dx * pull * share;
    target.vy -= dy * pull * share;
    source.vx += dx * pull * (1 - share);
    source.vy += dy * pull * (1 - share);
  }
  for (const node of nodes) {
    node.vx = (node.vx - node.x * 0.01 * heat) * FRICTION;
    node.vy = (node.vy - node.y * 0.01 * heat) * FRICTION;
    if (node.held) continue;
    node.x += node.vx;
    node.y += node.vy;
  }
}

// What is near pushes one by one, what is far as a whole cell of a grid: that makes thousands of nodes affordable.
function push(nodes, heat) {
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  for (const { x, y } of nodes) {
    left = Math.min(left, x), right = Math.max(right, x);
    top = Math.min(top, y), bottom = Math.max(bottom, y);
  }
  const across = Math.max(1, Math.ceil(Math.sqrt(nodes.length) / 3));
  const size = Math.max(right - left, bottom - top, 1) / across + 1e-6;
  const cells = new Map();
  for (const node of nodes) {
    const column = Math.floor((node.x - left) / size), row = Math.floor((node.y - top) / size);
    const key = row * (across + 1) + column;
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = { column, row, x: 0, y: 0, nodes: [] }));
    cell.nodes.push(node);
    cell.x += node.x;
    cell.y += node.y;
  }
  const all = [...cells.values()];
  for (const cell of all) {
    cell.x /= cell.nodes.length;
    cell.y /= cell.nodes.length;
  }
  for (const home of all) {
    for (const cell of all) {
      const near = Math.abs(cell.column - home.column) < 2 && Math.abs(cell.row - home.row) < 2;
      for (const node of home.nodes) {
        if (!near) away(node, cell, cell.nodes.length, heat);
        else for (const other of cell.nodes) if (other !== node) away(node, other, 1, heat);
      }
    }
  }
}

function away(node, from, weight, heat) {
  let dx = node.x - from.x, dy = node.y - from.y;
  if (!dx && !dy) {
    // Two in the same place: one goes left and one goes right.
    dx = node.index < from.index ? -1 : 1;
  }
  const squared = dx * dx + dy * dy;
  const strength = Math.min((heat * PUSH * weight) / Math.max(squared, 25), 40) / Math.sqrt(squared);
  node.vx += dx * strength;
  node.vy += dy * strength;
}

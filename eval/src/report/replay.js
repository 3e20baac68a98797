// The list of games and the board on which they are played again.

const data = JSON.parse(document.getElementById("data").textContent);
const { variant, agents, endings } = data;
const WINNERS = ["1-0", "0-1", "1/2-1/2"];
const byId = id => document.getElementById(id);
const games = data.games.map(([number, south, north, opening, winner, end, sum, moves]) =>
  ({ number, players: [south, north], opening, winner, end, sum, moves, round: Math.floor(number / 2 / data.pairings) }));

// ---- the list ----

const PAGE = 100;
let found = games, shown = 0;

function option(select, value, words) {
  select.append(new Option(words, value));
}

option(byId("agent"), "", "any");
agents.forEach((name, agent) => option(byId("agent"), agent, name));
for (const [value, words] of [["", "any"], ["0", "player 0 won"], ["1", "player 1 won"], ["2", "draw"], ["won", "the agent won"], ["lost", "the agent lost"]]) {
  option(byId("result"), value, words);
}
option(byId("ending"), "", "any");
endings.forEach((name, end) => { if (games.some(game => game.end === end)) option(byId("ending"), end, name); });

function filtered() {
  const agent = byId("agent").value, result = byId("result").value, end = byId("ending").value, number = byId("number").value;
  for (const choice of byId("result").options) choice.disabled = agent === "" && (choice.value === "won" || choice.value === "lost");
  const wanted = game => {
    const seat = agent === "" ? -1 : game.players.indexOf(Number(agent));
    if (agent !== "" && seat < 0) return false;
    if (number !== "" && game.number !== Number(number)) return false;
    if (end !== "" && game.end !== Number(end)) return false;
    if (result === "won") return seat < 0 || game.winner === seat;
    if (result === "lost") return seat < 0 || game.winner === 1 - seat;
    return result === "" || game.winner === Number(result);
  };
  return games.filter(wanted);
}

function list() {
  found = filtered();
  shown = 0;
  byId("list").tBodies[0].replaceChildren();
  byId("found").textContent = found.length === games.length ? games.length + " games" : found.length + " of " + games.length + " games";
  if (found.length === 0 && byId("number").value !== "") byId("found").textContent += data.absent;
  more();
  neighbours();
}

function more() {
  const rows = found.slice(shown, shown + PAGE).map(game => {
    const row = document.createElement("tr");
    const cell = (text, left) => {
      const cell = row.insertCell();
      if (left) cell.className = "left";
      cell.append(text);
    };
    const choose = document.createElement("button");
    choose.type = "button";
    choose.textContent = game.number;
    choose.setAttribute("aria-label", "Replay game " + game.number);
    choose.onclick = () => open(game, true);
    cell(choose);
    cell(game.round);
    for (const agent of game.players) cell(name(agents[agent]), true);
    cell(WINNERS[game.winner]);
    cell(endings[game.end], true);
    cell(game.moves.length);
    row.dataset.game = game.number;
    row.classList.toggle("chosen", current !== null && current.number === game.number);
    return row;
  });
  byId("list").tBodies[0].append(...rows);
  shown += rows.length;
  byId("more").hidden = shown >= found.length;
}

function name(text) {
  const element = document.createElement("bdi");
  element.className = "name";
  element.textContent = text;
  return element;
}

// ---- the game on the board ----

let current = null, plies = [];
// Moves that are over, and laps of the next one that are.
let at = 0, lap = 0, timer = null, frame = 0;

function open(game, scroll) {
  stop();
  current = game;
  at = lap = 0;
  byId("warning").hidden = true;
  try {
    const replay = replayed(variant, game.moves, game.sum);
    plies = replay.plies;
    if (!replay.agrees) warn("This page plays the game differently from the engine. Please report it; giuthi eval replay shows the game as it was.");
  } catch (error) {
    plies = [];
    warn("The moves of this game cannot be played: " + error.message + ".");
  }
  const [south, north] = game.players.map(agent => name(agents[agent]));
  byId("heading").replaceChildren("Game " + game.number + ": ", south, " (player 0) against ", north, " (player 1)");
  byId("result-line").textContent = WINNERS[game.winner] + " · " + endings[game.end] + " · " + game.moves.length + " plies, " + game.opening + " of them the opening";
  byId("ply").max = plies.length;
  byId("moves").replaceChildren(...plies.map((ply, number) => {
    const item = document.createElement("li"), button = document.createElement("button");
    if (number < game.opening) item.className = "opening";
    button.type = "button";
    button.textContent = (number + 1) + ". " + written(ply.move);
    button.title = "player " + ply.before.mover + ": " + KINDS[ply.kind] + (number < game.opening ? ", opening" : "");
    button.onclick = () => { stop(); go(number + 1, 0); };
    item.append(button);
    return item;
  }));
  for (const row of byId("list").tBodies[0].rows) row.classList.toggle("chosen", row.dataset.game === String(game.number));
  draw();
  if (scroll) {
    byId("replay").focus({ preventScroll: true });
    byId("replay").scrollIntoView({ block: "start" });
  }
}

function warn(text) {
  byId("warning").textContent = text;
  byId("warning").hidden = false;
}

/// Laps of a move after which there is still something to see: before a capture the last one too.
function lapsOf(ply) {
  return ply.kind === CAPTURE ? ply.laps.length : Math.max(ply.laps.length - 1, 0);
}

function go(ply, laps) {
  at = Math.min(Math.max(ply, 0), plies.length);
  lap = at < plies.length ? laps : 0;
  draw();
}

function lapForward() {
  if (at >= plies.length) return;
  if (lap < lapsOf(plies[at])) go(at, lap + 1); else go(at + 1, 0);
}

function lapBack() {
  if (lap > 0) go(at, lap - 1); else if (at > 0) go(at - 1, lapsOf(plies[at - 1]));
}

function stop() {
  clearTimeout(timer);
  timer = null;
  byId("play").textContent = "▶ play";
  byId("play").setAttribute("aria-label", "Play");
}

function play() {
  if (timer !== null) return stop();
  if (at >= plies.length) go(0, 0);
  byId("play").textContent = "❚❚ pause";
  byId("play").setAttribute("aria-label", "Pause");
  const step = () => {
    if (byId("by-lap").checked) lapForward(); else go(at + 1, 0);
    if (at >= plies.length) stop(); else timer = setTimeout(step, Number(byId("speed").value));
  };
  timer = setTimeout(step, 60);
}

function beside(step) {
  const place = found.indexOf(current);
  const next = found[place < 0 ? 0 : place + step];
  if (next) open(next, false);
}

/// Which of the games found stand beside the one on the board.
function neighbours() {
  const place = found.indexOf(current);
  byId("before").disabled = place <= 0;
  byId("after").disabled = found.length === 0 || place === found.length - 1;
}

// ---- drawing ----

const SVG = "http://www.w3.org/2000/svg";
const CELL = 84, RADIUS = 36, LEFT = 24, TOP = 34;

function element(kind, attributes, ...children) {
  const element = document.createElementNS(SVG, kind);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/// The centre of a pit: player 0's row below from left to right, player 1's above from right to left.
function centre(pit) {
  const width = variant.width;
  return pit < width ? [LEFT + CELL * (width - 1 - pit + .5), TOP + CELL * .5] : [LEFT + CELL * (pit - width + .5), TOP + CELL * 1.5];
}

function board(position, marks, way) {
  const width = variant.width, right = LEFT + CELL * width;
  const svg = element("svg", { viewBox: `0 0 ${right + 150} ${TOP + 2 * CELL + 34}`, role: "img", "aria-label": "Board: " + notation(position) });
  svg.append(element("rect", { class: "wood", x: LEFT - 6, y: TOP - 4, width: CELL * width + 12, height: 2 * CELL + 8, rx: 16 }));
  for (let pit = 0; pit < 2 * width; pit++) {
    const [x, y] = centre(pit), seeds = position.pits[pit];
    svg.append(element("circle", { class: "pit " + (marks.get(pit) || ""), cx: x, cy: y, r: RADIUS, "data-pit": pit, "data-seeds": seeds }));
    // As seeds lie in a flower's head, round the number; of many the first alone, as the number says how many there are.
    const drawn = Math.min(seeds, 32);
    for (let seed = 0; seed < drawn; seed++) {
      const angle = seed * 2.39996, out = Math.sqrt(210 + 640 * (seed + .5) / Math.max(drawn, 6));
      svg.append(element("circle", { class: "seed", cx: (x + out * Math.cos(angle)).toFixed(1), cy: (y + out * Math.sin(angle)).toFixed(1), r: 4.4 }));
    }
    svg.append(element("text", { class: "count", x, y: y + 7.5 }, String(seeds)));
    svg.append(element("text", { class: "label", x, y: pit < width ? TOP - 12 : TOP + 2 * CELL + 22 }, String(pit)));
  }
  if (way) svg.append(...arrow(way));
  for (const player of [1, 0]) {
    const y = TOP + CELL * (player ? .5 : 1.5), mover = position.mover === player ? "mover" : "";
    svg.append(element("text", { class: mover, x: right + 20, y: y - 6 }, (mover ? "▸ " : "") + "player " + player));
    svg.append(element("text", { x: right + 20, y: y + 16 }, "pile ", element("tspan", { class: "mover" }, String(position.piles[player]))));
  }
  return svg;
}

/// The way of a lap, round the ring; of one that goes round more than once, once.
function arrow({ from, to, seeds, way }) {
  const ring = 2 * variant.width, steps = Math.min(seeds, ring);
  const points = [];
  let pit = seeds > ring ? (to - way * steps % ring + 2 * ring) % ring : from;
  for (let step = 0; step <= steps; step++) {
    // Nearer to the middle of the board than the pits, so that their numbers stay free.
    const [x, y] = centre(pit);
    points.push([x, y + (pit < variant.width ? 22 : -22)]);
    pit = (pit + way + ring) % ring;
  }
  const [[x0, y0], [x1, y1]] = points.slice(-2);
  const angle = Math.atan2(y1 - y0, x1 - x0), tip = turn => [x1 - 13 * Math.cos(angle + turn), y1 - 13 * Math.sin(angle + turn)].map(n => n.toFixed(1)).join();
  return [
    element("polyline", { class: "way", points: points.map(point => point.join()).join(" ") }),
    element("polygon", { class: "tip", points: [x1 + "," + y1, tip(.5), tip(-.5)].join(" ") }),
  ];
}

const turned = way => way > 0 ? "counter-clockwise" : "clockwise";
const counted = (number, word) => number + " " + word + (number === 1 ? "" : "s");

function lapSaid({ from, to, seeds, way }) {
  return counted(seeds, "seed") + " from pit " + from + " " + turned(way) + " to pit " + to;
}

function endSaid(ply) {
  const player = ply.before.mover, landed = ply.laps.length ? ply.laps[ply.laps.length - 1].to : 0;
  return [
    "pit " + landed + " was empty and is the opponent's: no capture.",
    "pit " + landed + " was empty and no seed left the row: player " + player + " moves again.",
    "captures " + counted(ply.captured, "seed") + (ply.chain ? ", the chain runs over " + counted(ply.chain, "more pit") : "") + ".",
    "the relay came round to where it began: it would never end.",
    "no pit with two seeds: a forced pass.",
  ][ply.kind];
}

function said() {
  if (at === 0 && lap === 0) return "The start. Player 0 moves first.";
  if (lap > 0) {
    const ply = plies[at];
    return "Ply " + (at + 1) + ", player " + ply.before.mover + ": " + written(ply.move) + ", lap " + lap + " of " + ply.laps.length + ": " + lapSaid(ply.laps[lap - 1]) + ".";
  }
  const ply = plies[at - 1];
  let text = "Ply " + at + ", player " + ply.before.mover + " (" + agents[current.players[ply.before.mover]] + "): " + written(ply.move);
  if (ply.laps.length) text += ", " + counted(ply.laps.length, "lap");
  text += ": " + endSaid(ply);
  if (ply.repeats !== undefined) text += " This position stood after ply " + ply.repeats + " already.";
  if (at === plies.length) text += " The game is over: " + WINNERS[current.winner] + ", " + endings[current.end] + ".";
  return text;
}

function draw() {
  const marks = new Map();
  let position = at > 0 ? plies[at - 1].after : start(variant), way = null;
  const ply = lap > 0 ? plies[at] : at > 0 ? plies[at - 1] : null;
  const last = ply && (lap > 0 ? ply.laps[lap - 1] : ply.laps[ply.laps.length - 1]);
  if (lap > 0) position = { pits: last.pits, piles: ply.before.piles, mover: ply.before.mover };
  if (last) {
    if (lap > 0) way = last;
    else if (ply.kind === CAPTURE) for (const pit of ply.taken) marks.set(pit, "taken");
    marks.set(lap > 0 ? last.from : ply.move.pit, "lifted");
    marks.set(last.to, "landed");
  }
  byId("board").replaceChildren(board(position, marks, way));
  byId("position").textContent = notation(position);
  byId("said").textContent = said();
  byId("ply").value = at;
  byId("ply").setAttribute("aria-valuetext", "after ply " + at + " of " + plies.length);
  const begun = at === 0 && lap === 0, ended = at >= plies.length;
  for (const id of ["first", "back", "lap-back"]) byId(id).disabled = begun;
  for (const id of ["forward", "last", "lap"]) byId(id).disabled = ended;
  neighbours();
  const old = byId("moves").querySelector("[aria-current]");
  if (old) old.removeAttribute("aria-current");
  // Of a move that is under way, it.
  const item = byId("moves").children[lap > 0 ? at : at - 1];
  if (item) {
    item.firstChild.setAttribute("aria-current", "true");
    // Once a frame: to ask where it stands has the page laid out anew.
    if (!frame) frame = requestAnimationFrame(() => { frame = 0; follow(); });
  }
}

/// Keeps the present move in sight.
function follow() {
  const button = byId("moves").querySelector("[aria-current]");
  if (button) byId("moves").scrollTop = button.offsetTop - byId("moves").offsetTop - 60;
}

// ---- what is pressed ----

const presses = {
  first: () => go(0, 0),
  back: () => go(lap > 0 ? at : at - 1, 0),
  forward: () => go(at + 1, 0),
  last: () => go(plies.length, 0),
  lap: lapForward,
  "lap-back": lapBack,
};
for (const [id, press] of Object.entries(presses)) byId(id).onclick = () => { stop(); press(); };
byId("play").onclick = play;
byId("before").onclick = () => beside(-1);
byId("after").onclick = () => beside(1);
byId("ply").oninput = () => { stop(); go(Number(byId("ply").value), 0); };
byId("more").onclick = more;
byId("filters").oninput = list;
byId("filters").onsubmit = event => event.preventDefault();
byId("filters").onreset = () => setTimeout(list);

document.addEventListener("keydown", event => {
  const inside = byId("replay").contains(event.target), on = event.target.closest("button");
  const control = event.target.closest("input, select, textarea");
  if (!current || control || event.ctrlKey || event.altKey || event.metaKey) return;
  // Elsewhere arrows move what can be scrolled.
  if (!inside && event.target !== document.body) return;
  const id = {
    ArrowLeft: event.shiftKey ? "lap-back" : "back",
    ArrowRight: event.shiftKey ? "lap" : "forward",
    Home: inside && "first",
    End: inside && "last",
    " ": inside && !on && "play",
  }[event.key];
  if (!id) return;
  event.preventDefault();
  byId(id).click();
});

/// `#game-12` opens a game, `#game-12-5` after its fifth ply.
function linked() {
  const link = /^#game-(\d+)(?:-(\d+))?$/.exec(location.hash);
  const game = link && games.find(game => game.number === Number(link[1]));
  if (!game) return false;
  open(game, true);
  go(Number(link[2] || 0), 0);
  return true;
}

if (games.length) {
  byId("viewer").hidden = false;
  list();
  if (!linked()) open(games[0], false);
  addEventListener("hashchange", linked);
}

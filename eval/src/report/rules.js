// The rules, lap by lap, as docs/rules.md has them. They are the engine's a second time, and are held to it: every game
// carries a check sum of all that its moves do, which `replayed` compares; and the program's tests play the records of
// an independent program here.

const KINDS = ["turn", "extra", "capture", "endless", "pass"];
const [TURN, EXTRA, CAPTURE, ENDLESS, PASS] = [0, 1, 2, 3, 4];

/// The start of the variant. Pits are numbered along the ring: 0 … W-1 are player 1's, W … 2W-1 player 0's.
function start(variant) {
  return { pits: new Array(2 * variant.width).fill(variant.seeds), piles: [0, 0], mover: 0 };
}

/// A move of one letter: `A` is pit 0 counter-clockwise, `B` pit 0 clockwise, and so on; `-` is a pass.
function moveOf(letter) {
  const code = letter.charCodeAt(0);
  const number = code >= 97 ? code - 97 + 26 : code - 65;
  return letter === "-" ? null : { pit: number >> 1, way: number % 2 ? -1 : 1 };
}

function written(move) {
  return move ? move.pit + (move.way > 0 ? "ccw" : "cw") : "pass";
}

/// What a move does: its laps, how it ends, what it takes, and the position after it.
function sown(before, move) {
  const ring = before.pits.length, width = ring / 2, player = before.mover;
  const own = pit => (player === 0 ? pit >= width : pit < width) && pit >= 0 && pit < ring;
  const sowable = whose => before.pits.some((seeds, pit) => seeds >= 2 && (pit < width) === (whose === 1));
  const other = { pits: before.pits, piles: before.piles, mover: 1 - player };
  if (!move) {
    if (sowable(player) || !sowable(1 - player)) throw new Error("a pass that is not forced");
    return { move, kind: PASS, laps: [], captured: 0, chain: 0, taken: [], before, after: other };
  }
  if (!own(move.pit) || before.pits[move.pit] < 2) throw new Error("pit " + move.pit + " cannot be sown");
  const pits = before.pits.slice(), laps = [];
  let from = move.pit, way = move.way, to, entered = false;
  for (;;) {
    const seeds = pits[from];
    pits[from] = 0;
    to = from;
    // R2: the pit that a lap begins at is not skipped. R3: what counts as entered is counted from the move's start.
    for (let seed = 0; seed < seeds; seed++) {
      to = (to + way + ring) % ring;
      pits[to]++;
      if (!own(to)) entered = true;
    }
    laps.push({ from, to, seeds, way, pits: pits.slice() });
    if (pits[to] === 1) break;
    from = to;
    way = -way;
    // R9. A lap can be undone in one way only, so a relay that comes round comes back to its first state.
    if (from === move.pit && way === move.way && pits.every((seeds, pit) => seeds === before.pits[pit])) {
      return { move, kind: ENDLESS, laps, captured: 0, chain: 0, taken: [], before, after: before };
    }
  }
  const position = (piles, mover) => ({ pits, piles, mover });
  if (!own(to)) {
    return { move, kind: TURN, laps, captured: 0, chain: 0, taken: [], before, after: position(before.piles, 1 - player) };
  }
  if (!entered) {
    return { move, kind: EXTRA, laps, captured: 0, chain: 0, taken: [], before, after: position(before.piles, player) };
  }
  // R1: opposite pits add up to 2W - 1. R5, R6: an empty one is no obstacle, at the landing pit or in the chain.
  const taken = [to];
  let captured = pits[to], chain = 0;
  pits[to] = 0;
  for (let at = to; ; chain++) {
    const opposite = ring - 1 - at;
    captured += pits[opposite];
    pits[opposite] = 0;
    taken.push(opposite);
    at += way;
    if (!own(at) || pits[at] > 0) break;
  }
  const piles = before.piles.slice();
  piles[player] += captured;
  return { move, kind: CAPTURE, laps, captured, chain, taken, before, after: position(piles, 1 - player) };
}

/// A game played again: its plies, and whether they do what the engine says. `repeats` is the ply after which the
/// position stood before.
function replayed(variant, letters, sum) {
  const plies = [];
  let position = start(variant), hash = 0x811c9dc5;
  const take = byte => { hash = Math.imul(hash ^ (byte & 255), 0x01000193); };
  let seen = new Map([[key(position), 0]]);
  for (const letter of letters) {
    const ply = sown(position, moveOf(letter));
    position = ply.after;
    plies.push(ply);
    // R7: nothing from before a capture can come again.
    if (ply.kind === CAPTURE) seen = new Map();
    if (ply.kind !== ENDLESS) {
      ply.repeats = seen.get(key(position));
      if (ply.repeats === undefined) seen.set(key(position), plies.length);
    }
    position.pits.forEach(take);
    position.piles.forEach(take);
    take(position.mover);
    take(ply.laps.length);
    take(ply.laps.length >> 8);
    [ply.captured, ply.chain, ply.kind].forEach(take);
  }
  return { plies, agrees: (hash >>> 0).toString(16).padStart(8, "0") === sum };
}

function key(position) {
  return position.pits.join() + " " + position.mover;
}

/// The position as all of Giuthi writes it.
function notation({ pits, piles, mover }) {
  const width = pits.length / 2;
  return [pits.slice(0, width).join(), pits.slice(width).join(), piles[0], piles[1], mover].join(" ");
}

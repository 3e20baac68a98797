// Drives a report as a person does, by its buttons, and writes what it showed into the page as JSON. Of many games
// `briefly` shows every second one, forward and by laps.
(async () => {
  const by = id => document.getElementById(id), click = id => by(id).click();
  const wait = ms => new Promise(over => setTimeout(over, ms));
  const told = element => element.dispatchEvent(new Event("input", { bubbles: true }));
  const seen = { errors: [] };
  addEventListener("error", event => seen.errors.push(event.message));
  addEventListener("securitypolicyviolation", event => seen.errors.push("refused: " + event.blockedURI));

  /// The position as it is drawn: seeds by pit, piles, and whose name is marked.
  const drawn = () => {
    const pits = [...document.querySelectorAll("#board [data-pit]")];
    pits.sort((one, other) => one.dataset.pit - other.dataset.pit);
    const counts = [...document.querySelectorAll("#board .count")].map(text => text.textContent).join();
    const seeds = pits.map(pit => pit.dataset.seeds);
    if (counts !== seeds.join()) seen.errors.push("numbers differ from seeds");
    // Player 0's row below from left to right, player 1's above from right to left; names and piles beside their rows.
    const place = (element, name) => Number(element.getAttribute(name)), width = pits.length / 2;
    pits.forEach((pit, number) => {
      const across = pits[2 * width - 1 - number], next = number + 1 < (number < width ? width : 2 * width) && pits[number + 1];
      if (place(pit, "cx") !== place(across, "cx")) seen.errors.push("pit " + number + " is not opposite the right one");
      if (next && (place(next, "cx") > place(pit, "cx")) !== (number >= width)) seen.errors.push("pit " + number + " is out of order");
    });
    if (place(pits[0], "cy") >= place(pits[width], "cy")) seen.errors.push("player 1 is not above");
    const beside = [...document.querySelectorAll("#board svg > text:not(.count):not(.label)")];
    beside.sort((one, other) => place(one, "y") - place(other, "y"));
    const rows = beside.map(text => text.textContent);
    const [name1, pile1, name0, pile0] = rows;
    const mover = name1.startsWith("▸") ? 1 : name0.startsWith("▸") ? 0 : -1;
    const half = seeds.length / 2, pile = text => text.replace("pile ", "");
    const text = [seeds.slice(0, half).join(), seeds.slice(half).join(), pile(pile0), pile(pile1), mover].join(" ");
    if (text !== by("position").textContent) seen.errors.push(text + " is drawn, and written " + by("position").textContent);
    return text;
  };
  /// The pits with a ring: lifted, landed, taken.
  const marked = () => ["lifted", "landed", "taken"].map(mark =>
    [...document.querySelectorAll("#board [data-pit]." + mark)].map(pit => Number(pit.dataset.pit)).sort((a, b) => a - b));
  const choose = number => {
    by("number").value = number;
    told(by("number"));
    by("list").tBodies[0].rows[0].querySelector("button").click();
  };
  const through = (id, limit = 100000) => {
    const positions = [drawn()];
    while (!by(id).disabled && limit-- > 0) {
      click(id);
      positions.push(drawn());
    }
    return positions;
  };

  seen.numbers = JSON.parse(by("data").textContent).games.map(game => game[0]);
  const shown = seen.numbers.filter(number => !briefly || number % 2 === 0);
  seen.games = shown.map(number => {
    choose(number);
    const forward = through("forward"), end = by("said").textContent, back = briefly ? [] : through("back");
    click("first");
    const marks = [];
    while (!by("forward").disabled) {
      click("forward");
      marks.push(marked());
    }
    click("first");
    const laps = through("lap"), lapsBack = briefly ? [] : through("lap-back");
    click("last");
    const last = drawn();
    click("first");
    const first = drawn();
    return { number, heading: by("heading").textContent, end, forward, back, marks, laps, lapsBack, first, last, warned: !by("warning").hidden };
  });

  const show = () => {
    const output = document.createElement("pre");
    output.id = "driven";
    output.textContent = JSON.stringify(seen);
    document.body.append(output);
  };
  if (briefly) return show();

  // Filters, each on its own; the agents by number.
  click("clear");
  await wait(10);
  const count = (id, value) => {
    by(id).value = value;
    told(by(id));
    const words = by("found").textContent;
    by(id).value = "";
    told(by(id));
    return Number(words.split(" ")[0]);
  };
  const choices = id => [...by(id).options].map(choice => choice.value).filter(value => value !== "" && isFinite(value));
  seen.filtered = {};
  for (const id of ["agent", "result", "ending"]) {
    seen.filtered[id] = Object.fromEntries(choices(id).map(value => [value, count(id, value)]));
  }
  by("agent").value = "0";
  told(by("agent"));
  seen.won = count("result", "won");
  seen.lost = count("result", "lost");
  click("clear");
  await wait(10);
  seen.rows = by("list").tBodies[0].rows.length;
  for (let more = 0; !by("more").hidden && more < 1000; more++) click("more");
  seen.allRows = by("list").tBodies[0].rows.length;

  // Game to game, a move in the list, the slider, keys.
  choose(seen.numbers[0]);
  click("clear");
  await wait(10);
  const chosen = () => /^Game (\d+):/.exec(by("heading").textContent)[1];
  seen.walk = [chosen()];
  for (const id of ["after", "after", "before"]) {
    click(id);
    seen.walk.push(chosen());
  }
  choose(seen.numbers[0]);
  by("moves").children[2].firstChild.click();
  seen.third = drawn();
  by("ply").value = 2;
  told(by("ply"));
  seen.second = drawn();
  const key = (name, shift) => {
    by("replay").dispatchEvent(new KeyboardEvent("keydown", { key: name, shiftKey: !!shift, bubbles: true }));
    return drawn();
  };
  seen.keys = [key("Home"), key("ArrowRight"), key("ArrowRight", true), key("ArrowLeft", true), key("ArrowLeft"), key("End")];

  // Back from within a move is its beginning.
  click("first");
  click("forward");
  click("lap");
  click("back");
  seen.backFromLap = drawn();

  // Playing: to the end; and paused on the way, where nothing moves any more.
  by("speed").value = "250";
  click("first");
  click("play");
  for (let waited = 0; by("play").getAttribute("aria-label") === "Pause" && waited < 10000; waited++) await wait(250);
  seen.played = drawn();
  click("first");
  click("play");
  await wait(400);
  click("play");
  seen.paused = drawn();
  await wait(3000);
  seen.stillPaused = drawn();
  click("first");
  by("by-lap").checked = true;
  click("play");
  const steps = new Set();
  for (let waited = 0; by("play").getAttribute("aria-label") === "Pause" && waited < 100000; waited++) {
    steps.add(by("said").textContent);
    await wait(125);
  }
  seen.lapsPlayed = steps.size;

  seen.title = document.title;
  seen.hacked = document.documentElement.dataset.hacked || "";
  seen.agents = [...by("agent").options].slice(1).map(choice => choice.textContent);
  show();
})();

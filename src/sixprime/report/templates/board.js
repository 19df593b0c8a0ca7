// Draws boards from XGIDs, as report/svg.py does; `sizes` are its lengths in drawing units.
const boards = (sizes) => {
  const { width, height, edge, strip, half, bar, tray, die, cube, head, shown, seats, faces, frames } = sizes;
  const middle = height / 2, sum = (values) => values.reduce((a, b) => a + b, 0);

  // Counts by player and own point (25 the bar), the rest as the IDs of Extreme Gammon have it.
  function read(xgid) {
    const [letters, value, owner, turn, dice, score1, score0, rule, length] = xgid.replace("XGID=", "").split(":");
    const counts = [Array(26).fill(0), Array(26).fill(0)];
    [...letters].forEach((letter, i) => {
      if (letter >= "a") counts[0][25 - i] = letter.charCodeAt() - 96;
      else if (letter >= "A") counts[1][i] = letter.charCodeAt() - 64;
    });
    return {
      counts, mover: +turn > 0 ? 1 : 0, cube: 2 ** value, owner: +owner ? (+owner > 0 ? 1 : 0) : null,
      dice: /^[1-6]{2}$/.test(dice) ? [...dice].map(Number) : null, doubled: /^[DBR]/.test(dice),
      score: [+score0, +score1], length: +length, crawford: +length > 0 && rule === "1",
    };
  }
  const off = (counts) => sizes.chequers - sum(counts);

  // A written play as ways of chequers: the points touched, and how many went.
  function ways(text) {
    return [...text.matchAll(/((?:bar|\d+)(?:\/(?:off|\d+)\*?)+)(?:\((\d)\))?/g)].map(([, way, number]) => ({
      points: way.split("/").map((point) => (parseInt(point) || (point === "bar" ? 25 : 0))), number: +(number || 1),
    }));
  }

  // The position after a play, the mover still at his place; `left`: how many chequers left each point.
  function after(position, text) {
    const counts = position.counts.map((side) => [...side]), mine = counts[position.mover], theirs = counts[1 - position.mover];
    const left = Array(26).fill(0);
    for (const { points, number } of ways(text)) {
      mine[points[0]] -= number;
      left[points[0]] += number;
      for (const point of points.slice(1)) if (point && theirs[25 - point] === 1) (theirs[25 - point] = 0), theirs[25]++;
      if (points.at(-1)) mine[points.at(-1)] += number;
    }
    return { ...position, counts, left, dice: position.dice };
  }

  function layout(upside, mirrored) {
    const x = (value) => (mirrored ? width - value : value);
    const top = (who) => (who === 1) !== upside;
    const place = (point, slot, who) => {
      const [left, y, step] = seats[top(who) ? 1 : 0][point];
      return [x(left), y + step * slot];
    };
    return { x, top, place };
  }
  const slot = (index, point) => Math.max(0, Math.min(index, point === 25 ? 3 : shown - 1));
  const text = (name, x, y, value) => `<text class="${name}" x="${x}" y="${y}">${value}</text>`;

  function chequers(at, counts, who, player) {
    let dots = "", numbers = "", bars = "";
    counts.forEach((count, point) => {
      if (!point || count <= 0) return;
      const seen = Math.min(count, point === 25 ? 4 : shown);
      for (let k = 0; k < seen; k++) dots += `M${at.place(point, k, who).join(" ")}h0`;
      const [x, y] = at.place(point, seen - 1, who);
      if (count > seen) numbers += text(`sp-k${player}`, x, y + 6, count);
    });
    for (let k = 0; k < Math.min(off(counts), 15); k++) {
      const [x, y] = at.place(0, k, who);
      bars += `M${x - 17} ${y}h34`;
    }
    return (dots && `<path class="sp-e${player}" d="${dots}"/><path class="sp-c${player}" d="${dots}"/>`)
      + (bars && `<path class="sp-oe${player}" d="${bars}"/><path class="sp-o${player}" d="${bars}"/>`) + numbers;
  }

  function drawCube(at, position) {
    let x = at.x(strip / 2), y = middle, value = position.cube;
    if (position.crawford) return `<g transform="rotate(-90 ${x} ${y})">${text("sp-n sp-p", x, y + 5, "Crawford")}</g>`;
    if (position.doubled) [value, x] = [2 * value, at.x(strip + half / 2)];
    else if (position.owner !== null)
      y += (middle - edge - cube / 2 - 6) * (at.top(position.owner === position.mover ? 0 : 1) ? -1 : 1);
    const corner = `x="${x - cube / 2}" y="${y - cube / 2}" width="${cube}" height="${cube}" rx="5"`;
    return `<rect class="sp-cube" ${corner}/>` + text(`sp-ct${value > 99 ? " sp-s" : ""}`, x, y + 6, value);
  }

  function drawDice(at, dice, player) {
    return dice.map((face, i) => {
      const x = at.x(strip + half + bar + half / 2) + (i ? 22 : -22);
      const pips = faces[face - 1].map(([dx, dy]) => `M${x + 10 * dx} ${middle + 10 * dy}h0`).join("");
      const corner = `x="${x - die / 2}" y="${middle - die / 2}" width="${die}" height="${die}" rx="7"`;
      return `<rect class="sp-d${player}" ${corner}/><path class="sp-q${player}" d="${pips}"/>`;
    }).join("");
  }

  function way(places) {
    let shaft = `M${places[0].join(" ")}`, longest = -1, centre = [0, 0], cx, cy;
    for (let i = 1; i < places.length; i++) {
      const [x0, y0] = places[i - 1], [x1, y1] = places[i], length = Math.hypot(x1 - x0, y1 - y0);
      [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
      if (y0 < middle === y1 < middle) cy += Math.min(46, 0.25 * length) * (y0 < middle ? 1 : -1);
      if (length > longest) [longest, centre] = [length, [(x0 + 2 * cx + x1) / 4, (y0 + 2 * cy + y1) / 4]];
      if (i < places.length - 1) shaft += `Q${even(cx)} ${even(cy)} ${x1} ${y1}`;
    }
    const [x1, y1] = places.at(-1), norm = Math.hypot(x1 - cx, y1 - cy) || 1;
    const tx = (head * (x1 - cx)) / norm, ty = (head * (y1 - cy)) / norm, x2 = x1 - tx, y2 = y1 - ty;
    shaft += `Q${even(cx)} ${even(cy)} ${even(x2)} ${even(y2)}`;
    const point = `M${even(x2 - 0.55 * ty)} ${even(y2 + 0.55 * tx)}L${x1} ${y1}L${even(x2 + 0.55 * ty)} ${even(y2 - 0.55 * tx)}z`;
    return { shaft, point, centre };
  }
  // Halves go to the even neighbour, as in Python.
  function even(value) {
    const low = Math.floor(value), rest = value - low;
    return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
  }

  function arrows(at, position, play) {
    const counts = [...position.counts[position.mover]], numbers = [];
    let gone = off(counts), shafts = "", points = "";
    for (const { points: touched, number } of ways(play)) {
      const start = touched[0], end = touched.at(-1), upper = slot(counts[start] - 1, start);
      counts[start] -= number;
      let landed;
      if (end === 0) landed = Math.min((gone += number), 15) - 1;
      else landed = slot((counts[end] += number) - 1, end);
      const rows = [start, end].map((point) => at.place(point, 0, 0)[1] < middle);
      const facing = (rows[0] !== rows[1]) !== (start === 25), centres = [];
      for (let k = 0; k < number; k++) {
        const lands = landed - (facing ? number - 1 - k : k);
        const hits = k ? [] : touched.slice(1, -1).map((point) => at.place(point, 0, 0));
        const drawn = way([at.place(start, Math.max(upper - k, 0), 0), ...hits, at.place(end, Math.max(lands, 0), 0)]);
        shafts += drawn.shaft;
        points += drawn.point;
        centres.push(drawn.centre);
      }
      if (number > 1) {
        const [a, b] = centres;
        numbers.push([even((a[0] + b[0]) / 2), even((a[1] + b[1]) / 2) + 7, `×${number}`]);
      }
    }
    return { shafts, points, numbers };
  }

  // What stands inside the <svg>. bottom: the player there; plays: {best, played}, arrows from the position `from`.
  function draw(position, { bottom = position.mover, mirrored = false, plays = {}, from = position, light = 0, numbers = "mover", pips = true } = {}) {
    const { mover, counts, score, length } = position, upside = bottom !== mover, at = layout(upside, mirrored);
    const numbered = numbers === "none" ? "none" : upside && numbers === "mover" ? "top" : "bottom";
    let out = `<use href="#${frames[mirrored ? "left" : "right"][numbered]}"/>`;
    for (const who of [0, 1]) {
      const player = who ? 1 - mover : mover, y = at.top(who) ? edge - 7 : height - 7;
      out += chequers(at, counts[player], who, player ^ light);
      const race = sum(counts[player].map((count, point) => count * point));
      if (pips) out += text("sp-n sp-p", at.x(width - tray / 2), y, race);
      if (length) out += text("sp-n sp-p", at.x(strip / 2), y, `${score[player]}/${length}`);
    }
    out += drawCube(at, position);
    if (position.dice) out += drawDice(at, position.dice, mover ^ light);
    // Where chequers left from, in a position after a play.
    from.counts[mover].forEach((count, point) => {
      const gone = (position.left || [])[point] || 0, ring = sizes.die / 2;
      for (let k = count - gone; k < count && k < shown; k++) {
        const [x, y] = at.place(point, k, 0);
        out += `<circle class="sp-left" cx="${x}" cy="${y}" r="${ring}"/>`;
      }
    });
    const drawn = Object.entries(plays).filter(([, play]) => ways(play).length).map(([name, play]) => [name, arrows(at, from, play)]);
    for (const [, { shafts, points }] of drawn) out += `<path class="sp-h" d="${shafts}${points}"/>`;
    for (const [name, { shafts, points }] of drawn)
      out += `<path class="sp-${name}" d="${shafts}"/><path class="sp-${name}-head" d="${points}"/>`;
    const counted = new Map();
    for (const [name, { numbers }] of [...drawn].reverse())
      for (const [x, y, value] of numbers) counted.set(`${x} ${y}`, text(`sp-x sp-${name}-head`, x, y, value));
    return out + [...counted.values()].join("");
  }

  // What a screen reader says; pips: whether it tells them.
  function label(position, names, pips = true) {
    const { mover, counts, dice, cube, owner, crawford, doubled } = position;
    const parts = [`{{ say('script.board') }}${dice ? ` {{ say('script.with') }} ${dice.join("-")}` : ""}`];
    if (!crawford) parts.push(`{{ say('script.cube') }} ${owner === null ? "{{ say('script.centred') }}" : `{{ say('script.owned') }}`}${doubled ? ", {{ say('script.doubled') }}" : ""}`);
    for (const player of [mover, 1 - mover]) {
      const race = sum(counts[player].map((count, point) => count * point)), gone = off(counts[player]);
      const places = counts[player].map((count, point) => count && `${point === 25 ? "{{ say('script.bar') }}" : point}: ${count}`).filter(Boolean);
      parts.push(`${names[player]}${pips ? ` ${race} {{ say('script.pips') }}` : ""}, ${places.join(", ")}${gone ? `, ${gone} {{ say('script.off') }}` : ""}`);
    }
    return parts.join("; ");
  }
  return { sizes, read, after, draw, label, layout, drawDice };
};

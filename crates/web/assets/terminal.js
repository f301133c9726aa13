// An agent's screen: rows of text that the server has drawn. Live, with a seat to type in; or a recording, to be played.
"use strict";

(() => {
  const { find } = Signalbox;
  const box = find("#terminal");
  if (!box) return;
  const isRecording = box.dataset.socket.startsWith("/socket/recording");
  const BASE = ["#1b1f24", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#d0d7de",
    "#8b949e", "#ffa198", "#a5f3b4", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0f5", "#ffffff"];

  function color(shade) {
    if (shade === null) return "";
    if (typeof shade === "string") return shade;
    if (shade < 16) return BASE[shade];
    if (shade > 231) { const level = 8 + (shade - 232) * 10; return `rgb(${level} ${level} ${level})`; }
    const at = shade - 16;
    const step = (value) => (value ? 55 + value * 40 : 0);
    return `rgb(${step(Math.floor(at / 36))} ${step(Math.floor(at / 6) % 6)} ${step(at % 6)})`;
  }

  function span([, text, front, back, flags]) {
    const piece = document.createElement("span");
    piece.textContent = text;
    let [fore, ground] = [color(front), color(back)];
    if (flags & 16) [fore, ground] = [ground || "#11151a", fore || "#dfe3e8"];
    if (fore) piece.style.color = fore;
    if (ground) piece.style.background = ground;
    for (const flag of [1, 2, 4, 8, 32, 64]) if (flags & flag) piece.classList.add("t" + flag);
    return piece;
  }

  // Pieces begin at a column; what is left out before them is blank.
  function fill(line, pieces) {
    const nodes = [];
    let at = 0;
    for (const piece of pieces) {
      if (piece[0] > at) nodes.push(" ".repeat(piece[0] - at));
      nodes.push(span(piece));
      at = piece[0] + width(piece[1]);
    }
    line.replaceChildren(...nodes);
  }
  const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
  const thin = /\p{Mn}|\p{Me}|\p{Cf}/u;
  function width(text) {
    let sum = 0;
    for (const one of text) sum += thin.test(one) ? 0 : wide.test(one) ? 2 : 1;
    return sum;
  }

  let lines = [], cursor = null, size = [0, 0];
  function paint(picture) {
    if (lines.length !== picture.rows) {
      lines = Array.from({ length: picture.rows }, () => {
        const line = document.createElement("span");
        line.className = "line";
        return line;
      });
      box.replaceChildren(...lines);
    }
    size = [picture.rows, picture.cols];
    const touched = new Map(picture.lines);
    for (const [row, pieces] of touched) if (lines[row]) { fill(lines[row], pieces); lines[row].pieces = pieces; }
    // The cursor is a mark on the row it stands on.
    if (cursor && lines[cursor[0]] && !touched.has(cursor[0])) fill(lines[cursor[0]], lines[cursor[0]].pieces || []);
    cursor = picture.cursor;
    if (cursor && lines[cursor[0]]) mark(lines[cursor[0]], cursor[1]);
    fit();
  }
  function mark(line, col) {
    let at = 0;
    for (const node of [...line.childNodes]) {
      const text = node.textContent;
      const cells = width(text);
      if (col < at + cells) {
        let before = "", rest = text;
        while (rest && at + width(before) < col) { const one = [...rest][0]; before += one; rest = rest.slice(one.length); }
        const here = [...rest][0] || " ";
        const parts = [before, here, rest.slice(here.length)].map((part) => {
          const piece = node.nodeType === Node.TEXT_NODE ? document.createElement("span") : node.cloneNode(false);
          piece.textContent = part;
          return piece;
        });
        parts[1].classList.add("cursor");
        node.replaceWith(...parts.filter((part) => part.textContent));
        return;
      }
      at += cells;
    }
    const gap = document.createTextNode(" ".repeat(Math.max(0, col - at)));
    const here = document.createElement("span");
    here.className = "cursor";
    here.textContent = " ";
    line.append(gap, here);
  }
  // As large as fits the page's width.
  const probe = document.createElement("span");
  probe.textContent = "M".repeat(20);
  let fitted = "";
  function fit() {
    const wanted = size[1] + "x" + box.clientWidth;
    if (wanted === fitted || !size[1]) return;
    fitted = wanted;
    box.style.fontSize = "13px";
    box.append(probe);
    const each = probe.getBoundingClientRect().width / 20;
    probe.remove();
    const room = box.clientWidth - 18;
    box.style.fontSize = Math.max(7, Math.min(15, 13 * room / (each * size[1]))).toFixed(2) + "px";
  }
  window.addEventListener("resize", () => { fitted = ""; fit(); });

  let socket = null, wanted = true, tries = 0;
  function open(query) {
    if (socket) { const old = socket; socket = null; old.close(); }
    const address = new URL(box.dataset.socket + query, location.href);
    address.protocol = "ws:";
    const own = new WebSocket(address);
    socket = own;
    own.onmessage = (event) => { if (own === socket) { tries = 0; heard(JSON.parse(event.data)); } };
    own.onclose = () => {
      if (own !== socket) return;
      socket = null;
      if (!wanted) return;
      tries += 1;
      said("the connection was lost; trying again");
      seat(false);
      setTimeout(() => { if (!socket && wanted) open(isRecording ? "" : "?seat=watch"); }, Math.min(300 * tries, 5000));
    };
  }
  const send = (wish) => { if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(wish)); };
  const bar = find("#terminal-state");
  function said(words) { if (bar) bar.textContent = words; }

  function heard(message) {
    if (message.picture) paint(message.picture);
    if (message.notice) { said(message.notice); seat(Boolean(message.seated)); }
    if (message.ended) {
      said(message.ended);
      seat(false);
      if (message.taken) { find("#force").hidden = false; open("?seat=watch"); return; }
      wanted = false;
    }
    if (isRecording) played(message);
  }

  // The seat.
  let seated = false;
  function seat(now) {
    seated = now;
    box.classList.toggle("seated", now);
    const [sit, stand, force, hand] = ["#sit", "#stand", "#force", "#hand"].map((id) => find(id));
    if (!sit) return;
    sit.hidden = now;
    stand.hidden = !now;
    hand.hidden = !now;
    if (now) { force.hidden = true; box.focus(); }
  }
  if (!isRecording) {
    find("#sit").addEventListener("click", () => open("?seat=seat"));
    find("#force").addEventListener("click", () => open("?seat=force"));
    find("#stand").addEventListener("click", () => open("?seat=watch"));
    box.addEventListener("keydown", (event) => {
      if (!seated || event.isComposing || event.metaKey) return;
      if (event.ctrlKey && event.shiftKey && ["C", "V"].includes(event.key)) return;
      // Tab stays with the page where Escape was pressed just before, so that the keyboard is no trap.
      if (event.key === "Tab" && escaped) { escaped = false; return; }
      escaped = event.key === "Escape" && event.shiftKey;
      if (escaped) { event.preventDefault(); find("#stand").focus(); return; }
      event.preventDefault();
      send({ key: { key: event.key, ctrl: event.ctrlKey, alt: event.altKey, shift: event.shiftKey } });
    });
    let escaped = false;
    box.addEventListener("paste", (event) => {
      if (!seated) return;
      event.preventDefault();
      send({ paste: event.clipboardData.getData("text/plain") });
    });
    // A phone has no keys until something is to be written in, and neither has an input method.
    const line = find("#line");
    const press = (key, ctrl = false) => send({ key: { key, ctrl, alt: false, shift: false } });
    find("#hand").addEventListener("submit", (event) => {
      event.preventDefault();
      send({ text: line.value });
      // CLIs take an Enter that comes with the text for a part of a paste.
      setTimeout(() => press("Enter"), line.value ? 150 : 0);
      line.value = "";
    });
    for (const button of document.querySelectorAll("#hand [data-press]")) {
      button.addEventListener("click", () => press(button.dataset.press, "ctrl" in button.dataset));
    }
    open("?seat=watch");
  }

  // The recording.
  let length = 0, playing = true, sliding = false;
  const clock = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;
  function played(message) {
    if (message.length !== undefined) {
      length = message.length;
      find("#seek").max = Math.max(1, length);
      find("#markers").replaceChildren(...message.markers.map(([at, words]) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.className = "quiet";
        button.textContent = `${clock(at)} ${words}`;
        button.addEventListener("click", () => send({ seek: at }));
        item.append(button);
        return item;
      }));
    }
    if (message.at !== undefined) {
      if (!sliding) find("#seek").value = message.at;
      find("#clock").textContent = `${clock(message.at)} of ${clock(length)}`;
      playing = message.playing;
      find("#play").textContent = playing ? "Pause" : "Play";
    }
  }
  if (isRecording) {
    find("#play").addEventListener("click", () => send(playing ? "pause" : "play"));
    find("#speed").addEventListener("change", (event) => send({ speed: Number(event.target.value) }));
    find("#seek").addEventListener("input", (event) => { sliding = true; send({ seek: Number(event.target.value) }); });
    find("#seek").addEventListener("change", () => { sliding = false; });
    open("");
  }
})();

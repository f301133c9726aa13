// What every page does: follow the log, fetch the part that changed, send what a person wants done, keys and theme.
"use strict";

const Signalbox = (() => {
  const policy = window.trustedTypes
    ? trustedTypes.createPolicy("signalbox", { createHTML: (text) => text })
    : { createHTML: (text) => text };
  const find = (selector, within = document) => within.querySelector(selector);

  // Theme: as the system has it, until somebody chooses.
  const theme = { get: () => localStorage.getItem("theme"), set: (name) => localStorage.setItem("theme", name) };
  if (theme.get()) document.documentElement.dataset.theme = theme.get();

  // Text of ours, parsed into nodes that run nothing.
  function parsed(text) {
    const template = document.createElement("template");
    template.innerHTML = policy.createHTML(text);
    return template.content;
  }

  // Make one tree like another with as few changes as possible, so that focus, scrolling, open details and what is being
  // typed stay.
  function morph(from, to) {
    if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) {
      from.replaceWith(to);
      return;
    }
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
      return;
    }
    if (from.hasAttribute("data-keep")) return;
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && name !== "open" && name !== "data-loaded") from.removeAttribute(name);
    }
    for (const { name, value } of to.attributes) {
      if (name === "open" && from.localName === "details") continue;
      if (from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
    if (from.localName === "input" || from.localName === "textarea" || from.localName === "select") {
      if (from !== document.activeElement && from.type === "checkbox") from.checked = to.hasAttribute("checked");
      if (from.localName !== "select") return;
      if (from === document.activeElement) return;
    }
    if (from.hasAttribute("data-loaded")) {
      morphChildren(find("summary", from), find("summary", to));
      return;
    }
    morphChildren(from, to);
  }

  const keyOf = (node) => node.nodeType === Node.ELEMENT_NODE ? node.dataset.key : undefined;
  // Whether one may become the other: things of the same name and the same sort.
  const alike = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other)
    && (one.nodeType !== Node.ELEMENT_NODE || one.classList[0] === other.classList[0]);

  function morphChildren(from, to) {
    const all = [...to.childNodes];
    const keys = new Set(all.map(keyOf));
    const keyed = new Map();
    for (const child of from.children) if (child.dataset.key) keyed.set(child.dataset.key, child);
    let at = from.firstChild;
    const drop = () => { const gone = at; at = at.nextSibling; gone.remove(); };
    all.forEach((wanted, place) => {
      // What nobody wants any more makes way; what is wanted further on stays and is gone round. Text holds nothing that
      // could be lost.
      const stays = () => {
        if (alike(at, wanted)) return true;
        if (at.nodeType !== Node.ELEMENT_NODE) return wanted.nodeType !== Node.ELEMENT_NODE;
        return keyOf(at) ? keys.has(keyOf(at)) : all.some((one, later) => later > place && alike(at, one));
      };
      while (at && !stays()) drop();
      const known = keyed.get(keyOf(wanted));
      if (known) {
        keyed.delete(keyOf(wanted));
        if (known === at) at = at.nextSibling;
        else from.insertBefore(known, at);
        morph(known, wanted);
      } else if (at && alike(at, wanted)) {
        const here = at;
        at = at.nextSibling;
        morph(here, wanted);
      } else {
        from.insertBefore(wanted, at);
      }
    });
    while (at) drop();
  }

  // The part of the page that changes, fetched again when something happened; at most one at a time.
  const main = find("#main");
  let stale = false, busy = false, holding = 0;
  async function refresh() {
    stale = true;
    if (busy || holding || !main.dataset.part) return;
    busy = true;
    try {
      while (stale && !holding) {
        stale = false;
        const answer = await fetch(main.dataset.part, { headers: { Accept: "text/html" } });
        if (answer.status === 401) { banner("This browser is signed out. Run `sb web --open` in a terminal for a fresh link."); return; }
        const content = parsed(await answer.text());
        const inner = find("[data-inner-part]", main);
        if (holding) { stale = true; break; }
        const tails = [...main.querySelectorAll("[data-tail]")].map((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 30);
        const box = document.createElement(inner ? "div" : "main");
        box.append(content);
        morphChildren(inner || main, box);
        main.querySelectorAll("[data-tail]").forEach((one, at) => { if (tails[at] !== false) one.scrollTop = one.scrollHeight; });
        document.dispatchEvent(new CustomEvent("signalbox:refreshed"));
        await new Promise((done) => setTimeout(done, 150));
      }
    } catch {
      // The server is gone; the stream notices too, and says so.
    } finally {
      busy = false;
    }
  }
  // A card that goes to another column is a new one there; whoever works by keyboard goes with it.
  let focused = "";
  document.addEventListener("focusin", (event) => {
    if (event.target.closest("dialog")) return;
    const card = event.target.closest(".card");
    focused = card ? card.dataset.ticket : "";
  });
  function follow() {
    if (!focused || dialog.open || document.activeElement !== document.body) return;
    const card = find(`.card[data-ticket="${CSS.escape(focused)}"]`);
    if (card) card.focus();
  }
  document.addEventListener("signalbox:refreshed", follow);
  const hold = () => { holding += 1; };
  const release = () => { holding -= 1; if (!holding && stale) refresh(); };

  // The log, as it grows. A hidden page leaves, because browsers allow few connections, and goes on where it was.
  const state = find("#link-state");
  let stream = null, last = "", quiet = 0, soon = null;
  function say(words, live) { state.textContent = words; state.classList.toggle("live", live); }
  function banner(words) { const box = find("#banner"); box.textContent = words; box.hidden = !words; }
  function connect() {
    if (stream || document.hidden) return;
    stream = new EventSource("/live" + (last ? "?after=" + encodeURIComponent(last) : ""));
    stream.addEventListener("begin", (event) => {
      last = event.lastEventId;
      say("live", true);
      if (quiet) { quiet = 0; banner(""); refresh(); }
    });
    stream.addEventListener("log", (event) => {
      last = event.lastEventId;
      const events = JSON.parse(event.data);
      document.dispatchEvent(new CustomEvent("signalbox:events", { detail: events }));
      const again = () => { soon = null; refresh(); };
      // Every call of every tool is in the log; pages need not be drawn anew for each.
      if (events.every((one) => one.event.startsWith("hook."))) { soon ??= setTimeout(again, 2000); return; }
      refresh();
      // A process tells of its end before it has ended, so one more look follows.
      clearTimeout(soon);
      soon = setTimeout(again, 2000);
    });
    stream.onerror = () => {
      disconnect();
      quiet += 1;
      say("offline", false);
      if (quiet > 1) banner("The server does not answer. This page keeps trying; what you see may be old.");
      setTimeout(connect, Math.min(500 * quiet, 5000));
    };
  }
  function disconnect() { if (stream) { stream.close(); stream = null; } }
  document.addEventListener("visibilitychange", () => { if (document.hidden) disconnect(); else { connect(); refresh(); } });
  window.addEventListener("pagehide", disconnect);

  function toast(words, bad) {
    const box = document.createElement("div");
    box.className = bad ? "toast bad" : "toast";
    box.textContent = words;
    find("#toasts").append(box);
    setTimeout(() => box.remove(), bad ? 12000 : 5000);
  }

  // Do something; what is refused comes back as { refused: words }.
  async function act(wish) {
    let answer;
    try {
      answer = await fetch("/api/v1/act", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish),
      });
    } catch {
      return { refused: "The server does not answer; nothing was done." };
    }
    const said = await answer.json().catch(() => ({ message: "The answer cannot be read." }));
    if (!answer.ok) return { refused: [said.message, ...(said.hints || [])].join(" ") };
    for (const words of said.warnings || []) toast(words, true);
    toast(said.says);
    refresh();
    return said;
  }

  // Ask for what is still missing, and do it. The refusal stands in the same place, with all that was typed.
  const dialog = find("#ask");
  let asked = null;
  function ask({ title, about, fields, ok, wish, done }) {
    asked = { wish, done };
    find("#ask-title").textContent = title;
    find("#ask-about").textContent = about || "";
    find("#ask-ok").textContent = ok || "Do it";
    find("#ask-refused").hidden = true;
    const box = find("#ask-fields");
    box.replaceChildren(...fields.map((field) => {
      const label = document.createElement("label");
      const name = document.createElement("span");
      name.textContent = field.label;
      const input = document.createElement(field.choices ? "select" : field.long ? "textarea" : "input");
      input.name = field.name;
      if (field.required) input.required = true;
      for (const choice of field.choices || []) input.append(new Option(choice.label || choice, choice.value ?? choice));
      if (field.value) input.value = field.value;
      if (!field.choices) input.maxLength = field.long ? 200000 : 4000;
      label.append(name, input);
      return label;
    }));
    dialog.showModal();
    const first = find("input, select, textarea", box);
    if (first) first.focus();
  }
  find("#ask-cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", follow);
  find("form", dialog).addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.target));
    const { wish, done } = asked;
    const answer = await act(wish(values));
    if (answer.refused) {
      const box = find("#ask-refused");
      box.textContent = answer.refused;
      box.hidden = false;
      return;
    }
    dialog.close();
    if (done) done(answer);
  });

  const STATUSES = ["backlog", "open", "in-progress", "review", "rework", "done", "blocked"];
  const text = (label, required, value) => ({ name: "text", label, required, long: true, value });
  const asks = {
    move: (at) => ({
      title: "Move " + at.ticket, about: at.title, ok: "Move",
      fields: [
        { name: "to", label: "To", choices: STATUSES.filter((one) => one !== at.status), value: at.to },
        text("Note or reason (some moves need one)", false, at.text),
      ],
      wish: (values) => ({ do: "move", ticket: at.ticket, to: values.to, text: values.text }),
    }),
    approve: (at) => ({ title: "Approve " + at.ticket, fields: [text("Note", false)], ok: "Approve", wish: (v) => ({ do: "approve", ticket: at.ticket, text: v.text }) }),
    reject: (at) => ({ title: "Send " + at.ticket + " back", fields: [text("What has to change", true)], ok: "Send back", wish: (v) => ({ do: "reject", ticket: at.ticket, text: v.text }) }),
    note: (at) => ({ title: "Note on " + at.ticket, fields: [text("Note", true)], ok: "Add", wish: (v) => ({ do: "note", ticket: at.ticket, text: v.text }) }),
    hold: (at) => ({ title: "Hold " + at.ticket, fields: [text("Why", true)], ok: "Hold", wish: (v) => ({ do: "hold", ticket: at.ticket, text: v.text }) }),
    unhold: (at) => ({ title: "Release " + at.ticket, fields: [text("Note", false)], ok: "Release", wish: (v) => ({ do: "unhold", ticket: at.ticket, text: v.text }) }),
    assign: (at) => ({ title: "Assign " + at.ticket, fields: [{ name: "to", label: "To whom (nobody: leave it empty)" }], ok: "Assign", wish: (v) => ({ do: "assign", ticket: at.ticket, to: v.to }) }),
    withdraw: (at) => ({ title: "Withdraw " + at.decision, fields: [text("Why it need not be answered", false)], ok: "Withdraw", wish: (v) => ({ do: "withdraw", decision: at.decision, text: v.text }) }),
    stop: (at) => ({ title: "End " + at.agent + "?", about: "What it did is kept.", fields: [], ok: "End it", wish: () => ({ do: "stop", agent: at.agent }) }),
  };

  // What an element is about: its own data, and that of what is around it.
  function surroundings(element) {
    const found = {};
    for (const name of ["ticket", "title", "status", "decision", "agent", "project"]) {
      const holder = element.closest(`[data-${name}]`);
      if (holder) found[name] = holder.dataset[name];
    }
    return found;
  }
  function wishOf(element, values = {}) {
    const at = surroundings(element);
    switch (element.dataset.act) {
      case "answer":
        return element.dataset.option
          ? { do: "answer", decision: at.decision, option: Number(element.dataset.option) }
          : { do: "answer", decision: at.decision, text: values.text };
      case "promote": return { do: "promote", decision: at.decision };
      case "tell": return { do: "tell", agent: at.agent, text: values.text };
      case "loop": {
        const wish = { do: "loop", project: at.project, wish: element.dataset.wish };
        if (values.agents !== undefined) wish.agents = Number(values.agents);
        return wish;
      }
      default: return null;
    }
  }
  async function carryOut(element, values) {
    const answer = await act(wishOf(element, values));
    if (answer.refused) toast(answer.refused, true);
    return !answer.refused;
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-ask], button[data-act]");
    if (!button) return;
    if (button.dataset.ask) ask(asks[button.dataset.ask](surroundings(button)));
    else { button.disabled = true; carryOut(button).finally(() => { button.disabled = false; }); }
  });
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-act]");
    if (!form) return;
    event.preventDefault();
    if (await carryOut(form, Object.fromEntries(new FormData(form)))) form.reset();
  });
  document.addEventListener("change", async (event) => {
    const box = event.target.closest("input[data-check]");
    if (box) {
      const wish = { do: "check", ticket: surroundings(box).ticket, criterion: Number(box.dataset.check), met: box.checked };
      const answer = await act(wish);
      if (answer.refused) { box.checked = !box.checked; toast(answer.refused, true); }
    }
    const sieve = event.target.closest("form.sieve");
    if (sieve && event.target.localName === "select") sieve.requestSubmit();
  });
  document.addEventListener("toggle", async (event) => {
    const details = event.target;
    if (!details.open || !details.dataset.lazy || details.dataset.loaded !== undefined) return;
    details.dataset.loaded = "";
    const answer = await fetch(details.dataset.lazy).catch(() => null);
    if (!answer) { delete details.dataset.loaded; return; }
    find(".lazy", details).replaceChildren(parsed(await answer.text()));
  }, true);

  // Keys.
  const HELP = "g then n b l p a q d t f h: pages · / sift · c new ticket · m move the card in focus · ? these words";
  let prefix = 0;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, .terminal.seated, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (prefix && Date.now() - prefix < 1500) {
      prefix = 0;
      const place = find(`.top nav a[data-key="${CSS.escape(event.key)}"]`);
      if (place) { event.preventDefault(); place.click(); }
      return;
    }
    if (event.key === "g") prefix = Date.now();
    else if (event.key === "/") { const box = find("[data-search]"); if (box) { event.preventDefault(); box.focus(); box.select(); } }
    else if (event.key === "c") { event.preventDefault(); fileTicket(); }
    else if (event.key === "?") toast(HELP);
    else if (event.key === "m") {
      const at = surroundings(document.activeElement);
      if (at.ticket) { event.preventDefault(); ask(asks.move(at)); }
    }
  });

  async function fileTicket() {
    const answer = await fetch("/api/v1/health").then((said) => said.json()).catch(() => ({ loops: [] }));
    const projects = (answer.loops || []).map((one) => one.project);
    if (!projects.length) { toast("There is no project yet: run `sb init` in a repository.", true); return; }
    ask({
      title: "New ticket", ok: "File it",
      fields: [
        { name: "title", label: "What should be true when it is done", required: true },
        { name: "project", label: "Project", choices: projects },
        { name: "priority", label: "Priority", choices: ["P3", "P0", "P1", "P2", "P4", "P5"] },
        { name: "body", label: "More (markdown)", long: true },
        { name: "acceptance", label: "Criteria, one a line", long: true },
        { name: "tags", label: "Tags, with spaces between them" },
      ],
      wish: (v) => ({
        do: "new", project: v.project, title: v.title, body: v.body, priority: v.priority,
        acceptance: v.acceptance.split("\n").map((one) => one.trim()).filter(Boolean),
        tags: v.tags.split(/\s+/).filter(Boolean),
      }),
      done: (said) => { if (said.ticket) toast("Filed as " + said.ticket); },
    });
  }
  find("#new-ticket").addEventListener("click", fileTicket);
  find("#leave").addEventListener("click", async () => {
    const answer = await fetch("/leave", { method: "POST" }).catch(() => null);
    if (answer && answer.ok) location.assign("/");
    else toast("This browser could not be signed out.", true);
  });
  find("#theme").addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    theme.set(next);
  });

  for (const one of main.querySelectorAll("[data-tail]")) one.scrollTop = one.scrollHeight;
  connect();
  // What a step prints is not in the log.
  setInterval(() => { if (!document.hidden && find("[data-follow]", main)) refresh(); }, 1000);
  // Ages grow though nothing happens.
  setInterval(() => { if (!document.hidden) refresh(); }, 30000);
  return { act, ask, asks, refresh, hold, release, surroundings, toast, find };
})();

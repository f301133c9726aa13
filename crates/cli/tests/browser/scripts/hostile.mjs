// A corpus of payloads through everything that an agent or a stranger can write, on every page: none is ever run, and the
// browser has nothing to complain about.
import { readFileSync } from "node:fs";
import { check, eventually, play, run, same, sb } from "./kit.mjs";

const PAYLOADS = JSON.parse(readFileSync(new URL("./payloads.json", import.meta.url), "utf8"));

// Things in a page that no text of ours may become.
function strange() {
  const found = [];
  for (const one of document.querySelectorAll("*")) {
    const name = one.localName;
    if (["iframe", "object", "embed", "base", "portal", "math", "foreignObject", "animate", "set", "marquee", "audio", "video", "template", "noscript"].includes(name)) found.push(name);
    if (name === "script" && !(one.src || "").startsWith(location.origin + "/assets/")) found.push(one.outerHTML);
    if ((name === "style" && !one.nonce) || (name === "link" && !one.href.startsWith(location.origin + "/assets/"))) found.push(one.outerHTML);
    if (name === "img" && one.src && new URL(one.src).origin !== location.origin) found.push(one.outerHTML);
    if (name === "meta" && one.httpEquiv) found.push(one.outerHTML);
    for (const { name: attribute, value } of one.attributes) {
      if (attribute.startsWith("on") || ["srcdoc", "formaction"].includes(attribute)) found.push(one.outerHTML.slice(0, 200));
      if (["href", "src", "action", "xlink:href"].includes(attribute)) {
        const protocol = new URL(value, location.href).protocol;
        if (!["http:", "https:", "mailto:"].includes(protocol)) found.push(`${attribute}=${value}`);
      }
    }
    for (const kind of ["mouseover", "mouseenter", "focus", "pointerover", "toggle", "animationstart"]) one.dispatchEvent(new Event(kind, { bubbles: false }));
  }
  return found;
}

play(async (stage, given) => {
  const page = await stage.person("/health");
  const act = (wish) => page.evaluate(async (one) => {
    const answer = await fetch("/api/v1/act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(one) });
    const said = await answer.json();
    return answer.ok ? said : { refused: [said.message, ...said.hints].join(" ") };
  }, wish);
  stage.expects(/status of 40[0-9] .*\/api\/v1\/act/);
  stage.expects(/status of 400 .*\/(board|list|activity)\?/);
  // A page that only says what is wrong has no picture of its own.
  stage.expects(/status of 404 .*favicon.ico/);
  const refused = {};
  const tried = async (field, wish) => {
    const said = await act(wish);
    if (said.refused) refused[field] = (refused[field] || 0) + 1;
    return said.refused ? null : said;
  };

  // What came before, from agents, branches and steps, is shown and not swallowed.
  for (const [path, words] of given.shown) {
    await page.goto(stage.origin + path, { waitUntil: "domcontentloaded" });
    check((await page.locator("main").textContent()).includes(words), `${path} does not show ${words}`);
  }

  // Every field that is filled in by a command.
  const tickets = [];
  for (const words of PAYLOADS) {
    const one = words.replace(/\s+/g, " ");
    const filed = await tried("new", { do: "new", project: "shop", title: one, body: words, acceptance: [one], depends_on: tickets.slice(-1) });
    check(filed, `a title must be possible: ${words}`);
    tickets.push(filed.ticket);
    await tried("note", { do: "note", ticket: filed.ticket, text: words });
    await tried("assign", { do: "assign", ticket: filed.ticket, to: one });
    await tried("tag", { do: "new", project: "shop", title: "tagged", tags: [one] });
    if (tickets.length % 3 === 0) await tried("hold", { do: "hold", ticket: filed.ticket, text: words });
  }
  for (let at = 0; at < PAYLOADS.length; at += 6) {
    const some = PAYLOADS.slice(at, at + 6).map((words) => words.replace(/\s+/g, " "));
    const said = await run("sb", "esc", "draft", "--json", "--ticket", tickets[at], "--context=" + some.join("\n"), ...some.slice(1, 4).map((one) => "--option=" + one), "--", some[0]);
    check(said.code === 0, said.stderr);
    if (at % 4 === 0) await sb("esc", "promote", JSON.parse(said.stdout).id);
  }

  const pages = [
    "/", "/board", "/board?most=500", "/list", "/plan", "/agents?all=true", "/queue", "/activity", "/activity?all=true", "/decisions", "/flow", "/health",
    ...tickets.map((id) => "/ticket/" + id), ...given.paths,
    ...PAYLOADS.slice(0, 12).map((words) => "/list?text=" + encodeURIComponent(words)),
    ...PAYLOADS.slice(40, 46).map((words) => "/activity?actor=" + encodeURIComponent(words)),
    ...PAYLOADS.slice(55, 61).map((words) => "/board?tag=" + encodeURIComponent(words) + "&project=" + encodeURIComponent(words)),
  ];
  let looked = 0;
  for (const path of pages) {
    await page.goto(stage.origin + path, { waitUntil: "domcontentloaded" });
    if (await page.locator("details[data-lazy] > summary").count() && given.patches.includes(path)) {
      await page.locator("details[data-lazy] > summary").first().click();
      await page.locator(".patch .file").first().waitFor();
    }
    if (/^.(agent|recording)\//.test(path)) await eventually("the screen", async () => (await page.locator("#terminal").innerText()).includes("onerror"));
    await page.evaluate(() => { for (const one of document.querySelectorAll("details")) one.open = true; });
    same(await page.evaluate(strange), [], path);
    looked += 1;
  }
  // Shown, not swallowed.
  await page.goto(stage.origin + "/ticket/" + tickets[9]);
  same(await page.locator("h1").first().textContent(), PAYLOADS[9], "a title is shown as it is");
  // What follows by the stream is put in as carefully as what came with the page.
  await page.goto(stage.origin + "/board?text=live");
  await page.locator("#link-state.live").waitFor();
  for (const words of PAYLOADS.slice(0, 12)) await sb("new", "--", "live " + words.replace(/\s+/g, " "));
  await page.locator(".card", { hasText: "live " + PAYLOADS[11] }).first().waitFor();
  same(await page.evaluate(strange), [], "the board that followed");
  // What a refusal and a notice repeat.
  for (const words of PAYLOADS.slice(0, 12)) {
    const said = await act({ do: "move", ticket: tickets[0], to: words });
    check(said.refused, "no such status");
    await page.evaluate((words) => Signalbox.toast(words, true), said.refused);
  }
  same(await page.evaluate(strange), [], "what refusals repeat");
  return { payloads: PAYLOADS.length, looked, refused };
});

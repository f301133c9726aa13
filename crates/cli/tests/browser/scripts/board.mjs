// The board: it follows what others do, cards can be dragged and moved by keyboard, and what is refused is told in place.
import { check, eventually, live, play, same, sb, toast } from "./kit.mjs";

const column = (page, status) => page.locator(`.column[data-status="${status}"]`);
const card = (page, id) => page.locator(`.card[data-ticket="${id}"]`);
const inColumn = (page, status, id) => column(page, status).locator(`.card[data-ticket="${id}"]`);

play(async (stage) => {
  const [one, other, third] = [await sb("new", "Limit logins", "-p", "P1", "-t", "auth", "--backlog"), await sb("new", "Say why", "-t", "words"), await sb("new", "Third of three")];
  // Wide enough for all columns: what scrolls under a pressed mouse is not what was meant.
  const page = await stage.person("/board", { viewport: { width: 1900, height: 1000 } });
  await inColumn(page, "backlog", one).waitFor();
  await page.evaluate(() => { window.sameDocument = true; });

  // Another process files and moves tickets; this page follows without being loaded again.
  const fresh = await sb("new", "Filed while you look");
  await inColumn(page, "open", fresh).waitFor();
  await sb("edit", fresh, "--title", "Renamed while you look");
  await card(page, fresh).getByText("Renamed while you look").waitFor();
  await sb("hold", fresh, "not now");
  await inColumn(page, "blocked", fresh).waitFor();
  same(await card(page, fresh).count(), 1, "one card a ticket");
  check(await page.evaluate(() => window.sameDocument), "the page was loaded anew");

  // Dragged to where it may go.
  await card(page, one).dragTo(column(page, "open"));
  await inColumn(page, "open", one).waitFor();
  same(JSON.parse(await sb("show", one, "--json")).status, "open", "the move is in the log");
  await card(page, one).dragTo(column(page, "in-progress"));
  await inColumn(page, "in-progress", one).waitFor();

  // Dragged to where it may not go: the column says why, and nothing has moved.
  stage.expects(/status of 40[09] .*\/api\/v1\/act/);
  await card(page, other).dragTo(column(page, "review"));
  const refused = column(page, "review").locator(".refused");
  await refused.waitFor();
  const words = await refused.innerText();
  check(words.startsWith(`${other} was not moved: `) && words.length > 60, words);
  await inColumn(page, "open", other).waitFor();
  same(JSON.parse(await sb("show", other, "--json")).status, "open", "nothing has moved");
  // It stays while the page follows other things, until somebody has read it.
  const later = await sb("new", "Filed while a refusal stands there");
  await inColumn(page, "open", later).waitFor();
  check(await refused.isVisible(), "the refusal was swept away");
  await refused.getByRole("button", { name: "All right" }).click();
  await refused.waitFor({ state: "hidden" });

  // With words, by the way that the refusal offers.
  await card(page, one).dragTo(column(page, "review"));
  await refused.waitFor();
  await refused.getByRole("button", { name: "With words…" }).click();
  await page.locator("#ask textarea").fill("five wrong ones a minute, then it waits");
  await page.locator("#ask-ok").click();
  await inColumn(page, "review", one).waitFor();
  await page.locator("#ask").waitFor({ state: "hidden" });

  // By keyboard alone.
  await card(page, third).focus();
  await page.keyboard.press("m");
  await page.locator("#ask[open]").waitFor();
  same(await page.locator("#ask-title").innerText(), `Move ${third}`, "the card in focus");
  await page.locator("#ask select").selectOption("review");
  await page.keyboard.press("Tab");
  await page.keyboard.type("a reason that does not help");
  await page.locator("#ask-ok").press("Enter");
  await page.locator("#ask-refused").waitFor();
  same(await page.locator("#ask textarea").inputValue(), "a reason that does not help", "what was typed stays");
  await page.locator("#ask select").selectOption("in-progress");
  await page.locator("#ask-ok").press("Enter");
  await inColumn(page, "in-progress", third).waitFor();
  await eventually("the focus to go with it", () => page.evaluate((id) => document.activeElement.dataset.ticket === id, third));
  await page.keyboard.press("m");
  await page.locator("#ask[open]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#ask").waitFor({ state: "hidden" });

  // A new ticket, by key and by button.
  await page.locator("body").press("c");
  await page.locator("#ask[open]").waitFor();
  await page.locator("#ask input[name=title]").fill("  ");
  await page.locator("#ask-ok").click();
  await page.locator("#ask-refused").waitFor();
  await page.locator("#ask input[name=title]").fill("Made in the browser");
  await page.locator("#ask textarea[name=body]").fill("With *words*.");
  await page.locator("#ask textarea[name=acceptance]").fill("it is there\nit is right\n\n");
  await page.locator("#ask input[name=tags]").fill("web  new");
  await page.locator("#ask select[name=priority]").selectOption("P0");
  await page.locator("#ask-ok").click();
  const made = page.locator(".card", { hasText: "Made in the browser" });
  await made.waitFor();
  const id = await made.getAttribute("data-ticket");
  const shown = JSON.parse(await sb("show", id, "--json"));
  same([shown.priority, shown.tags, shown.acceptance.length], ["P0", ["web", "new"], 2], "all fields arrive");
  await page.locator("#new-ticket").click();
  await page.locator("#ask[open]").waitFor();
  await page.locator("#ask-cancel").click();
  await page.locator("#ask").waitFor({ state: "hidden" });

  // Filters, each by itself; the address keeps them.
  const ids = () => page.locator(".card").evaluateAll((cards) => cards.map((one) => one.dataset.ticket).sort());
  const sift = async (path, wanted) => {
    await stage.visit(page, "/board" + path);
    same(await ids(), [...wanted].sort(), path);
  };
  await sift("?priority=P0", [id]);
  await sift("?tag=auth", [one]);
  await sift("?text=logins", [one]);
  await sift("?project=shop&priority=P1&tag=auth", [one]);
  await sift("?assignee=nobody-of-that-name", []);
  await stage.visit(page, "/board");
  await page.locator("select[name=tag]").selectOption("words");
  await page.waitForURL(/tag=words/);
  await live(page);
  same(await ids(), [other], "the select sifts by itself");
  // What is sifted is followed too.
  await sb("edit", later, "-t", "words");
  await card(page, later).waitFor();
  await stage.visit(page, "/board");
  await page.locator("body").press("/");
  same(await page.evaluate(() => document.activeElement.name), "text", "the search box");
  await page.keyboard.type("browser");
  await page.keyboard.press("Enter");
  await page.waitForURL(/text=browser/);
  same(await ids(), [id], "words");

  // Keys that go to pages, and the theme.
  for (const [key, path] of [["n", "/"], ["l", "/list"], ["a", "/agents"], ["q", "/queue"], ["d", "/decisions"], ["t", "/activity"], ["f", "/flow"], ["h", "/health"], ["b", "/board"]]) {
    await live(page);
    await page.locator("body").press("g");
    await page.locator("body").press(key);
    await page.waitForURL((address) => address.pathname === path);
  }
  await page.locator("body").press("?");
  await toast(page, "these words");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.locator("#theme").click();
  const dark = await ground();
  check(light !== dark, "the theme did not change");
  await stage.visit(page, "/list");
  same(await ground(), dark, "the theme is remembered");

  // The list sorts and leads to tickets.
  await page.getByRole("link", { name: "Limit logins" }).click();
  await page.waitForURL(/\/ticket\/sb_/);
  await page.getByRole("heading", { level: 1, name: "Limit logins" }).waitFor();
  await eventually("the page to be live", () => page.locator("#link-state.live").count());
});

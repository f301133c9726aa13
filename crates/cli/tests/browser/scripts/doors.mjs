// The way in: a link works once, and whoever is not signed in is told what to do.
import { check, link, play, same, sb } from "./kit.mjs";

play(async (stage, given) => {
  const way = await link();
  const origin = new URL(way).origin;
  const page = await stage.stranger();
  stage.expects(/status of (401|404)/);

  // Nobody yet.
  const answer = await page.goto(origin + "/board");
  same(answer.status(), 401, "not signed in");
  const words = await page.locator("main").innerText();
  check(words.includes("not signed in") && words.includes("sb web --open"), words);

  // In, and the link is gone from the address.
  await page.goto(way);
  same(new URL(page.url()).pathname, "/", "the link's word is not kept in the address");
  await page.locator("#link-state.live").waitFor();
  const cookies = await page.context().cookies();
  same(cookies.map((one) => [one.httpOnly, one.sameSite]), [[true, "Strict"]], "the cookie");
  check(!(await page.evaluate(() => document.cookie)), "no script can read it");

  // Used, by somebody else.
  const thief = await stage.stranger();
  same((await thief.goto(way)).status(), 401, "a link works once");
  const said = await thief.locator("main").innerText();
  check(said.includes("used before") && said.includes("sb web --open"), said);
  same((await thief.goto(origin + "/")).status(), 401, "and gave nothing");

  // Not used by anybody in time.
  same((await thief.goto(given.old)).status(), 401, "a link that is too old");
  const old = await thief.locator("main").innerText();
  check(old.includes("older than ten minutes") && old.includes("sb web --open") && old.includes("fresh link"), old);
  same(await thief.context().cookies(), [], "and gave nothing");

  // A page that is open when its browser is signed out says so.
  await page.goto(origin + "/board");
  await page.locator("#link-state.live").waitFor();
  await page.evaluate(() => fetch("/leave", { method: "POST" }));
  await sb("new", "Something happens");
  await page.locator("#banner", { hasText: "signed out" }).waitFor();
  check((await page.locator("#banner").innerText()).includes("sb web --open"), "what to do");
  const refused = await page.evaluate(async () => (await Signalbox.act({ do: "new", project: "shop", title: "no" })).refused);
  check(refused.includes("sb web --open"), refused);

  // Pages that are not there.
  await page.goto(await link());
  for (const [path, wanted] of [["/no/such/page", "no such page"], ["/ticket/sb_nobody", "sb_nobody"], ["/agent/nobody", "nobody"], ["/recording/nobody", "nobody"]]) {
    same((await page.goto(origin + path)).status(), 404, path);
    check((await page.locator("body").innerText()).includes(wanted), path);
  }
});

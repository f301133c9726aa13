// A ticket that goes away under its open page: its file, the ticket itself by somebody's word.
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { check, eventually, play, same, sb } from "./kit.mjs";

play(async (stage, given) => {
  const page = await stage.person("/ticket/" + given.ticket);
  await page.evaluate(() => { window.sameDocument = true; });
  const heading = page.getByRole("heading", { level: 1, name: "Paint the shed" });
  const followed = async (words) => {
    const before = await page.evaluate(() => window.signalboxSeen.length);
    await sb("note", given.other, words);
    await eventually("the page to hear of it", () => page.evaluate((before) => window.signalboxSeen.length > before, before));
  };

  // Its file: the log is the truth, and the page has all of it still.
  rmSync(given.file);
  await followed("the file is gone");
  await heading.waitFor();
  await page.getByRole("button", { name: "Note…" }).click();
  await page.locator("#ask textarea").fill("said without a file");
  await page.locator("#ask-ok").click();
  await page.locator(".story", { hasText: "said without a file" }).waitFor();
  await eventually("the file to be written again", () => existsSync(given.file));

  // The ticket itself, closed by somebody else: the page says by whom and why.
  await sb("close", given.ticket, "we sold the shed");
  await page.locator(".pill.s-done").first().waitFor();
  await page.locator(".story", { hasText: "we sold the shed" }).waitFor();
  // What cannot be done to it any more is refused in a sentence.
  stage.expects(/status of 40[09] .*\/api\/v1\/act/);
  await page.getByRole("button", { name: "Hold…" }).click();
  await page.locator("#ask textarea").fill("wait");
  await page.locator("#ask-ok").click();
  await page.locator("#ask-refused").waitFor();
  const refused = await page.locator("#ask-refused").innerText();
  check(refused.includes("done"), refused);
  await page.locator("#ask-cancel").click();
  check(await page.evaluate(() => window.sameDocument), "the page was loaded anew");

  // Somebody puts an older log back, from before there was such a ticket: a sentence, and the way to the others.
  const log = realpathSync(process.env.SIGNALBOX_HOME + "/events/current");
  const lines = readFileSync(log, "utf8").split("\n");
  const kept = lines.slice(0, lines.findIndex((line) => line.includes(given.ticket))).join("\n") + "\n";
  check(kept.includes(given.other), "the other ticket is older");
  writeFileSync(log, kept);
  rmSync(process.env.SIGNALBOX_HOME + "/index.db");
  await sb("new", "After the older log");
  await sb("note", given.other, "and one more");
  await page.locator("main .problem", { hasText: given.ticket }).waitFor();
  const said = await page.locator("main").innerText();
  check(said.includes("no ticket"), said);
  same(await heading.count(), 0, "nothing is shown of it");
  await page.getByRole("link", { name: "Board" }).click();
  await page.locator(".card", { hasText: "After the older log" }).waitFor();
  check(!(await page.locator("main").innerText()).includes(given.ticket), "it is on no other page");
});

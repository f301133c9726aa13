// The merge queue while it validates: what the step prints is seen as it comes, though nothing happens in the log.
import { existsSync, writeFileSync } from "node:fs";
import { begin, check, eventually, play, same, sb } from "./kit.mjs";

// Sooner than the page looks for ages that have grown.
const SOON = 10000;

play(async (stage, given) => {
  const page = await stage.person("/queue");
  await page.evaluate(() => { window.sameDocument = true; });
  await sb("override", given.ticket, "open", "now");
  const running = begin("run");
  try {
    await eventually("an agent at work", () => existsSync(given.workspaces + "/core-one/src/one"));
    writeFileSync(given.workspaces + "/core-one/.git/go-on", "");
    const row = page.locator("tr", { hasText: given.ticket });
    await row.locator(".flag", { hasText: "building" }).waitFor();
    const output = page.locator("pre.output");
    await page.getByRole("heading", { name: /^Output of run-/ }).waitFor();
    await output.filter({ hasText: "the first words" }).waitFor();
    check(!(await output.innerText()).includes("the second words"), "it waits");
    const before = await page.evaluate(() => window.signalboxSeen.length);
    writeFileSync(given.root + "/go-on", "");
    await output.filter({ hasText: "the second words" }).waitFor({ timeout: SOON });
    same(await page.evaluate(() => window.signalboxSeen.length), before, "no event told the page");
    same(await row.count(), 1, "it is still validated");
    writeFileSync(given.root + "/finish", "");
    await page.getByText("Nothing waits to be merged.").waitFor();
    await output.filter({ hasText: "line 400 of many" }).waitFor({ timeout: SOON });
    const below = await output.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    check(below < 30, `the end is in sight: ${below} pixels below`);
    same(JSON.parse(await sb("show", given.ticket, "--json")).status, "done", "it landed");
    check(await page.evaluate(() => window.sameDocument), "the page was loaded anew");
  } finally {
    await running.end();
  }
});

// A ticket whose work waits for review: what its branch changes, its attempts, its agents, and why it is where it is.
import { check, play, same, sb } from "./kit.mjs";

play(async (stage, given) => {
  const page = await stage.person("/ticket/" + given.ticket);
  await page.locator(".why", { hasText: "Why it is here" }).waitFor();
  await page.getByText("What its branch changes").click();
  await page.locator(".patch .d-add").first().waitFor();
  const added = await page.locator(".patch .d-add .l").allInnerTexts();
  check(added.some((line) => line.includes("if recent(name) >= 5")), added.join("\n"));
  check(await page.locator(".patch .d-del").count() >= 1, "what was taken away");
  check((await page.locator(".patch summary").first().innerText()).includes("src/login.rs"), "the file's name");
  // It stays open while the page follows, with what somebody folded or marked in it, also where other parts come and go.
  const patch = page.locator("details[data-lazy]");
  const files = patch.locator("details");
  const many = await files.count();
  await files.first().locator("summary").click();
  const folded = await files.evaluateAll((all) => all.map((one) => one.open));
  await patch.evaluate((box) => { box.querySelector(".patch").marked = true; });
  const follows = [
    [["note", given.ticket, "seen while the change is read"], ".story", "seen while the change is read"],
    [["edit", given.ticket, "--accept", "A criterion more"], ".criteria", "A criterion more"],
    [["hold", given.ticket, "held while the change is read"], ".why", "held while the change is read"],
    [["unhold", given.ticket, "read"], ".story", "ticket.unheld"],
  ];
  for (const [words, where, shown] of follows) {
    await sb(...words);
    await page.locator(where, { hasText: shown }).first().waitFor();
    same(await patch.evaluate((box) => [box.open, box.querySelector(".patch")?.marked]), [true, true], words.join(" "));
    same(await files.evaluateAll((all) => all.map((one) => one.open)), folded, words.join(" "));
  }
  check(many >= 1 && folded.includes(false), "something was folded");
  await page.locator("aside a[href^='/agent/']").first().waitFor();
  await stage.visit(page, "/queue");
  await page.getByRole("heading", { name: /shop/ }).waitFor();
  await stage.visit(page, "/flow");
  same(await page.locator(".plots svg").count() >= 3, true, "plots");
  await stage.visit(page, "/plan");
  check(await page.locator("svg.graph .node").count() >= 5, "the plan is drawn");
});

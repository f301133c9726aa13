// One ticket: everything that can be done to it, and that what a person is writing is not disturbed by what happens.
import { check, eventually, play, same, sb, toast } from "./kit.mjs";

play(async (stage, given) => {
  const { waiting, sent, free } = given;
  const page = await stage.person("/ticket/" + waiting);
  const shown = async (id) => JSON.parse(await sb("show", id, "--json"));
  const ask = async (button, words) => {
    await page.getByRole("button", { name: button }).first().click();
    await page.locator("#ask[open]").waitFor();
    if (words) await page.locator("#ask textarea, #ask input").first().fill(words);
    await page.locator("#ask-ok").click();
    await page.locator("#ask").waitFor({ state: "hidden" });
  };

  // Rendered, with its graph.
  await page.locator(".prose strong", { hasText: "bold" }).waitFor();
  check(await page.locator("svg.graph .node").count() >= 2, "the graph is drawn");

  // Criteria, in both directions, and as another process does it.
  const box = page.locator("input[data-check='1']");
  await box.check();
  await eventually("the tick in the log", async () => (await shown(waiting)).acceptance[0].met);
  await box.uncheck();
  await eventually("no tick in the log", async () => !(await shown(waiting)).acceptance[0].met);
  await sb("check", "2", waiting);
  await eventually("the other's tick", () => page.locator("input[data-check='2']").isChecked());

  // What somebody is writing stays, though the page follows.
  await page.getByRole("button", { name: "Note…" }).click();
  await page.locator("#ask textarea").fill("half a thou");
  await sb("note", waiting, "said by somebody else");
  await page.locator(".story", { hasText: "said by somebody else" }).waitFor();
  same(await page.locator("#ask textarea").inputValue(), "half a thou", "the draft");
  await page.locator("#ask textarea").fill("half a thought, and the rest");
  await page.locator("#ask-ok").click();
  await page.locator(".story", { hasText: "half a thought, and the rest" }).waitFor();

  // Reviewed: approved, and sent back.
  await ask("Approve…", "good work");
  await toast(page, `${waiting} is done`);
  await page.locator(".pill.s-done").first().waitFor();
  same((await shown(waiting)).status, "done", "approved");
  await stage.visit(page, "/ticket/" + sent);
  await page.getByRole("button", { name: "Send back…" }).click();
  await page.locator("#ask-ok").click();
  check(await page.locator("#ask[open]").count(), "nothing is sent back without a reason");
  await page.locator("#ask textarea").fill("the blue one is wanted");
  await page.locator("#ask-ok").click();
  await page.locator(".pill.s-rework").first().waitFor();
  await page.locator(".story", { hasText: "the blue one is wanted" }).waitFor();

  // Assigned, held and released.
  await stage.visit(page, "/ticket/" + free);
  await ask("Assign…", "Pat");
  await eventually("the assignee", async () => (await shown(free)).assignee === "Pat");
  await ask("Hold…", "the lawyers have it");
  await page.locator(".why", { hasText: "the lawyers have it" }).waitFor();
  await ask("Release the hold…");
  await page.locator(".why", { hasText: "the lawyers have it" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Move…" }).click();
  await page.locator("#ask select").selectOption("in-progress");
  await page.locator("#ask-ok").click();
  await page.locator(".pill.s-in-progress").first().waitFor();
});

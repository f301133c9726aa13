// Questions for people: answered by a click, in words, on three pages; drafts put before people, and withdrawn.
import { eventually, play, same, sb, toast } from "./kit.mjs";

play(async (stage, given) => {
  const [first, second, third, fourth, draft] = given.decisions;
  const state = async (id) => JSON.parse(await sb("esc", "show", id, "--json"));
  const page = await stage.person("/");
  const need = (id) => page.locator(".need", { hasText: id });

  // By a click, where one looks first; another browser sees it go.
  const other = await stage.person("/decisions");
  await other.locator("#" + first).waitFor();
  await need(first).getByRole("button", { name: "Green" }).click();
  await toast(page, `${first} is answered`);
  await need(first).waitFor({ state: "detached" });
  await other.locator(".resolved", { hasText: "Green" }).waitFor();
  same((await state(first)).answer.answer, "Green", "the answer");

  // In words, with a draft that is not lost while the page follows.
  await other.locator("#d-" + second).fill("as the lawyers sa");
  await sb("note", given.ticket, "something happens meanwhile");
  await sb("new", "And something else");
  await eventually("the other events", () => other.evaluate(() => window.signalboxSeen.length > 1));
  same(await other.locator("#d-" + second).inputValue(), "as the lawyers sa", "the draft");
  await other.locator("#d-" + second).fill("as the lawyers say");
  await other.locator("#d-" + second).press("Enter");
  await other.locator(".resolved", { hasText: "as the lawyers say" }).waitFor();

  // On the ticket's own page.
  await stage.visit(page, "/ticket/" + given.ticket);
  await page.locator("#t-" + third).fill("on the ticket itself");
  await page.locator("#t-" + third).press("Enter");
  await page.locator("#t-" + third).waitFor({ state: "detached" });

  // Not needed, and a draft that is put before people.
  await stage.visit(page, "/decisions");
  await page.locator("#" + fourth).getByRole("button", { name: "Not needed…" }).click();
  await page.locator("#ask textarea").fill("it was decided at lunch");
  await page.locator("#ask-ok").click();
  await page.locator(".resolved li#" + fourth, { hasText: "withdrawn" }).waitFor();
  await page.locator(`#${draft} button[data-act=promote]`).click();
  await page.locator(`section.k-decision#${draft}`).waitFor();
  await page.locator(`section.k-decision#${draft}`).getByRole("button", { name: "Sure" }).click();
  await page.locator(".resolved li#" + draft, { hasText: "Sure" }).waitFor();
  await page.getByText("No question waits for you.").waitFor();

  // Answered twice: the second is told.
  stage.expects(/status of 409 .*\/api\/v1\/act/);
  const refused = await page.evaluate(async (id) => (await Signalbox.act({ do: "answer", decision: id, text: "again" })).refused, first);
  same(refused.includes(first), true, refused);
});

// A ticket whose work waits for review: what its branch changes, its attempts, its agents, and why it is where it is.
import { check, play, same } from "./kit.mjs";

play(async (stage, given) => {
  const page = await stage.person("/ticket/" + given.ticket);
  await page.locator(".why", { hasText: "Why it is here" }).waitFor();
  await page.getByText("What its branch changes").click();
  await page.locator(".patch .d-add").first().waitFor();
  const added = await page.locator(".patch .d-add .l").allInnerTexts();
  check(added.some((line) => line.includes("if recent(name) >= 5")), added.join("\n"));
  check(await page.locator(".patch .d-del").count() >= 1, "what was taken away");
  check((await page.locator(".patch summary").first().innerText()).includes("src/login.rs"), "the file's name");
  // It stays open while the page follows.
  await page.locator("aside a[href^='/agent/']").first().waitFor();
  await stage.visit(page, "/queue");
  await page.getByRole("heading", { name: /shop/ }).waitFor();
  await stage.visit(page, "/flow");
  same(await page.locator(".plots svg").count() >= 3, true, "plots");
  await stage.visit(page, "/plan");
  check(await page.locator("svg.graph .node").count() >= 5, "the plan is drawn");
});

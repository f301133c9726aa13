// The loop's controls, two people at once, and what a project without a loop says.
import { check, eventually, play, same, sb, toast } from "./kit.mjs";

play(async (stage) => {
  const [page, other] = [await stage.person("/health"), await stage.person("/health")];
  const loop = (one) => one.locator(".loop", { has: one.getByRole("heading", { name: "shop" }) });
  const press = (one, name) => loop(one).getByRole("button", { name, exact: true }).click();
  await page.getByText("daemon").first().waitFor();
  check(await loop(page).getByRole("button", { name: "Stop" }).isDisabled(), "nothing runs that could be stopped");

  await press(page, "Pause");
  await toast(page, "paused: nothing begins");
  for (const one of [page, other]) await loop(one).locator("b", { hasText: "paused" }).waitFor();
  check(await loop(other).getByRole("button", { name: "Pause" }).isDisabled(), "it is paused already");
  await press(other, "Drain");
  for (const one of [page, other]) await loop(one).locator("b", { hasText: "draining" }).waitFor();
  await press(page, "Resume");
  for (const one of [page, other]) await loop(one).locator("b", { hasText: "draining" }).waitFor({ state: "detached" });
  check(await loop(other).getByRole("button", { name: "Resume" }).isDisabled(), "it goes on already");
  await loop(page).locator("input[name=agents]").fill("7");
  await loop(page).getByRole("button", { name: "at once" }).click();
  await toast(page, "so many agents work at once");
  await eventually("the number in the other browser", async () => (await loop(other).innerText()).includes("at most 7"));
  await loop(page).locator("input[name=agents]").fill("101");
  await loop(page).getByRole("button", { name: "at once" }).click();
  same(await loop(page).locator("input[name=agents]").evaluate((box) => box.validity.rangeOverflow), true, "too many");

  // The feed tells who did it, and can be sifted.
  await stage.visit(page, "/activity?event=run.*");
  await page.locator(".feed li", { hasText: "run." }).first().waitFor();
  await stage.visit(page, "/activity?text=no-such-words-anywhere");
  await page.getByText("Nothing of that kind has happened.").waitFor();
  await sb("new", "Seen in the feed");
  await stage.visit(page, "/activity");
  await page.locator(".feed li", { hasText: "Seen in the feed" }).first().waitFor();
  await sb("new", "Seen without looking again");
  await page.locator(".feed li", { hasText: "Seen without looking again" }).first().waitFor();
});

// An agent's page: its live screen, the one seat to type in, taking over, telling it something, ending it, and its film.
import { check, eventually, play, same, sb } from "./kit.mjs";

const screen = (page) => page.locator("#terminal").innerText();
const shows = (page, words) => eventually(`the screen to show ${words}`, async () => (await screen(page)).includes(words));
const says = (page, words) => page.locator("#terminal-state", { hasText: words }).waitFor();

play(async (stage) => {
  const [first, second] = [await stage.person("/agents"), await stage.person("/agent/ada")];
  await first.getByRole("link", { name: "ada", exact: true }).click();
  await first.waitForURL(/\/agent\//);

  // Both see the same screen.
  for (const page of [first, second]) {
    await says(page, "you are watching");
    await shows(page, "/help for help");
  }
  // A watcher's keys go nowhere.
  await second.locator("#terminal").focus();
  await second.keyboard.type("NOT FOR YOU");

  // One sits down and types; the other sees it.
  await first.locator("#sit").click();
  await says(first, "you type here");
  await first.keyboard.type("typed in the browser: ");
  // Keys of other keyboards, which playwright does not have.
  await first.locator("#terminal").evaluate((box) => {
    for (const key of ["ä", "ß", "漢"]) box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });
  await first.keyboard.press("Enter");
  for (const page of [first, second]) {
    await shows(page, "typed in the browser: äß漢");
    await shows(page, "You said: typed in the browser");
  }
  check(!(await screen(first)).includes("NOT FOR YOU"), "a watcher typed");
  // Letters that are keys of the page are the agent's while one sits there.
  await first.keyboard.type("ghcm?/");
  await shows(second, "ghcm?/");
  same(await first.locator("#ask[open]").count(), 0, "no key of the page");
  for (let at = 0; at < 6; at += 1) await first.keyboard.press("Backspace");
  await eventually("the draft to go", async () => !(await screen(second)).includes("ghcm?/"));
  // A paste of several lines is one draft, and is not sent.
  await first.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "two lines\nin one paste 漢字 😀");
    document.querySelector("#terminal").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await shows(first, "in one paste");
  await first.keyboard.press("Enter");
  await shows(first, "You said: two lines");

  // A line from a field, as on a phone; and the keys beside it.
  await first.locator("#line").fill("from a phone: 漢字");
  await first.locator("#hand button[type=submit]").click();
  await shows(second, "You said: from a phone: 漢字");
  same(await first.locator("#line").inputValue(), "", "the field is empty again");
  await first.locator("#terminal").focus();
  await first.keyboard.type("not meant");
  await shows(second, "not meant");
  await first.locator("#hand [data-press=c]").click();
  await eventually("the draft to go", async () => !(await screen(second)).includes("not meant"));
  check(await second.locator("#hand").isHidden(), "a watcher has no hand");

  // The seat is taken; who wants it all the same takes over, and the first is told.
  await second.locator("#sit").click();
  await says(second, "you are watching");
  await second.locator("#force").waitFor();
  await second.locator("#force").click();
  await says(second, "you type here");
  await says(first, "somebody else types now");
  await first.locator("#sit").waitFor();
  await first.locator("#terminal").focus();
  await first.keyboard.type("NO LONGER");
  await second.locator("#terminal").focus();
  await second.keyboard.type("the seat is mine");
  await second.keyboard.press("Enter");
  await shows(first, "You said: the seat is mine");
  check(!(await screen(first)).includes("NO LONGER"), "the first still types");
  // The way out of the terminal by keyboard.
  await second.keyboard.press("Shift+Escape");
  same(await second.evaluate(() => document.activeElement.id), "stand", "the keyboard is no trap");
  await second.locator("#stand").click();
  await says(second, "you are watching");

  // Told something, by a form; it arrives as a prompt.
  await first.locator("#tell").fill("the tests are green again");
  await first.locator(".tell button").click();
  await shows(first, "the tests are green again");
  same(await first.locator("#tell").inputValue(), "", "the form is empty again");

  // Ended, after being asked.
  await first.getByRole("button", { name: "End this agent…" }).click();
  await first.locator("#ask-cancel").click();
  same(JSON.parse(await sb("agents", "--json")).length, 1, "it was only asked");
  await first.getByRole("button", { name: "End this agent…" }).click();
  await first.locator("#ask-ok").click();
  for (const page of [first, second]) await says(page, "has ended");
  await eventually("it to end", async () => JSON.parse(await sb("agents", "--json")).length === 0);

  // What it did, as a film.
  await stage.visit(first, "/agents?all=true");
  await first.getByRole("link", { name: "recording" }).first().click();
  await first.waitForURL(/\/recording\//);
  const at = () => first.locator("#seek").evaluate((box) => [Number(box.value), Number(box.max)]);
  await first.locator("#speed").selectOption("5000");
  await eventually("it to play", async () => (await at())[0] > 300);
  await first.locator("#play").click();
  await first.locator("#play", { hasText: "Play" }).waitFor();
  const [paused] = await at();
  await first.locator("#seek").evaluate((box) => { box.value = box.max; box.dispatchEvent(new Event("input")); box.dispatchEvent(new Event("change")); });
  await shows(first, "the tests are green again");
  const [end, length] = await at();
  check(end > paused && end >= length - 50, `at ${end} of ${length}, paused at ${paused}`);
  await first.locator("#seek").evaluate((box) => { box.value = 0; box.dispatchEvent(new Event("input")); box.dispatchEvent(new Event("change")); });
  await eventually("the beginning", async () => !(await screen(first)).includes("the seat is mine"));
  await first.locator("#play").click();
  await shows(first, "You said: the seat is mine");
  // At its end it stands still, and one press plays it again.
  await first.locator("#play", { hasText: "Play" }).waitFor();
  await first.locator("#play").click();
  await eventually("the beginning", async () => !(await screen(first)).includes("the seat is mine"));
});

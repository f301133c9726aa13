// Pictures of every page, in both themes; three of them as a phone shows them.
import { play } from "./kit.mjs";

play(async (stage, given) => {
  const seen = new Set();
  const name = (path) => {
    const word = path.split("/")[1] || "now";
    const one = seen.has(word) ? null : word;
    seen.add(word);
    return one;
  };
  const pages = given.paths.map((path) => [path, name(path)]).filter(([, word]) => word);
  const take = async (size, colorScheme, wanted, ending) => {
    const page = await stage.person("/", { viewport: size, colorScheme });
    for (const [path, word] of pages.filter(([, word]) => wanted(word))) {
      await stage.visit(page, path);
      if (["agent", "recording"].includes(word)) await page.locator("#terminal .line").first().waitFor();
      if (word === "recording") {
        await page.locator("#play").click();
        await page.locator("#seek").evaluate((box) => { box.value = box.max; box.dispatchEvent(new Event("input")); box.dispatchEvent(new Event("change")); });
        await page.locator("#terminal", { hasText: "Puppet" }).waitFor();
      }
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: `${given.folder}/${word}-${ending}.png`, animations: "disabled", caret: "hide" });
    }
    await page.context().close();
  };
  for (const theme of ["light", "dark"]) await take({ width: 1280, height: 800 }, theme, () => true, theme);
  await take({ width: 390, height: 844 }, "light", (word) => ["now", "board", "ticket"].includes(word), "phone");
});

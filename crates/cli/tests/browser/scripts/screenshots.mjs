// Pictures of every page, in both themes; three of them as a phone shows them.
import { writeFileSync } from "node:fs";
import { play } from "./kit.mjs";
import { small } from "./small.mjs";

play(async (stage, given) => {
  const seen = new Set();
  const name = (path) => {
    const word = path.split("/")[1] || "now";
    const one = seen.has(word) ? null : word;
    seen.add(word);
    return one;
  };
  const pages = given.paths.map((path) => [path, name(path)]).filter(([, word]) => word);
  // Our own pages load no picture from elsewhere, so it is done on a page of nobody.
  const workshop = await stage.stranger();
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
      // Where this machine keeps its tests is of no interest to anybody.
      await page.evaluate(([root, programs]) => {
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) texts.currentNode.nodeValue = texts.currentNode.nodeValue.replaceAll(root, "~").replaceAll(programs, "/usr/local/bin");
      }, [given.root, given.programs]);
      const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
      writeFileSync(`${given.folder}/${word}-${ending}.png`, await small(workshop, picture));
    }
    await page.context().close();
  };
  for (const theme of ["light", "dark"]) await take({ width: 1280, height: 800 }, theme, () => true, theme);
  await take({ width: 390, height: 844 }, "light", (word) => ["now", "board", "ticket"].includes(word), "phone");
});

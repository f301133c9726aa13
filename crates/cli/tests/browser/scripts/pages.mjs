// Every page in both themes and on a phone, looked at by axe: nothing that keeps people out.
import { axe, play, same } from "./kit.mjs";

play(async (stage, given) => {
  const source = axe();
  const found = [];
  const sizes = [[1280, 800, "light"], [1280, 800, "dark"], [390, 844, "light"], [390, 844, "dark"]];
  let looked = 0;
  for (const [width, height, colorScheme] of sizes) {
    const page = await stage.person("/", { viewport: { width, height }, colorScheme });
    for (const path of given.paths) {
      await stage.visit(page, path);
      if (await page.locator("details[data-lazy] > summary").count()) {
        await page.locator("details[data-lazy] > summary").first().click();
        await page.locator(".patch").waitFor();
      }
      if (path.startsWith("/agent/") || path.startsWith("/recording/")) await page.locator("#terminal .line").first().waitFor();
      await page.evaluate(source);
      const result = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
      looked += 1;
      for (const one of result.violations.filter((one) => ["serious", "critical"].includes(one.impact))) {
        found.push(`${colorScheme} ${width} ${path}: ${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message || "")).slice(0, 3).join(" | ")}`);
      }
      // Nothing sticks out sideways, on a phone least of all.
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 1) found.push(`${width} ${path}: ${wide} pixels stick out`);
      // A dialog is a page of its own.
      if (path === "/board") {
        await page.locator("#new-ticket").click();
        await page.locator("#ask[open]").waitFor();
        const asked = await page.evaluate(() => axe.run("#ask", { resultTypes: ["violations"] }));
        for (const one of asked.violations.filter((one) => ["serious", "critical"].includes(one.impact))) found.push(`${colorScheme} ${width} dialog: ${one.id}`);
        await page.locator("#ask-cancel").click();
      }
    }
    await page.context().close();
  }
  same(found, [], "what axe found");
  return looked;
});

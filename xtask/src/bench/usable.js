// How soon a person can use the board: opens it with a fresh browser's memory and prints milliseconds, by its own clock.
const { chromium } = require("playwright-core");

(async () => {
  const [name, token, address, program] = process.argv.slice(1);
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const browser = await chromium.launch({ executablePath: program, args: flags });
  const times = [];
  for (let turn = 0; turn < 7; turn++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addCookies([{ name, value: token, url: address }]);
    const page = await context.newPage();
    await page.goto(address + "/board", { waitUntil: "commit" });
    await page.waitForFunction(() => document.querySelector(".link-state.live") && document.querySelector(".card"));
    times.push(await page.evaluate(() => performance.now()));
    await context.close();
  }
  await browser.close();
  console.log(JSON.stringify(times));
})().catch((error) => {
  console.error(String(error));
  process.exit(1);
});

// The server is killed in the middle and comes back: the page says so, finds it again, and has every event exactly once.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { check, eventually, live, play, same, sb } from "./kit.mjs";

const home = process.env.SIGNALBOX_HOME;
const logged = () => readdirSync(home + "/events").filter((name) => name.endsWith(".jsonl")).sort()
  .flatMap((name) => readFileSync(`${home}/events/${name}`, "utf8").split("\n"))
  .filter(Boolean).map((line) => JSON.parse(line).id);
const answers = () => new Promise((done) => {
  const socket = connect(home + "/run/daemon.sock");
  socket.on("connect", () => { socket.destroy(); done(true); });
  socket.on("error", () => done(false));
});

play(async (stage, given) => {
  stage.expects(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_NETWORK_IO_SUSPENDED|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED/);
  const pages = [await stage.person("/board"), await stage.person("/board")];
  const before = new Set(logged());
  let daemon = given.daemon;
  const started = [];
  try {
    for (let round = 0; round < 3; round += 1) {
      await sb("new", `Before the end, round ${round}`);
      process.kill(daemon, "SIGKILL");
      await eventually("the server to be gone", async () => !(await answers()));
      // It goes on without a server.
      for (let at = 0; at < 4; at += 1) await sb("new", `While it was away, ${round} ${at}`);
      for (const page of pages) await page.locator("#banner", { hasText: "does not answer" }).waitFor();
      const child = spawn("sb", ["up", "--foreground"], { stdio: "ignore" });
      started.push(child);
      daemon = child.pid;
      await eventually("the server to be back", answers);
      for (const page of pages) {
        await live(page);
        await page.locator("#banner").waitFor({ state: "hidden" });
        await page.locator(".card", { hasText: `While it was away, ${round} 3` }).waitFor();
      }
    }
    await sb("new", "The last one");
    for (const page of pages) {
      await page.locator(".card", { hasText: "The last one" }).waitFor();
      const seen = await eventually("all events", async () => {
        const all = logged().filter((id) => !before.has(id));
        const seen = await page.evaluate(() => window.signalboxSeen.map((one) => one.id));
        return seen.length >= all.length && { seen, all };
      });
      same(seen.seen.filter((id) => !before.has(id)), seen.all, "every event, once, in order");
      check(seen.all.length >= 16, "there were events");
    }
    // The terminal's user sees the same number of cards, and none twice.
    const cards = await pages[0].locator(".card").evaluateAll((all) => all.map((one) => one.dataset.ticket));
    same(cards.length, new Set(cards).size, "no card twice");
  } finally {
    for (const child of started) child.kill("SIGTERM");
  }
});

// The controls, with a loop that runs: each takes effect, and the page shows it without being loaded again.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { begin, check, eventually, play, same, sb } from "./kit.mjs";

const home = process.env.SIGNALBOX_HOME;
const logged = () => readdirSync(home + "/events").filter((name) => name.endsWith(".jsonl")).sort()
  .flatMap((name) => readFileSync(`${home}/events/${name}`, "utf8").split("\n"))
  .filter(Boolean).map((line) => JSON.parse(line));

play(async (stage, given) => {
  const [one, two, three, four] = given.tickets;
  const slugs = { [one]: "one", [two]: "two", [three]: "three", [four]: "four" };
  const page = await stage.person("/health");
  const loop = page.locator(".loop", { has: page.getByRole("heading", { name: "shop" }) });
  const press = (name) => loop.getByRole("button", { name, exact: true }).click();
  const says = (words) => loop.getByText(words).first().waitFor();
  const status = async (id) => JSON.parse(await sb("show", id, "--json")).status;
  const works = (id) => eventually(`an agent at ${slugs[id]}`, () => existsSync(`${given.workspaces}/core-${slugs[id]}/src/${slugs[id]}`));
  const goOn = (id) => writeFileSync(`${given.workspaces}/core-${slugs[id]}/.git/go-on`, "");
  // Where in the log something is, from the beginning.
  const place = (event, is) => logged().findIndex((line) => line.event === event && is(line));
  const wish = (name, after = -1) => logged().findIndex((line, at) => at > after && line.event === "run.asked" && line.data.wish === name);
  const begun = (id) => place("attempt.started", (line) => line.ticket === id);
  const landed = (id) => place("merge.landed", (line) => line.ticket === id);
  await page.evaluate(() => { window.sameDocument = true; });

  await says("no loop runs");
  for (const id of [one, two, three]) await sb("override", id, "open", "now");
  const running = begin("run");
  try {
    // As the contract says: one at a time.
    await says("the loop runs");
    await works(one);
    await says("1 agent");
    same(begun(two), -1, "one at a time");

    // Two at once, from now on.
    await loop.locator("input[name=agents]").fill("2");
    await loop.getByRole("button", { name: "at once" }).click();
    await says("2 agents of at most 2");
    await works(two);
    same(begun(three), -1, "two at once");

    // Paused: what is handed in does not land, and nothing begins in the place that is free.
    await press("Pause");
    await loop.locator("b", { hasText: "paused" }).waitFor();
    goOn(one);
    await says("1 agent of at most 2");
    await eventually("what was handed in", async () => (await status(one)) === "review");
    check((await sb("why", three)).includes("paused"), "why nothing begins");
    await press("Resume");
    await loop.locator("b", { hasText: "paused" }).waitFor({ state: "detached" });
    await works(three);
    await says("2 agents of at most 2");
    await eventually("the first to land", async () => (await status(one)) === "done");
    const resumed = wish("resume");
    check(resumed > 0 && landed(one) > resumed, "nothing lands while it is paused");
    check(begun(three) > resumed, "nothing begins while it is paused");

    // Draining: what is under way lands, and nothing new begins.
    await press("Drain");
    await loop.locator("b", { hasText: "draining" }).waitFor();
    await sb("override", four, "open", "now");
    goOn(two);
    goOn(three);
    for (const id of [two, three]) await eventually("what was under way", async () => (await status(id)) === "done");
    await says("0 agents of at most 2");
    same([await status(four), begun(four)], ["open", -1], "nothing new begins");
    check((await sb("why", four)).includes("starts nothing new"), "why nothing begins");
    await press("Resume");
    await works(four);
    await says("1 agent of at most 2");
    check(begun(four) > wish("resume", resumed), "nothing begins while it drains");

    // Stopped: the agent ends, then the loop, and the page says so.
    await press("Stop");
    same(await running.ended, 0, "the loop ends well");
    await says("no loop runs");
    await says("0 agents");
    check(await loop.getByRole("button", { name: "Stop" }).isDisabled(), "nothing runs that could be stopped");
    same(await status(four), "open", "nobody is blamed");
    check(await page.evaluate(() => window.sameDocument), "the page was loaded anew");
  } finally {
    await running.end();
  }
});

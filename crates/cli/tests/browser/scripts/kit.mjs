// What every scenario shares: a browser, all that goes wrong in it, and the commands of other people.
//
// A scenario is given a JSON file and prints one JSON object: what it found, what troubles the browser reported, and the
// failure that ended it, if any.
import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
const load = createRequire(given.modules + "/");
const { chromium } = load("playwright-core");

// The scripts that find what is hard to use for some people.
export const axe = () => readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

const QUIET = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

// How long anything may take that is bound to happen: others build on the same machine.
export const PATIENCE = 30000;

export function check(is, words) {
  if (!is) throw new Error(words);
}

export function same(got, wanted, words) {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  check(left === right, `${words}: ${left} instead of ${right}`);
}

// Wait until it is so, and hand back what it was.
export async function eventually(words, is, patience = PATIENCE) {
  const until = Date.now() + patience;
  for (;;) {
    const found = await is();
    if (found) return found;
    if (Date.now() > until) throw new Error("waited in vain for " + words);
    await new Promise((done) => setTimeout(done, 50));
  }
}

// Another process: what it prints, and how it ends.
export function run(program, ...words) {
  return new Promise((done) => {
    execFile(program, words, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      done({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}

// `sb` as the human, in another process, which must end well. What it prints.
export async function sb(...words) {
  const ended = await run("sb", ...words);
  check(ended.code === 0, `sb ${words.join(" ")}: ${ended.stderr}`);
  return ended.stdout.trim();
}

// `sb` at work beside the scenario: the promise of its exit code, and a way to end it, with all that it began.
export function begin(...words) {
  const child = spawn("sb", words, { stdio: "ignore" });
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  const end = async () => {
    if (child.exitCode === null) await run("sb", "run", "stop");
    const late = setTimeout(() => child.kill("SIGTERM"), PATIENCE);
    await ended;
    clearTimeout(late);
  };
  return { ended, end };
}

// A link that lets a browser in.
export const link = async () => JSON.parse(await sb("web", "--json")).link;

class Stage {
  constructor(browser, troubles) {
    this.browser = browser;
    this.troubles = troubles;
    this.expected = [];
  }

  // Something that the browser will complain about rightly.
  expects(pattern) {
    this.expected.push(pattern);
  }

  // A browser of its own, that is not signed in.
  async stranger(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(PATIENCE);
    const trouble = (words) => { if (!this.expected.some((one) => one.test(words))) this.troubles.push(words); };
    // Payloads call it `hit`; nothing of ours does.
    await context.exposeBinding("hit", (_, what) => this.troubles.push(`EXECUTED: ${what}`));
    await context.exposeBinding("signalboxReport", (_, words) => trouble(words));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        window.signalboxReport(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample} ${location.pathname}`);
      });
      window.signalboxSeen = [];
      document.addEventListener("signalbox:events", (event) => window.signalboxSeen.push(...event.detail));
    });
    const page = await context.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) trouble(`console: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => trouble(`page: ${error.message}`));
    page.on("dialog", (dialog) => { this.troubles.push(`EXECUTED: dialog ${dialog.message()}`); dialog.dismiss(); });
    return page;
  }

  // A browser of its own, signed in, at this page.
  async person(path = "/", options = {}) {
    const page = await this.stranger(options);
    const way = await link();
    await page.goto(way);
    this.origin = new URL(way).origin;
    if (path !== "/") await page.goto(this.origin + path);
    await live(page);
    return page;
  }

  async visit(page, path) {
    await page.goto(this.origin + path);
    await live(page);
  }
}

// Until the page follows the log.
export const live = (page) => page.locator("#link-state.live").waitFor();

// Until the page says this at its edge.
export const toast = (page, words) => page.locator(".toast", { hasText: words }).first().waitFor();

// Play a scenario. What it returns is part of the report.
export async function play(scenario) {
  const troubles = [];
  let found = null, failure = null;
  const browser = await chromium.launch({ executablePath: given.chromium, args: QUIET });
  const stage = new Stage(browser, troubles);
  try {
    found = await scenario(stage, given);
  } catch (error) {
    failure = String(error.stack || error);
    for (const [at, page] of browser.contexts().flatMap((one) => one.pages()).entries()) {
      const words = await page.locator("body").innerText({ timeout: 2000 }).catch(() => "");
      failure += `\n--- page ${at}, ${page.url()}\n${words.slice(0, 1500)}`;
    }
  }
  await browser.close();
  process.stdout.write(JSON.stringify({ found: found ?? null, troubles, failure }));
}

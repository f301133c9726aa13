// What nobody should send, and what is larger than anybody would read.
import { check, eventually, link, live, play, run, same, sb } from "./kit.mjs";

play(async (stage, given) => {
  const page = await stage.person("/board");
  stage.expects(/status of (400|404|409|413|415|422)/);

  // Garbage to the one way to change something.
  const ask = (path, init) => page.evaluate(async ([path, init]) => {
    const answer = await fetch(path, init);
    return { status: answer.status, text: (await answer.text()).slice(0, 2000) };
  }, [path, init]);
  const json = { "Content-Type": "application/json" };
  const garbage = ["", "{", "null", "[]", "42", "\"x\"", "{}", "{\"do\":\"destroy\"}", "{\"do\":\"move\"}", "{\"do\":\"move\",\"ticket\":7,\"to\":[]}",
    "{\"do\":\"note\",\"ticket\":\"sb_nobody\",\"text\":\"x\"}", "{\"do\":\"new\",\"project\":\"nowhere\",\"title\":\"x\"}", "{\"do\":\"new\",\"project\":\"shop\",\"title\":\"\"}",
    "{\"do\":\"new\",\"project\":\"shop\",\"title\":\"x\",\"priority\":\"P99\"}", "{\"do\":\"new\",\"project\":\"shop\",\"title\":\"x\",\"owner\":\"me\"}",
    "{\"do\":\"answer\",\"decision\":\"../../etc/passwd\",\"text\":\"x\"}", "{\"do\":\"stop\",\"agent\":\"../x\"}", "{\"do\":\"loop\",\"project\":\"shop\",\"wish\":\"concurrency\",\"agents\":4294967296}",
    "{\"do\":\"check\",\"ticket\":\"" + given.large + "\",\"criterion\":99,\"met\":true}", "\u0000\u0001", "[".repeat(5000)];
  const before = await sb("list", "--json");
  for (const body of garbage) {
    const said = await ask("/api/v1/act", { method: "POST", headers: json, body });
    check(said.status >= 400 && said.status < 500, `${body.slice(0, 80)}: ${said.status} ${said.text}`);
    const problem = JSON.parse(said.text);
    check(problem.code && problem.message, said.text);
  }
  same((await ask("/api/v1/act", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "{\"do\":\"new\",\"project\":\"shop\",\"title\":\"x\"}" })).status >= 400, true, "only JSON");
  const long = await ask("/api/v1/act", { method: "POST", headers: json, body: JSON.stringify({ do: "new", project: "shop", title: "x", body: "y".repeat(3 << 20) }) });
  check(long.status >= 400 && long.status < 500, `3 MB: ${long.status} ${long.text}`);
  same(await sb("list", "--json"), before, "nothing has changed");

  // Questions with values that mean nothing.
  for (const path of ["/board?priority=P99&project=%00&tag=..%2f", "/list?sort=bogus", "/list?from=-1", "/list?from=99999999999999999999", "/list?from=4000000000&most=0",
    "/board?most=abc", "/activity?most=1000000&event=*", "/activity?event=%5B", "/flow?project=nowhere", "/plan?project=nowhere", "/agents?all=maybe", "/board?text=" + "x".repeat(5000), "/list?text=%ff%fe"]) {
    const said = await ask(path, {});
    check(said.status < 500, `${path}: ${said.status}`);
  }
  for (const last of ["garbage", "-1", "2026-11-16.jsonl:99999999999999", "../../etc/passwd:0", "9999-99-99:0", "0:0:0:0", "%00"]) {
    const status = await page.evaluate(async (last) => {
      const ended = new AbortController();
      const answer = await fetch("/live?after=" + encodeURIComponent(last), { signal: ended.signal });
      ended.abort();
      return answer.status;
    }, last);
    check(status === 200 || status === 400, `${last}: ${status}`);
  }
  // The server is none the worse for it.
  const token = JSON.parse(await sb("web", "--token", "--json"));
  const curl = (...words) => run("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "3", "-H", `Authorization: Bearer ${token.token}`, ...words);
  same((await curl(`${stage.origin}/api/v1/health`)).stdout, "200", "a script gets in");
  for (const last of ["\u00ff\u00fe", "x".repeat(7000), "-"]) {
    const said = await curl("-H", "Last-Event-ID: " + last, `${stage.origin}/live`);
    check(["200", "400", "431"].includes(said.stdout), `${last.slice(0, 10)}: ${said.stdout}`);
  }

  // Five megabytes of notes, fifty dependencies, a diff of ten thousand lines, other scripts.
  const timed = async (path, most) => {
    const begun = Date.now();
    await stage.visit(page, path);
    const took = Date.now() - begun;
    check(took < most, `${path} took ${took} ms`);
    return took;
  };
  const took = [await timed("/ticket/" + given.large, 20000)];
  check(await page.locator(".story li").count() >= 5, "its story is shown");
  took.push(await timed("/ticket/" + given.many, 10000));
  check(await page.locator("svg.graph .node").count() >= 40, "the graph is drawn");
  took.push(await timed("/ticket/" + given.changed, 10000));
  await page.getByText("What its branch changes").click();
  await page.locator(".patch .d-add").first().waitFor();
  check(await page.locator(".patch .d-add").count() <= 20000, "not more than a browser can bear");
  check((await page.locator(".patch").innerText()).match(/more lines|too long/), "what is left out is said");
  for (const title of given.titles) {
    await stage.visit(page, "/list");
    await page.getByRole("link", { name: title }).first().click();
    await page.waitForURL(/\/ticket\//);
    same(await page.locator("h1").first().textContent(), title, "a title in any script");
    same(await page.locator("h1").first().getAttribute("dir"), "auto", "in its own direction");
  }

  // A ticket's file that is taken away under an open page: the log is the truth.
  await live(page);
  await sb("note", given.many, "still here");

  // A port that is taken: the next one, and it is said.
  const port = Number(new URL(await link()).port);
  const taken = await run("timeout", "3", "sb", "web", "--here", "--port", String(port));
  check(taken.stderr.includes(`Port ${port} is taken; the page is at port`), taken.stderr);
  await eventually("the page to follow still", () => page.locator("#link-state.live").count());
  return took;
});

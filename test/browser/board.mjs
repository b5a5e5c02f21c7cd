// Starts the server's pages with made-up data and holds them to the same as the reports; then watches a job grow, with and
// without script: node board.mjs board.test SHOTS
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [program, shots] = process.argv.slice(2);
const port = await new Promise(done => { const s = createServer().listen(0, "127.0.0.1", () => { const { port } = s.address(); s.close(() => done(port)); }); });
const address = `127.0.0.1:${port}`, root = `http://${address}`, base = `${root}/board`;
const server = spawn(program, ["-test.run", "TestServeForBrowser"], { env: { ...process.env, GATEBOT_BOARD_ADDR: address }, stdio: ["pipe", "inherit", "inherit"] });
const deadline = Date.now() + 60000;
while (true) {
  try { await fetch(base); break; } catch (e) {
    if (Date.now() > deadline || server.exitCode !== null) { console.error(`board.mjs: the pages are not served: ${e}`); process.exit(3); }
    await new Promise(r => setTimeout(r, 100));
  }
}
const pages = join(dirname(fileURLToPath(import.meta.url)), "pages.mjs");
const done = spawnSync(process.execPath, [pages, "--shots", shots, base, `${base}/jobs/k1000`, `${base}/jobs/k4`, `${base}/jobs/k0`, `${base}/runners`, `${base}/fixlog`, `${base}/readiness`,
  `${base}/trends?repo=acme%2Fdsv4`, `${base}/search?q=moe.py`, `${base}/search`, `${root}/login`], { stdio: "inherit" });

// A job that goes on while it is looked at.
const problems = [];
const expect = (ok, what) => ok || problems.push(what);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
const say = (path, form) => fetch(`${root}/grow/${path}`, { method: "POST", body: new URLSearchParams(form) });
const page = await browser.newPage();
page.on("pageerror", e => problems.push(`live page: ${e}`));
await page.goto(`${base}/jobs/grow`);
await page.locator("#connection", { hasText: "Live." }).waitFor();
await say("say", { text: "\u001b[31ma line that came later\u001b[0m <img src=x onerror=alert(1)>\n" });
await page.locator("#log", { hasText: "a line that came later <img" }).waitFor();
expect(!(await page.locator("#log").textContent()).includes("\u001b"), "live page: an escape sequence is shown");
expect((await page.locator("#log *").count()) === 0, "live page: the log made elements");
expect((await page.locator("#log").textContent()).split("layers.7.pre").length === 2, "live page: a line is there twice, or not at all");
const at = await page.locator("#log").evaluate(e => e.scrollHeight - e.scrollTop - e.clientHeight);
expect(at < 3, `live page: it does not follow the end of the log (${at} px off)`);

// Without script the same page is whole, and loads itself again.
const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
await plain.goto(`${base}/jobs/grow`);
expect((await plain.locator("#log").textContent()).includes("a line that came later"), "without script: the log is not there");
expect((await plain.content()).includes('http-equiv="refresh"'), "without script: it does not load itself again");

await say("end", {});
await page.locator("#state", { hasText: "success" }).waitFor(); // it loaded itself again
expect((await page.locator("#log[data-stream]").count()) === 0, "live page: a job that is done is followed");
await browser.close();
server.stdin.end();
for (const p of problems) console.error(p);
console.log(`live page: ${problems.length} problems`);
process.exit(done.status !== 0 ? done.status ?? 3 : problems.length ? 1 : 0);

// Opens pages in headless Chromium, at three widths, light and dark: no accessibility violation, nothing wider than the
// window, no error in the console, no request, everything that can be pressed can be reached by keyboard.
//   node pages.mjs [--shots DIR] PAGE.html|URL ...
import { mkdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import { chromium } from "playwright-core";

const args = process.argv.slice(2);
const shots = args[0] === "--shots" ? args.splice(0, 2)[1] : null;
if (shots) mkdirSync(shots, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
const problems = [];

async function look(url, name, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
  const page = await context.newPage();
  const where = `${name} at ${width} ${colorScheme}`;
  page.on("console", m => m.type() === "error" && problems.push(`${where}: console: ${m.text()}`));
  page.on("pageerror", e => problems.push(`${where}: ${e}`));
  page.on("request", r => r.url() !== url && !r.url().startsWith(new URL(url).origin + "/") && problems.push(`${where}: request of ${r.url()}`));
  await page.goto(url, { waitUntil: "load" });
  if (shots) await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}.png` });
  const timing = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
  await page.evaluate(() => document.querySelectorAll("details").forEach(d => (d.open = true)));
  for (const v of (await new AxeBuilder({ page }).analyze()).violations)
    problems.push(`${where}: ${v.id}: ${v.help} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 120)}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  if (wide > width) problems.push(`${where}: ${wide} px wide`);
  await context.close();
  return timing;
}

// Every link, button, summary and scrolling box takes the focus by Tab alone.
async function keyboard(url, name) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  const want = await page.evaluate(() => {
    const all = [...document.querySelectorAll("a[href],button,summary,input,select,[tabindex='0']")].filter(e => e.checkVisibility());
    all.forEach((e, i) => (e.dataset.reach = i));
    return all.length;
  });
  const reached = new Set();
  for (let i = 0; i < want + 20; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => document.activeElement?.dataset?.reach);
    if (at !== undefined) reached.add(at);
  }
  if (reached.size < want) problems.push(`${name}: ${want - reached.size} of ${want} controls are not reached by Tab`);
  const plot = page.locator("#plot");
  if (await plot.count()) {
    await plot.focus();
    const box = () => page.locator("#marks").getAttribute("viewBox");
    const whole = await box();
    await page.keyboard.press("+");
    const zoomed = await box();
    if (zoomed === whole) problems.push(`${name}: + does not zoom`);
    await page.keyboard.press("ArrowRight");
    if ((await box()) === zoomed) problems.push(`${name}: → does not move`);
    await page.keyboard.press("0");
    if ((await box()) !== whole) problems.push(`${name}: 0 does not show the whole step`);
    if (await page.locator("[data-do=next]").count()) {
      await page.keyboard.press("n");
      if (!(await page.locator("#read").textContent()).includes("violation")) problems.push(`${name}: n does not go to a violation`);
    }
  }
  await page.close();
}

for (const arg of args) {
  const url = /^https?:/.test(arg) ? arg : pathToFileURL(resolve(arg)).href;
  const name = /^https?:/.test(arg) ? ((new URL(arg).pathname + (new URL(arg).search.includes("q=") ? "-found" : "")).replace(/\W+/g, "-").replace(/^-|-$/g, "") || "home") : basename(arg, ".html");
  let slowest = 0;
  for (const scheme of ["light", "dark"]) for (const width of [400, 1280, 2560]) slowest = Math.max(slowest, await look(url, name, width, scheme));
  await keyboard(url, name);
  console.log(`${name}: open after ${slowest.toFixed(0)} ms at the slowest of six`);
}
await browser.close();
for (const p of problems) console.error(p);
console.log(`${args.length} pages, ${problems.length} problems`);
process.exit(problems.length ? 1 : 0);

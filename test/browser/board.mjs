// Starts the server's pages with made-up data and holds them to the same as the reports: node board.mjs board.test SHOTS
import { spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [program, shots] = process.argv.slice(2), address = "127.0.0.1:18473", base = `http://${address}/board`;
const server = spawn(program, ["-test.run", "TestServeForBrowser"], { env: { ...process.env, GATEBOT_BOARD_ADDR: address }, stdio: ["pipe", "inherit", "inherit"] });
const deadline = Date.now() + 30000;
while (true) {
  try { await fetch(base); break; } catch (e) {
    if (Date.now() > deadline || server.exitCode !== null) { console.error(`board.mjs: the pages are not served: ${e}`); process.exit(3); }
    await new Promise(r => setTimeout(r, 100));
  }
}
const pages = join(dirname(fileURLToPath(import.meta.url)), "pages.mjs");
const done = spawnSync(process.execPath, [pages, "--shots", shots, base, `${base}/runners`, `${base}/trends?repo=acme%2Fdsv4`, `${base}/login`], { stdio: "inherit" });
server.stdin.end();
process.exit(done.status ?? 3);

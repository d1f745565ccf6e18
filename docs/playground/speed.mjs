// Measures how many tokens a second the playground's module annotates, on one thread:
//
//     node docs/playground/speed.mjs TEXT.txt
//
// Needs docs/public/playground.wasm (build.sh), and Node 24, which is in docs/node_modules/.bin. The time is that of
// whole calls, with the JSON that a page gets.
import { readFile } from "node:fs/promises";
import { failed, Lexpool } from "../src/scripts/playground/module.ts";

const ROUNDS = 5;
/** Characters of a call, fewer than the page takes. */
const CALL = 4000;
const CALLS = 100;

const [path] = process.argv.slice(2);
if (!path) {
  throw new Error("give a text: node docs/playground/speed.mjs TEXT.txt");
}
const text = await readFile(path, "utf8");
const parts = Array.from({ length: CALLS }, (_, i) => text.slice(i * CALL, (i + 1) * CALL)).filter(Boolean);
const file = (name) => readFile(new URL(`../public/${name}`, import.meta.url));

const lexpool = await Lexpool.start(await file("playground.wasm"));
const begun = performance.now();
check(lexpool.load(await file("playground.lexpool")));
console.log(`loaded in ${(performance.now() - begun).toFixed(0)} ms`);
for (let round = 1; round <= ROUNDS; round += 1) {
  const begun = performance.now();
  const tokens = parts.reduce((sum, part) => sum + check(lexpool.annotate(part)).tokens.length, 0);
  const seconds = (performance.now() - begun) / 1000;
  console.log(`round ${round}: ${tokens} tokens, ${Math.round(tokens / seconds)} tokens/s`);
}

function check(answer) {
  if (failed(answer)) {
    throw new Error(answer.error.message);
  }
  return answer;
}

// The playground's module with its pipeline, as pages take them while the site is built.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { failed, Lexpool } from "../scripts/playground/module";

const module = resolve("public/playground.wasm");
const bytes = await readFile(module).catch(() => {
  throw new Error(`${module} is missing: run docs/playground/build.sh first`);
});
const pipeline = await readFile(resolve("public/playground.lexpool"));

export const lexpool = await Lexpool.start(bytes);
const loaded = lexpool.load(pipeline);
if (failed(loaded)) {
  throw new Error(`the playground's pipeline cannot be loaded: ${loaded.error.message}`);
}

/** The pipeline's description, with the figures of its held-out documents. */
export const meta = loaded;

/** The size of the pipeline's file in MB, with a decimal. */
export const pipelineSize = (pipeline.length / 1e6).toFixed(1);

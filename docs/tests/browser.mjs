// The browser of the tests: one of this machine, or one that the registry of npm ships inside a package.
import { execFileSync } from "node:child_process";
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { chromium } from "playwright-core";

/** Headless Chromium for Linux on x86-64, with the libraries that small systems lack, compressed by Brotli. */
const PACKAGE = "@sparticuz/chromium";
const VERSION = "147.0.0";
const PLACE = resolve(dirname(fileURLToPath(import.meta.url)), "../node_modules/.browser");

const COMMANDS = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "msedge",
];
/** Where installers for macOS and Windows put browsers, which are not on PATH there. */
const USUAL = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:/Program Files/Google/Chrome/Application/chrome.exe",
  "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
];

/** Starts a browser by its path. */
export function launch(executablePath) {
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  });
}

/** The paths of the browsers of this machine: the one that CHROMIUM names, or all that are found. */
export function installed() {
  const named = process.env.CHROMIUM;
  if (named) {
    if (!existsSync(named)) {
      throw new Error(`CHROMIUM names ${named}, which does not exist`);
    }
    return [named];
  }
  const folders = (process.env.PATH ?? "").split(delimiter);
  const suffix = process.platform === "win32" ? ".exe" : "";
  const onPath = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command + suffix)));
  return [...onPath, ...USUAL].filter((path) => existsSync(path));
}

/**
 * Finds a browser that starts, and fetches one if this machine has none: 70 MB, kept beside the site's packages.
 * Returns the variables of the environment under which the tests find it, or why none was found.
 */
export async function find() {
  const failed = [];
  for (const path of installed()) {
    const reason = await failure(path);
    if (!reason) {
      return { env: { CHROMIUM: path } };
    }
    failed.push(`${path} does not start (${reason})`);
  }
  if (process.env.CHROMIUM) {
    throw new Error(failed[0]);
  }
  try {
    return { env: await fetched() };
  } catch (error) {
    failed.push(`${PACKAGE} of npm: ${firstLine(error)}`);
  }
  return { reason: failed.join("; ") };
}

/** Tells why a browser does not start; nothing if it does. */
async function failure(path) {
  try {
    await (await launch(path)).close();
    return undefined;
  } catch (error) {
    return firstLine(error);
  }
}

/** Installs the browser of the package, unless that was done before. */
async function fetched() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`it has no browser for ${process.platform} on ${process.arch}`);
  }
  const path = join(PLACE, `chromium-${VERSION}`);
  const packed = join(PLACE, "node_modules", PACKAGE, "bin");
  if (!existsSync(path)) {
    console.log(`no browser on this machine: installing ${PACKAGE} ${VERSION} from npm (70 MB)`);
    mkdirSync(PLACE, { recursive: true });
    const options = ["--no-save", "--no-fund", "--no-audit", "--ignore-scripts", "--loglevel=error"];
    execFileSync("npm", ["install", "--prefix", PLACE, ...options, `${PACKAGE}@${VERSION}`], { stdio: "pipe" });
    await unpack(join(packed, "chromium.br"), path, 0o755);
  }
  // A machine without a browser mostly lacks fonts too, and the package's are wider than usual ones.
  const found = { CHROMIUM: path, UNUSUAL_FONTS: "1" };
  if (!(await failure(path))) {
    return found;
  }
  // Small systems lack NSS and fonts' libraries, which the package has for them.
  await unpack(join(packed, "al2023.tar.br"), join(PLACE, "libraries.tar"), 0o644);
  execFileSync("tar", ["-xf", join(PLACE, "libraries.tar"), "-C", PLACE], { stdio: "pipe" });
  process.env.LD_LIBRARY_PATH = join(PLACE, "lib");
  const reason = await failure(path);
  if (reason) {
    throw new Error(`it does not start (${reason})`);
  }
  return { ...found, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH };
}

/** Decompresses a file. It appears under its name when it is whole. */
async function unpack(packed, path, mode) {
  const part = `${path}.part`;
  await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(part, { mode }));
  renameSync(part, path);
}

function firstLine(error) {
  const text = String(error.stderr ?? "").trim() || error.message;
  return text.split("\n")[0];
}

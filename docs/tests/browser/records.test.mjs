// The tables of records, as a reader sees them, say what lexpool.h asserts of the structs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { browsed, open } from "../site.mjs";

const header = await readFile(new URL("../../../py/lexpool/include/lexpool.h", import.meta.url), "utf8");
const sizes = new Map([...header.matchAll(/sizeof\((\w+)\) == (\d+)/g)].map(([, name, size]) => [name, +size]));

const site = browsed();

test("the header has structs", () => assert.ok(sizes.size >= 6));

for (const [name, size] of sizes) {
  test(`${name} is laid out on its page as in lexpool.h`, async () => {
    const slug = name.replace(/([a-z])(?=[A-Z])/g, "$1-").toLowerCase();
    const { page } = await open(site.context, `${site.origin}/records/${slug}/`);
    const fields = [...header.matchAll(new RegExp(`offsetof\\(${name}, (\\w+)\\) == (\\d+)`, "g"))];
    assert.match(await page.locator("figure.record figcaption").innerText(), new RegExp(`\\b${size} bytes`));
    let end = 0;
    for (const [, field, offset] of fields) {
      const cells = await page.locator(`tr[id="${slug}.${field}"] td`).allInnerTexts();
      assert.equal(cells[2], offset, field);
      assert.equal(end, +offset, `${field} begins where the field before it ends`);
      end += +cells[3];
    }
    assert.equal(end, size, "the fields fill the record");
    await page.close();
  });
}

// Lays each table of a page in a box that scrolls, so that a wide one never widens the page.
// public/wide.js makes a box that does scroll a stop of the Tab key.
import { defineHastPlugin } from "satteri";

export function wideTables() {
  return defineHastPlugin({
    name: "wide-tables",
    element: {
      filter: ["table"],
      visit(node, ctx) {
        ctx.wrapNode(node, { type: "element", tagName: "div", properties: { className: ["wide"] }, children: [] });
      },
    },
  });
}

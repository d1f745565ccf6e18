// Tables and their code where there is little room.
//
// Each table of a page is laid in a box that scrolls, so that a wide one never widens the page;
// public/wide.js makes a box that does scroll a stop of the Tab key. On a phone the rows of a table with more
// than two columns stand below each other, each cell under the name of its column (`data-th`).
import { defineHastPlugin } from "satteri";

/** Code up to so many characters stays in one line. */
const SHORT = 16;

export function wideTables() {
  return defineHastPlugin({
    name: "wide-tables",
    element: [
      {
        filter: ["table"],
        visit(node, ctx) {
          const [head, body] = ["thead", "tbody"].map((name) => inside(node, name)[0]);
          const names = head ? inside(inside(head, "tr")[0], "th").map((cell) => ctx.textContent(cell)) : [];
          ctx.setProperty(node, "className", ["written", ...(names.length > 2 ? ["rows"] : [])]);
          if (names.length > 2 && body) {
            for (const row of inside(body, "tr")) {
              inside(row, "td").forEach((cell, i) => i > 0 && ctx.setProperty(cell, "dataTh", names[i]));
            }
          }
          ctx.wrapNode(node, { type: "element", tagName: "div", properties: { className: ["wide"] }, children: [] });
        },
      },
      {
        filter: ["code"],
        visit(node, ctx) {
          const text = ctx.textContent(node);
          const above = ctx.parent(node)?.tagName;
          if (above !== "pre" && text.length <= SHORT && !text.includes(" ")) {
            ctx.setProperty(node, "className", ["short"]);
          }
        },
      },
    ],
  });
}

function inside(node, name) {
  return (node?.children ?? []).filter((child) => child.tagName === name);
}

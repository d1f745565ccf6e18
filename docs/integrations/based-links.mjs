// Links in pages are written from the site's root (/records/); this puts the base path before them.
import { defineMdastPlugin } from "satteri";

export function basedLinks(base) {
  const root = base.replace(/\/$/, "");
  return defineMdastPlugin({
    name: "based-links",
    link(node, ctx) {
      if (root && node.url.startsWith("/") && !node.url.startsWith("//")) {
        ctx.setProperty(node, "url", root + node.url);
      }
    },
  });
}

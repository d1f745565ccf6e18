// What is wider than its box is scrolled; this lets the keyboard do so too.
//
// Such a box is a group: as regions, which Starlight makes of blocks of code, they would all be landmarks
// of a page, and nobody could tell one from the other.
const boxes = document.querySelectorAll(".wide");

function see() {
  for (const box of boxes) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", box.dataset.label ?? "Wide table");
    } else {
      box.removeAttribute("tabindex");
      box.removeAttribute("role");
      box.removeAttribute("aria-label");
    }
  }
}

const code = new MutationObserver((changes) => {
  for (const { target } of changes) {
    if (target.getAttribute("role") === "region") {
      target.setAttribute("role", "group");
      target.setAttribute("aria-label", "Code");
    }
  }
});

for (const block of document.querySelectorAll(".expressive-code pre")) {
  code.observe(block, { attributeFilter: ["role"] });
}
// The playground fills its boxes anew.
const filled = new MutationObserver(see);
for (const box of boxes) {
  filled.observe(box, { childList: true });
}
see();
addEventListener("resize", see);

// Starts the playground on the page that has it.
import { start } from "./playground/page";

for (const root of document.querySelectorAll<HTMLElement>("[data-playground]")) {
  start(root);
}

import { readPrerendered } from "#platform/prerendered.ts";
import { hydratePage, mountPage } from "./hydrate-page.tsx";
import { createConsole } from "./start-console.ts";
import "./styles.css";

const root = document.getElementById("root");
if (root === null) {
  throw new Error("index.html has no #root");
}
const console = createConsole(window);
const prerendered = readPrerendered(document);
if (prerendered === undefined) {
  mountPage(root, console);
} else {
  // Not awaited here: the files of routes import from the one that this is in, and would wait for its end.
  void hydratePage({ root, console, prerendered });
}

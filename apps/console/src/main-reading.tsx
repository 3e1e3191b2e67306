import { hydrateRoot } from "react-dom/client";
import { parseClientConfig } from "#platform/client-config.ts";
import { readPrerendered } from "#platform/prerendered.ts";
import { whenSignedIn } from "#platform/session/when-signed-in.ts";
import { createTheme } from "#platform/theme.ts";
import { preloadForms } from "./preload-forms.ts";
import { ReadingPage } from "./reading-page.tsx";
import "./styles.css";

const root = document.getElementById("root");
const prerendered = readPrerendered(document);
if (root === null || prerendered === undefined) {
  throw new Error("The server sends this script only with a page that it rendered");
}
const config = parseClientConfig(prerendered.config);
// Another tab may choose a theme.
createTheme(window);
const shown = hydrateRoot(root, <ReadingPage content={prerendered.content} config={config} />);
preloadForms(document);
whenSignedIn(config, window, () => {
  // A person is verified on every page, and offered the console: what only the application does.
  void Promise.all([import("./start-console.ts"), import("./hydrate-page.tsx")]).then(
    ([{ createConsole }, { replaceReadingPage }]) =>
      replaceReadingPage({ shown, console: createConsole(window), prerendered }),
    // Without a network the page can still be read.
    () => undefined,
  );
});

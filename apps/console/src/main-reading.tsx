import { hydrateRoot } from "react-dom/client";
import { parseClientConfig } from "#platform/client-config.ts";
import { HOME_PATH, LOGIN_PATH } from "#platform/guard.ts";
import { readPrerendered } from "#platform/prerendered.ts";
import { watchSignedIn } from "#platform/session/watch-signed-in.ts";
import { createTheme } from "#platform/theme.ts";
import { ReadingPage } from "./reading-page.tsx";
import "./styles.css";

/** The links of a page to be read that lead into the application. */
const INTO_THE_APPLICATION = [HOME_PATH, LOGIN_PATH, "/register"]
  .map((path) => `a[href="${path}"]`)
  .join();

const root = document.getElementById("root");
const prerendered = readPrerendered(document);
if (root === null || prerendered === undefined) {
  throw new Error("The server sends this script only with a page that it rendered");
}
const config = parseClientConfig(prerendered.config);
// Another tab may choose a theme.
createTheme(window);
hydrateRoot(
  root,
  <ReadingPage
    content={prerendered.content}
    platform={{ config, session: watchSignedIn(config, window) }}
  />,
);

/** The application's scripts are on their way as soon as a visitor reaches for a link that needs them. */
function preloadApplication({ target }: Event): void {
  if (target instanceof Element && target.closest(INTO_THE_APPLICATION) !== null) {
    void import("./hydrate-page.tsx").catch(() => undefined);
  }
}
for (const reach of ["pointerover", "focusin"]) {
  document.addEventListener(reach, preloadApplication, { passive: true });
}

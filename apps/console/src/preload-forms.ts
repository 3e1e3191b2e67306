import { PRELOAD_DELAY_MS } from "#components/preload-delay.ts";

/** Where the links of a page to be read lead that need the application. */
const FORMS: Readonly<Record<string, () => Promise<unknown>>> = {
  "/login": () => import("#features/sign-in/login-page.tsx"),
  "/register": () => import("#features/sign-in/register-page.tsx"),
};

/**
 * Loads the application and a form once a visitor reaches for a link to it, as the router does where there is one: it is there when
 * the browser opens the form.
 */
export function preloadForms(page: Document): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => clearTimeout(timer);
  const reach = ({ target }: Event): void => {
    stop();
    const link = target instanceof Element ? target.closest("a[href]") : null;
    const load = FORMS[link?.getAttribute("href") ?? ""];
    if (load !== undefined) {
      const preload = () => Promise.all([import("./hydrate-page.tsx"), load()]);
      // What could not be loaded is asked for by the page that needs it.
      timer = setTimeout(() => void preload().catch(() => undefined), PRELOAD_DELAY_MS);
    }
  };
  for (const arrival of ["pointerover", "focusin", "touchstart"]) {
    page.addEventListener(arrival, reach, { passive: true });
  }
  for (const departure of ["pointerout", "focusout"]) {
    page.addEventListener(departure, stop, { passive: true });
  }
}

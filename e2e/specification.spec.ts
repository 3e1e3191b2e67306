import { pollUntil } from "@turnpike/testkit/poll-until";
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startBrowser, type TestBrowser } from "./support/browser.ts";
import { findAxeViolations, rulesIn } from "./support/find-axe-violations.ts";
import { measureOverflowPx } from "./support/measure-overflow.ts";
import { makePerson, registerPerson, signInHere } from "./support/sign-in.ts";
import { waitUntilHydrated } from "./support/wait-until-hydrated.ts";
import { watchPage } from "./support/watch-page.ts";

const instance = inject("sharedProduct");
/** Signed out. */
let visitor: TestBrowser;
/** Signed in. */
let member: TestBrowser;
const person = makePerson();

beforeAll(async () => {
  visitor = await startBrowser();
  member = await startBrowser();
  const page = await member.context.newPage();
  await registerPerson(page, `${instance.consoleUrl}/register`, person);
  await page.close();
});

afterAll(async () => {
  await visitor?.[Symbol.asyncDispose]();
  await member?.[Symbol.asyncDispose]();
});

/** Runs a journey in a tab of its own. */
async function withPage(browser: TestBrowser, journey: (page: Page) => Promise<void>) {
  const page = await browser.context.newPage();
  try {
    await journey(page);
  } finally {
    await page.close();
  }
}

const at = (path: string) => instance.consoleUrl + path;
const pathOf = (page: Page) => new URL(page.url()).pathname;
const loader = (page: Page) => page.getByRole("status", { name: "Loading", exact: true });

/** Requests for the code of a screen. */
const isCodeOf = (screen: string) => (request: Request) =>
  new RegExp(`/assets/${screen}-[\\w-]{8}\\.js$`).test(new URL(request.url()).pathname);

/** Keeps requests to a path waiting until the returned function is called. */
async function holdBack(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(at(path), async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Every path that the page shows from now on. */
async function recordPaths(page: Page): Promise<() => Promise<string[]>> {
  const paths: string[] = [];
  page.on("framenavigated", (frame) => paths.push(new URL(frame.url()).pathname));
  return async () => paths;
}

describe("the guard in the browser", () => {
  it("sends a visitor from a deep link to sign in, and then where they wanted to go", async () => {
    const other = await startBrowser();
    try {
      const page = await other.context.newPage();
      await page.goto(at("/plans?tab=meters#top"));
      await page.waitForURL(at("/login"));
      await signInHere(page, person);
      await page.waitForURL(({ pathname }) => pathname === "/plans");
      expect(new URL(page.url())).toMatchObject({ hash: "#top" });
      expect(new URL(page.url()).searchParams.get("tab")).toBe("meters");
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  it("keeps a deep link over a reload when signed in", async () => {
    await withPage(member, async (page) => {
      await page.goto(at("/billings"));
      await page.getByRole("heading", { level: 1 }).waitFor();
      const readPaths = await recordPaths(page);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(new Set(await readPaths())).toEqual(new Set(["/billings"]));
    });
  });

  it("sends who is signed in from /login and /register to /overview, and leaves the landing page open", async () => {
    await withPage(member, async (page) => {
      for (const path of ["/login", "/register"]) {
        await page.goto(at(path));
        await page.waitForURL(at("/overview"));
      }
      await page.goto(at("/"));
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(pathOf(page)).toBe("/");
    });
  });

  it("signs out every tab when one signs out", async () => {
    const other = await startBrowser();
    try {
      const [one, two] = [await other.context.newPage(), await other.context.newPage()];
      await one.goto(at("/login"));
      await signInHere(one, person);
      await two.goto(at("/plans"));
      await two.getByRole("heading", { level: 1 }).waitFor();

      await one.route(at("/auth/verify"), (route) => route.abort());
      await one.reload();
      await one.getByRole("button", { name: "Sign out" }).click();
      await one.waitForURL(at("/login"));
      await two.waitForURL(at("/login"));
      await one.unrouteAll();
      await signInHere(one, person);
      expect(pathOf(one)).toBe("/overview");
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});

describe("the auth state in the browser", () => {
  it("replaces the whole app by a full-screen loader while it loads", async () => {
    await withPage(member, async (page) => {
      const release = await holdBack(page, "/idp/token");
      await page.goto(at("/overview"));
      await loader(page).waitFor();
      const box = await loader(page).boundingBox();
      expect(box).toEqual({ x: 0, y: 0, width: 1440, height: 900 });
      expect(await page.locator("#root > *").count()).toBe(1);
      release();
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(pathOf(page)).toBe("/overview");
    });
  });

  it("outlives a page that is closed while its token is renewed", async () => {
    await withPage(member, async (page) => {
      await page.route(at("/idp/token"), async (route) => {
        await route.fetch();
        await route.abort();
      });
      const renewed = page.waitForEvent("requestfailed", (request) =>
        request.url().endsWith("/idp/token"),
      );
      await page.goto(at("/"));
      await renewed;
    });
    await withPage(member, async (page) => {
      await page.goto(at("/plans"));
      await page.waitForRequest(at("/auth/verify"));
      expect(pathOf(page)).toBe("/plans");
    });
  });

  it("leaves the content of a public page on the screen while it loads", async () => {
    await withPage(member, async (page) => {
      const release = await holdBack(page, "/idp/token");
      await Promise.all([page.waitForRequest(at("/idp/token")), page.goto(at("/terms"))]);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await loader(page).count()).toBe(0);
      const verified = page.waitForRequest(at("/auth/verify"));
      release();
      await verified;
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(pathOf(page)).toBe("/terms");
    });
  });

  it("tells a person whose sign-in cannot be confirmed, and goes on when they try again", async () => {
    await withPage(member, async (page) => {
      const trace = await watchPage(page, [instance.consoleUrl]);
      await page.route(at("/idp/token"), (route) => route.abort());
      await page.goto(at("/plans"));
      await page.getByText("The sign-in service cannot be reached.").waitFor();
      await page.unrouteAll();
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByRole("heading", { level: 1, name: "Plans" }).waitFor();
      await page.route(at("/idp/token"), (route) => route.abort());
      await page.goto(at("/terms"));
      await page.getByText("The sign-in service cannot be reached.").waitFor();
      await page.unrouteAll();
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByRole("heading", { level: 1, name: /terms/i }).waitFor();
      expect(trace.pageErrors).toEqual([]);
    });
  });

  it("has the service verify the person with the ID token, and logs the answer", async () => {
    await withPage(member, async (page) => {
      const logged = page.waitForEvent("console", (message) => message.type() === "log");
      const [request] = await Promise.all([
        page.waitForRequest(at("/auth/verify")),
        page.goto(at("/overview")),
      ]);
      const headers = await request.allHeaders();
      const body: unknown = request.postDataJSON();
      expect(request.method()).toBe("POST");
      expect(headers["content-type"]).toBe("application/json");
      const token = headers["authorization"]?.replace("Bearer ", "");
      expect(body).toEqual({ token });
      expect(token?.split(".")).toHaveLength(3);
      const answer: unknown = await (await logged).args()[0]?.jsonValue();
      expect(answer).toMatchObject({ user: { email: person.email }, tenants: [] });
      expect(JSON.stringify(answer)).not.toContain(token);
    });
  });

  it("shows a failed verification with Retry and Sign out, and goes on after a retry", async () => {
    await withPage(member, async (page) => {
      await page.route(at("/auth/verify"), (route) =>
        route.fulfill({ status: 503, json: { error: "The database is away." } }),
      );
      await page.goto(at("/overview"));
      await page.getByText("The database is away.").waitFor();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
      await page.unrouteAll();
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
    });
  });

  it("signs in without a violation of the content security policy or a call elsewhere", async () => {
    const other = await startBrowser();
    try {
      const page = await other.context.newPage();
      const trace = await watchPage(page, [instance.consoleUrl]);
      await page.goto(at("/login"));
      await signInHere(page, person);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(trace.policyViolations).toEqual([]);
      expect(trace.foreignRequests).toEqual([]);
      expect(trace.pageErrors).toEqual([]);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });
});

describe("preloading in the browser", () => {
  it("loads the code of a screen 50 ms after the pointer reaches its link, before any click", async () => {
    await withPage(visitor, async (page) => {
      // A page of the application: what a page to be read loads then is in public-pages.spec.ts.
      await page.goto(at("/login"), { waitUntil: "networkidle" });
      await waitUntilHydrated(page);
      const link = page.getByRole("link", { name: "Terms" }).first();
      await link.scrollIntoViewIfNeeded();
      await page.evaluate(`addEventListener("mouseover", (event) => {
        if (event.target.closest("a")?.pathname === "/terms") window.reachedAt ??= performance.now();
      })`);
      const [request] = await Promise.all([page.waitForRequest(isCodeOf("terms")), link.hover()]);
      const waitedMs = await pollUntil("the browser has timed the request", async () => {
        const name = JSON.stringify(request.url());
        const found = await page.evaluate<number | null>(
          `(performance.getEntriesByName(${name})[0]?.startTime ?? NaN) - reachedAt`,
        );
        // What is not a number yet arrives as null or NaN, by the browser's choice.
        return found === null || Number.isNaN(found) ? undefined : found;
      });
      expect(waitedMs).toBeGreaterThanOrEqual(50);
      expect(pathOf(page)).toBe("/login");
    });
  });

  it("loads what a link leads to when it comes within 100 px of the window", async () => {
    await withPage(member, async (page) => {
      const loaded: string[] = [];
      page.on("request", (request) => loaded.push(request.url()));
      await page.setViewportSize({ width: 800, height: 120 });
      await page.goto(at("/nowhere"));
      const home = page.getByRole("link", { name: "Go back home" });
      await home.waitFor();
      const distancePx = ((await home.boundingBox())?.y ?? 0) - 120;
      expect(distancePx).toBeGreaterThan(101);
      const isLoaded = () => loaded.some((url) => /\/assets\/routes-[\w-]{8}\.js$/.test(url));
      await page.mouse.wheel(0, distancePx - 101);
      await waitForScroll(page, distancePx - 101);
      const isNear = await page.evaluate<boolean>(`new Promise((resolve) => {
        const [home] = document.querySelectorAll("main a");
        const report = ([entry]) => setTimeout(resolve, 60, entry.isIntersecting);
        new IntersectionObserver(report, { rootMargin: "100px" }).observe(home);
      })`);
      expect({ isNear, isLoaded: isLoaded() }).toEqual({ isNear: false, isLoaded: false });
      await Promise.all([page.waitForRequest(isCodeOf("routes")), page.mouse.wheel(0, 4)]);
    });
  });
});

describe("scrolling in the browser", () => {
  it("comes back to where a page was scrolled, by Back and by a reload, and starts a new page at its top", async () => {
    await withPage(visitor, async (page) => {
      await page.setViewportSize({ width: 800, height: 400 });
      // The server sends the text; what takes it over comes later.
      await page.goto(at("/terms"), { waitUntil: "networkidle" });
      await waitUntilHydrated(page);
      await scrollTo(page, 300);
      await page.evaluate(`document.querySelector("a[href='/privacy']").click()`);
      await page.waitForURL(at("/privacy"));
      await waitForScroll(page, 0);
      await page.goBack();
      await page.waitForURL(at("/terms"));
      await waitForScroll(page, 300);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await waitForScroll(page, 300);
    });
  });

  it("saves the position at most every 100 ms", async () => {
    await withPage(visitor, async (page) => {
      await page.addInitScript(`
        window.savedAt = [];
        const write = Storage.prototype.setItem;
        Storage.prototype.setItem = function (key, value) {
          if (this === sessionStorage && key.startsWith("tsr-scroll")) savedAt.push(performance.now());
          return write.call(this, key, value);
        };
      `);
      await page.setViewportSize({ width: 800, height: 200 });
      // Of a page to be read the browser itself keeps it.
      await page.goto(at("/register"), { waitUntil: "networkidle" });
      await waitUntilHydrated(page);
      await page.evaluate(`new Promise((resolve) => {
        let frames = 0;
        const step = () => {
          scrollTo(0, (frames += 1) * 3);
          frames < 90 ? requestAnimationFrame(step) : setTimeout(resolve, 300);
        };
        step();
      })`);
      const savedAt = await page.evaluate<number[]>("savedAt");
      const gapsMs = savedAt.slice(1).map((at, index) => at - (savedAt[index] ?? 0));
      expect(savedAt.length).toBeGreaterThan(3);
      expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(99);
    });
  });
});

/** Scrolls, and waits until the page hears of it: on a busy machine a click comes before that. */
async function scrollTo(page: Page, y: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    document.addEventListener("scroll", resolve, { once: true });
    scrollTo(0, ${String(y)});
  }).then(() => undefined)`);
  await waitForScroll(page, y);
}

async function waitForScroll(page: Page, y: number): Promise<void> {
  await pollUntil(
    `the page is scrolled to ${String(y)}`,
    async () => Math.abs((await page.evaluate<number>("scrollY")) - y) < 2,
  );
}

describe("what is missing and what fails, in the browser", () => {
  it("shows the 404 page for an unknown path", async () => {
    await withPage(member, async (page) => {
      await page.goto(at("/nowhere"));
      await page.getByRole("heading", { name: "404", exact: true }).waitFor();
      await page
        .getByText("Oops! The page you are looking for doesn’t exist or has been moved.")
        .waitFor();
      await page.getByRole("link", { name: "Go back home" }).click();
      await page.waitForURL(at("/"));
    });
  });

  it("shows the signed-in layout's own view for an unknown path below it", async () => {
    await withPage(member, async (page) => {
      await page.goto(at("/overview/nowhere"));
      await page.getByRole("link", { name: "Go back home" }).click();
      await page.waitForURL(at("/overview"));
    });
  });

  it("reloads the page once for each lazy module that fails, then shows the error", async () => {
    await withPage(member, async (page) => {
      await page.goto(at("/overview"));
      await page.getByRole("heading", { level: 1 }).waitFor();
      let loads = 0;
      page.on("load", () => {
        loads += 1;
      });
      // Screens whose address has no search parameters are one module.
      for (const screen of ["device", "quickstart"]) {
        loads = 0;
        await page.route(
          (url) => new RegExp(`/assets/${screen}-[\\w-]{8}\\.js$`).test(url.pathname),
          (route) => route.abort(),
        );
        await page.evaluate(
          `history.pushState({}, "", "/${screen}"); dispatchEvent(new PopStateEvent("popstate"))`,
        );
        await page.getByText("Something went wrong!").waitFor();
        expect(loads).toBe(1);
        await page.getByRole("button", { name: "Show Error" }).click();
        await page.getByText("Failed to fetch dynamically imported module").waitFor();
        await page.reload();
        await page.getByText("Something went wrong!").waitFor();
        expect(loads).toBe(2);
        await page.unrouteAll();
        await page.goto(at("/overview"));
        await page.getByRole("heading", { level: 1 }).waitFor();
      }
    });
  });

  it("shows a route's error in the router's error view, and the route after another try", async () => {
    await withPage(member, async (page) => {
      await page.route(
        (url) => /\/assets\/quickstart-[\w-]{8}\.js$/.test(url.pathname),
        (route) =>
          route.fulfill({
            contentType: "text/javascript",
            body: 'throw new Error("This screen is broken")',
          }),
      );
      await page.goto(at("/quickstart"));
      await page.getByText("Something went wrong!").waitFor();
      await page.getByRole("button", { name: "Show Error" }).click();
      await page.getByText("This screen is broken").waitFor();
      await page.getByRole("button", { name: "Hide Error" }).click();
      expect(await page.getByText("This screen is broken").count()).toBe(0);
    });
  });

  it("says that the console cannot start without its configuration, and starts on request", async () => {
    await withPage(visitor, async (page) => {
      await page.route(at("/config.json"), (route) => route.fulfill({ status: 503, body: "" }));
      await page.goto(at("/overview"));
      await page.getByText("The console cannot start").waitFor();
      await page.unrouteAll();
      await page.getByRole("button", { name: "Retry" }).click();
      await page.waitForURL(at("/login"));
    });
  });
});

describe("the pages of the shell", () => {
  it.each(["light", "dark"] as const)("are clean for axe in the %s theme", async (theme) => {
    await withPage(member, async (page) => {
      await page.emulateMedia({ colorScheme: theme });
      const rules = rulesIn(theme);
      await page.goto(at("/nowhere"));
      await page.getByRole("heading", { name: "404", exact: true }).waitFor();
      expect(await findAxeViolations(page, { rules })).toEqual([]);

      await page.goto(at("/register#setup=no-such-code"));
      await page.locator("[data-sonner-toast][data-type=error]").waitFor();
      await page.keyboard.press("Alt+KeyT");
      expect(await findAxeViolations(page, { rules })).toEqual([]);

      await page.route(
        (url) => /\/assets\/quickstart-[\w-]{8}\.js$/.test(url.pathname),
        (route) =>
          route.fulfill({ contentType: "text/javascript", body: 'throw new Error("Broken")' }),
      );
      await page.goto(at("/quickstart"));
      await page.getByRole("button", { name: "Show Error" }).click();
      expect(await findAxeViolations(page, { rules })).toEqual([]);

      await page.route(at("/auth/verify"), (route) =>
        route.fulfill({ status: 503, json: { error: "The database is away." } }),
      );
      await page.goto(at("/overview"));
      await page.getByText("The database is away.").waitFor();
      expect(await findAxeViolations(page, { rules })).toEqual([]);
    });
  });

  it("need no sideways scrolling on a phone of 360 px", async () => {
    await withPage(member, async (page) => {
      await page.setViewportSize({ width: 360, height: 740 });
      for (const path of ["/nowhere", "/overview/nowhere"]) {
        await page.goto(at(path));
        await page.getByRole("heading", { name: "404", exact: true }).waitFor();
        expect(await measureOverflowPx(page)).toBe(0);
      }
    });
  });
});

describe("toasts in the browser", () => {
  it("are 356 px wide at the bottom right, in the error style with rich colours", async () => {
    await withPage(member, async (page) => {
      await page.goto(at("/register#setup=no-such-code"));
      const toast = page.locator("[data-sonner-toast][data-type=error]");
      await toast.waitFor();
      await pollUntil(
        "the toast has come to rest",
        async () =>
          (await page.evaluate<number>(
            `document.querySelector("[data-sonner-toast]").getAnimations().length`,
          )) === 0,
      );
      const box = await toast.boundingBox();
      expect(box?.width).toBe(356);
      expect(Math.round(1440 - ((box?.x ?? 0) + 356))).toBe(24);
      expect(Math.round(900 - ((box?.y ?? 0) + (box?.height ?? 0)))).toBe(24);
      const [background, error] = await page.evaluate<[string, string]>(`(() => {
        const shown = getComputedStyle(document.querySelector("[data-sonner-toast]"));
        const ground = getComputedStyle(document.body).backgroundColor;
        return [shown.backgroundColor, ground];
      })()`);
      expect(background).not.toBe(error);
      expect(pathOf(page)).toBe("/overview");
      expect(page.url()).not.toContain("setup");
    });
  });
});

describe("the theme in the browser", () => {
  it("is there before the console's own code, so that nothing flashes", async () => {
    await withPage(visitor, async (page) => {
      await page.goto(at("/terms"));
      await page.evaluate(`localStorage.setItem("theme", "dark")`);
      await page.route(
        (url) => /\/assets\/index-[\w-]{8}\.js$/.test(url.pathname),
        (route) => route.abort(),
      );
      await page.reload();
      const scheme = await page.evaluate<string>(
        "getComputedStyle(document.documentElement).colorScheme",
      );
      expect(scheme).toBe("dark");
      await page.evaluate(`localStorage.removeItem("theme")`);
    });
  });
});

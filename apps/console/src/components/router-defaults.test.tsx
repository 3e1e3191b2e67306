// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppLink } from "./app-link.tsx";
import { PENDING_MIN_MS, ROUTER_DEFAULTS } from "./router-defaults.tsx";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("scrollTo", () => undefined);
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type SiteOptions = {
  /** What the page at `/plans` waits for. */
  load?: () => unknown;
  links?: ReactNode;
  start?: string;
};

/** A site of two pages with the console's defaults and nothing else. */
async function openSite({ load = () => "loaded", links, start = "/" }: SiteOptions) {
  const rootRoute = createRootRoute({
    component: () => (
      <>
        {links}
        <Outlet />
      </>
    ),
  });
  const home = createRoute({
    getParentRoute: () => rootRoute,
    path: "/",
    component: () => <p>Home</p>,
  });
  const slow = createRoute({
    getParentRoute: () => rootRoute,
    path: "/plans",
    loader: () => load(),
    component: () => <p>Slow page</p>,
  });
  const router = createRouter({
    ...ROUTER_DEFAULTS,
    routeTree: rootRoute.addChildren([home, slow]),
    history: createMemoryHistory({ initialEntries: [start] }),
  });
  await act(async () => {
    await router.load();
  });
  render(<RouterProvider router={router} />);
  await pass(0);
  return router;
}

async function pass(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
}

describe("the router's defaults", () => {
  it("preload a link after the pointer has been on it for 50 ms, not before", async () => {
    const load = vi.fn();
    await openSite({ load, links: <Link to="/plans">Go</Link> });

    fireEvent.mouseEnter(screen.getByRole("link"));
    await pass(49);
    expect(load).not.toHaveBeenCalled();
    await pass(1);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("preload nothing for a pointer that only passes over a link", async () => {
    const load = vi.fn();
    await openSite({ load, links: <Link to="/plans">Go</Link> });

    fireEvent.mouseEnter(screen.getByRole("link"));
    await pass(30);
    fireEvent.mouseLeave(screen.getByRole("link"));
    await pass(1000);
    expect(load).not.toHaveBeenCalled();
  });

  it("hold what was preloaded for stale at once: a visit loads again", async () => {
    const load = vi.fn(() => "answer");
    const router = await openSite({ load, links: <Link to="/plans">Go</Link> });

    fireEvent.mouseEnter(screen.getByRole("link"));
    await pass(50);
    fireEvent.mouseLeave(screen.getByRole("link"));
    await pass(1);
    fireEvent.mouseEnter(screen.getByRole("link"));
    await pass(50);
    expect(load).toHaveBeenCalledTimes(2);
    await act(() => router.navigate({ to: "/plans" }));
    await pass(0);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it("show the pending view after 1000 ms, not before, and for at least 500 ms", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const router = await openSite({ load: () => promise });

    void router.navigate({ to: "/plans" });
    await pass(999);
    expect(screen.queryByRole("status", { name: "Loading" })).toBeNull();
    screen.getByText("Home");
    await pass(1);
    screen.getByRole("status", { name: "Loading" });

    resolve("late");
    await pass(499);
    screen.getByRole("status", { name: "Loading" });
    await pass(1);
    screen.getByText("Slow page");
  });

  it("show no pending view for a route that loads within a second", async () => {
    const router = await openSite({
      load: () => new Promise((resolve) => setTimeout(resolve, 990)),
    });
    void router.navigate({ to: "/plans" });
    await pass(995);
    screen.getByText("Slow page");
  });

  it("say 'Not Found' where no route has a page of its own for what is missing", async () => {
    await openSite({ start: "/nowhere" });
    screen.getByText("Not Found", { exact: true });
  });

  it("show the route's error, and load the route again on request", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    let isBroken = true;
    await openSite({
      start: "/plans",
      load: () => {
        if (isBroken) {
          throw new Error("The usage could not be read");
        }
      },
    });
    fireEvent.click(screen.getByRole("button", { name: "Show Error" }));
    screen.getByText("The usage could not be read");

    isBroken = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await pass(PENDING_MIN_MS);
    screen.getByText("Slow page");
  });

  it("look for unknown paths fuzzily and restore the scroll position", () => {
    expect(ROUTER_DEFAULTS).toMatchObject({ notFoundMode: "fuzzy", scrollRestoration: true });
  });
});

describe("AppLink", () => {
  it("loads its page when it comes within 100 px of the window, and only then", async () => {
    const observers: { report: IntersectionObserverCallback; margin: string | undefined }[] = [];
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        constructor(report: IntersectionObserverCallback, options?: IntersectionObserverInit) {
          observers.push({ report, margin: options?.rootMargin });
        }
        observe = () => undefined;
        disconnect = () => undefined;
      },
    );
    const load = vi.fn();
    await openSite({ load, links: <AppLink to="/plans">Go</AppLink> });
    const newest = observers.at(-1);
    expect(newest?.margin).toBe("100px");
    const report = (isIntersecting: boolean) =>
      newest?.report([{ isIntersecting } as IntersectionObserverEntry], {} as IntersectionObserver);

    report(false);
    await pass(1000);
    expect(load).not.toHaveBeenCalled();
    report(true);
    await pass(50);
    expect(load).toHaveBeenCalledTimes(1);
  });
});

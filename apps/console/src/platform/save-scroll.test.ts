// @vitest-environment jsdom
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  type ParsedLocation,
} from "@tanstack/react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SCROLL_STORAGE_KEY, saveScroll } from "./save-scroll.ts";

const LOCATION = { href: "/plans", state: { __TSR_key: "k1" } } as ParsedLocation;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

function scrollTo(y: number): void {
  vi.stubGlobal("scrollY", y);
  window.dispatchEvent(new Event("scroll"));
}

function savedY(): unknown {
  return JSON.parse(sessionStorage.getItem(SCROLL_STORAGE_KEY) ?? "{}").k1?.window.scrollY;
}

describe("saveScroll", () => {
  it("saves at most once in 100 ms during scrolling, and the last position at the end", () => {
    const written = vi.spyOn(Storage.prototype, "setItem");
    const stop = saveScroll(window, () => LOCATION);
    for (let ms = 0; ms <= 250; ms += 10) {
      scrollTo(ms);
      vi.advanceTimersByTime(10);
    }
    expect(written).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(100);
    expect(written).toHaveBeenCalledTimes(3);
    expect(savedY()).toBe(250);
    stop();
    written.mockRestore();
  });

  it("saves nothing within the first 99 ms, and the position after 100", () => {
    const stop = saveScroll(window, () => LOCATION);
    scrollTo(40);
    vi.advanceTimersByTime(99);
    expect(savedY()).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(savedY()).toBe(40);
    stop();
  });

  it("keeps what is saved for other pages", () => {
    sessionStorage.setItem(SCROLL_STORAGE_KEY, '{"k0":{"window":{"scrollX":0,"scrollY":7}}}');
    const stop = saveScroll(window, () => LOCATION);
    scrollTo(5);
    vi.advanceTimersByTime(100);
    expect(JSON.parse(sessionStorage.getItem(SCROLL_STORAGE_KEY) ?? "")).toMatchObject({
      k0: { window: { scrollY: 7 } },
      k1: { window: { scrollY: 5 } },
    });
    stop();
  });

  it("writes where the router itself keeps the places", async () => {
    const router = createRouter({
      routeTree: createRootRoute(),
      history: createMemoryHistory(),
      scrollRestoration: true,
    });
    await router.load();
    window.dispatchEvent(new Event("pagehide"));
    expect(Object.keys(sessionStorage)).toEqual([SCROLL_STORAGE_KEY]);
  });
});

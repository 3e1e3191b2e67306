// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";
import { makeTestPlatform } from "../render-with-platform.tsx";
import { watchSignedIn } from "./watch-signed-in.ts";

const STORED = JSON.stringify({ at: 1, providerId: "builtin", subject: "ada" });

afterEach(() => localStorage.clear());

it("knows who is signed in from this browser's storage, and hears of other tabs, without asking anyone", () => {
  vi.stubGlobal("fetch", () => {
    throw new Error("A page to be read asks no provider");
  });
  const session = watchSignedIn(makeTestPlatform().config, window);
  expect(session.getState().user).toBeUndefined();
  const listener = vi.fn();
  const stop = session.subscribe(listener);
  localStorage.setItem("session", STORED);
  window.dispatchEvent(new StorageEvent("storage", { key: "session" }));
  window.dispatchEvent(new StorageEvent("storage", { key: "theme" }));
  expect(listener).toHaveBeenCalledOnce();
  expect(session.getState().user).toBe(session.getState().user);
  expect(session.getState().user).toBeDefined();
  stop();
  window.dispatchEvent(new StorageEvent("storage", { key: "session" }));
  expect(listener).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

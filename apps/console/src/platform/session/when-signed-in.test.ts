// @vitest-environment jsdom
import { afterEach, expect, it, vi } from "vitest";
import { makeTestPlatform } from "../render-with-platform.tsx";
import { whenSignedIn } from "./when-signed-in.ts";

const STORED = JSON.stringify({ at: 1, providerId: "builtin", subject: "ada" });

function storeElsewhere(key: string, value: string): void {
  localStorage.setItem(key, value);
  window.dispatchEvent(new StorageEvent("storage", { key }));
}

afterEach(() => localStorage.clear());

it("calls back at once for who is signed in, without asking anyone", () => {
  vi.stubGlobal("fetch", () => {
    throw new Error("No provider is asked");
  });
  localStorage.setItem("session", STORED);
  const callback = vi.fn();
  whenSignedIn(makeTestPlatform().config, window, callback);
  expect(callback).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});

it("calls back once, when another tab has signed someone in", () => {
  const callback = vi.fn();
  whenSignedIn(makeTestPlatform().config, window, callback);
  storeElsewhere("theme", "dark");
  storeElsewhere("session", JSON.stringify({ at: 1 }));
  expect(callback).not.toHaveBeenCalled();
  storeElsewhere("session", STORED);
  storeElsewhere("session", STORED);
  expect(callback).toHaveBeenCalledOnce();
});

it("leaves it to Firebase's client where that is configured", () => {
  const { config } = makeTestPlatform();
  const callback = vi.fn();
  const firebase = {} as NonNullable<typeof config.identity.firebase>;
  whenSignedIn({ ...config, identity: { ...config.identity, firebase } }, window, callback);
  expect(callback).toHaveBeenCalledOnce();
});

// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTheme } from "./theme.ts";

const root = document.documentElement;

afterEach(() => {
  localStorage.clear();
  delete root.dataset["theme"];
});

async function runBeforePaint(): Promise<void> {
  vi.resetModules();
  const script: string = "../before-start.js";
  await import(script);
}

describe("createTheme", () => {
  it("follows the system until the person chooses, and shows the choice at once", () => {
    const theme = createTheme(window);
    const changed = vi.fn();
    theme.subscribe(changed);
    expect(theme.getChoice()).toBe("system");

    theme.choose("dark");
    expect([theme.getChoice(), root.dataset["theme"]]).toEqual(["dark", "dark"]);
    theme.choose("system");
    expect([theme.getChoice(), root.dataset["theme"]]).toEqual(["system", undefined]);
    expect(changed).toHaveBeenCalledTimes(2);
  });

  it("is there before the first paint of the next visit", async () => {
    createTheme(window).choose("light");
    delete root.dataset["theme"];
    await runBeforePaint();
    expect(createTheme(window).getChoice()).toBe("light");
  });

  it("takes only a theme that exists from the storage", async () => {
    localStorage.setItem("theme", "<script>");
    await runBeforePaint();
    expect(root.dataset["theme"]).toBeUndefined();
  });

  it("tells what is chosen here, and not what was chosen elsewhere and is taken over", () => {
    const theme = createTheme(window);
    const chosen = vi.fn();
    const stop = theme.onChosen(chosen);
    theme.adopt("dark");
    theme.adopt("<script>");
    expect([theme.getChoice(), localStorage.getItem("theme")]).toEqual(["dark", "dark"]);
    theme.choose("light");
    stop();
    theme.choose("system");
    expect(chosen.mock.calls).toEqual([["light"]]);
  });

  it("follows the choice made in another tab", () => {
    const theme = createTheme(window);
    window.dispatchEvent(new StorageEvent("storage", { key: "theme", newValue: "dark" }));
    expect(theme.getChoice()).toBe("dark");
    window.dispatchEvent(new StorageEvent("storage", { key: "theme", newValue: null }));
    expect(theme.getChoice()).toBe("system");
  });
});

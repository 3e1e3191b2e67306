// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { toast } from "sonner";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { renderWithPlatform } from "#platform/render-with-platform.tsx";
import { Toaster } from "./toaster.tsx";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
});

afterEach(() => {
  act(() => {
    toast.dismiss();
    vi.runAllTimers();
  });
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function pass(ms: number): Promise<void> {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
}

async function say(...messages: string[]): Promise<void> {
  renderWithPlatform(<Toaster />, {});
  act(() => {
    for (const message of messages) {
      toast.error(message);
    }
  });
  await pass(50);
}

function findToast(text: string): HTMLElement {
  const found = screen.getByText(text).closest<HTMLElement>("[data-sonner-toast]");
  if (found === null) {
    throw new Error(`${text} is in no toast`);
  }
  return found;
}

describe("Toaster", () => {
  it("shows a toast for 4000 ms", async () => {
    await say("Saved");
    await pass(3_900);
    expect(findToast("Saved").dataset["removed"]).toBe("false");
    await pass(100);
    expect(findToast("Saved").dataset["removed"]).toBe("true");
    await pass(1_000);
    expect(screen.queryByText("Saved")).toBeNull();
  });

  it("shows at most 3 at once", async () => {
    await say("one", "two", "three", "four");
    const visible = ["one", "two", "three", "four"].map(
      (text) => findToast(text).dataset["visible"],
    );
    expect(visible).toEqual(["false", "true", "true", "true"]);
  });

  it("is 356 px wide with a gap of 14 px, at the bottom right", async () => {
    await say("Saved");
    const list = findToast("Saved").closest<HTMLElement>("[data-sonner-toaster]");
    expect(list?.style.getPropertyValue("--width")).toBe("356px");
    expect(list?.style.getPropertyValue("--gap")).toBe("14px");
    expect(list?.dataset).toMatchObject({ xPosition: "right", yPosition: "bottom" });
  });

  it("gives errors the error style, in rich colours", async () => {
    await say("It failed");
    expect(findToast("It failed").dataset).toMatchObject({ type: "error", richColors: "true" });
  });

  it("opens by Alt+T, and not by T alone", async () => {
    await say("one", "two");
    fireEvent.keyDown(document, { code: "KeyT" });
    expect(findToast("one").dataset["expanded"]).toBe("false");
    fireEvent.keyDown(document, { code: "KeyT", altKey: true });
    expect(findToast("one").dataset["expanded"]).toBe("true");
    screen.getByRole("region", { name: "Notifications alt+T" });
  });

  it.each([
    { px: 44, removed: "false" },
    { px: 45, removed: "true" },
  ])("dismisses a toast that is swiped by 45 px: $px px", async ({ px, removed }) => {
    await say("Saved");
    const element = findToast("Saved");
    element.setPointerCapture = () => undefined;
    vi.stubGlobal("getSelection", () => null);
    // A slow hand: the library also dismisses what is flung.
    fireEvent.pointerDown(element, { clientX: 0, clientY: 0, button: 0 });
    await pass(3_000);
    fireEvent.pointerMove(element, { clientX: 3, clientY: 0 });
    fireEvent.pointerMove(element, { clientX: px, clientY: 0 });
    fireEvent.pointerUp(element, { clientX: px, clientY: 0 });
    await pass(1);
    expect(element.dataset["removed"]).toBe(removed);
  });
});

// @vitest-environment jsdom
import { onlineManager } from "@tanstack/react-query";
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { renderWithPlatform } from "#platform/render-with-platform.tsx";
import { toast } from "#platform/toast.ts";
import { ToastArea } from "./toast-area.tsx";

afterEach(cleanup);

it("shows them without a network as well, before what shows them could be loaded", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  act(() => onlineManager.setOnline(false));
  try {
    renderWithPlatform(<ToastArea />, {});
    act(() => toast.error("Not disabled"));
    expect(screen.getByRole("status").textContent).toBe("Not disabled");
  } finally {
    act(() => onlineManager.setOnline(true));
  }
  await vi.waitFor(() => expect(screen.queryByRole("status")).toBeNull());
  await screen.findByText("Not disabled");
});

it("shows toasts that were said before what shows them was loaded, in order", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  toast.error("Not saved");
  renderWithPlatform(<ToastArea />, {});
  act(() => toast.success("Saved"));
  await screen.findByText("Not saved");
  await screen.findByText("Saved");
  act(() => toast.warning("Almost used up"));
  await screen.findByText("Almost used up");
});

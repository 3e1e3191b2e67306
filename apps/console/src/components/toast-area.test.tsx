// @vitest-environment jsdom
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, it, vi } from "vitest";
import { renderWithPlatform } from "#platform/render-with-platform.tsx";
import { toast } from "#platform/toast.ts";
import { ToastArea } from "./toast-area.tsx";

afterEach(cleanup);

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

// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeKey } from "../keys.fixture.ts";
import { ExpiryDialog } from "./expiry-dialog.tsx";

const OPENED = new Date("2026-11-21T12:00:00");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: OPENED });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("refuses an expiry that has passed while the dialog was open, and says why", async () => {
  const onConfirm = vi.fn();
  render(
    <ExpiryDialog isOpen keys={[makeKey(1)]} onClose={() => undefined} onConfirm={onConfirm} />,
  );
  await userEvent.click(screen.getByRole("combobox", { name: "Expires" }));
  await userEvent.click(await screen.findByRole("option", { name: /Custom date/ }));
  const field = await screen.findByLabelText("Expires on");
  fireEvent.change(field, { target: { value: "2026-11-21T12:05" } });
  vi.setSystemTime(OPENED.getTime() + 10 * 60_000);
  const send = screen.getByRole("button", { name: "Set expiry" });
  fireEvent.click(send);
  await screen.findByText("The expiry must be in the future.");
  expect(onConfirm).not.toHaveBeenCalled();
  fireEvent.change(field, { target: { value: "2026-11-21T12:20" } });
  expect(screen.queryByText("The expiry must be in the future.")).toBe(null);
  fireEvent.click(send);
  expect(onConfirm).toHaveBeenCalledOnce();
});

// @vitest-environment jsdom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeKey } from "../keys.fixture.ts";
import { toNewDraft } from "./key-draft.view-model.ts";
import { useKeyForm } from "./use-key-form.ts";

const OPENED = new Date("2026-11-21T12:00:00");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: OPENED });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("refuses an expiry that has passed while the form was open, and says why", () => {
  const onSubmit = vi.fn();
  const initial = {
    ...toNewDraft("live"),
    name: "Worker",
    expiry: "custom" as const,
    customExpiry: "2026-11-21T12:05",
  };
  const { result } = renderHook(() =>
    useKeyForm({ tenantId: makeKey(1).tenantId, initial, error: null, onSubmit }),
  );
  vi.setSystemTime(OPENED.getTime() + 10 * 60_000);
  expect(result.current.messages).toBe(undefined);
  act(() => result.current.submit());
  expect(onSubmit).not.toHaveBeenCalled();
  expect(result.current.messages).toEqual(["Expiry: The expiry must be in the future."]);
  act(() => result.current.setDraft({ ...initial, customExpiry: "2026-11-21T12:20" }));
  expect(result.current.messages).toBe(undefined);
  act(() => result.current.submit());
  expect(onSubmit).toHaveBeenCalledOnce();
});

// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { createQueryClient } from "#platform/query-client.ts";
import { useLatePart } from "./use-late-part.ts";

afterEach(cleanup);

const PART = { Part: () => <p>There</p> };

type Load = () => Promise<typeof PART>;

function Screen({ load, isWanted }: { load: Load; isWanted: boolean }) {
  const late = useLatePart("part", load, isWanted);
  return late === undefined ? <p>Not yet</p> : <late.Part />;
}

function open(load: Load, isWanted: boolean): void {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Screen load={load} isWanted={isWanted} />
    </QueryClientProvider>,
  );
}

it("loads a part once the person does anything, and not before", async () => {
  const load = vi.fn(() => Promise.resolve(PART));
  open(load, false);
  await screen.findByText("Not yet");
  expect(load).not.toHaveBeenCalled();
  await userEvent.keyboard("a");
  await screen.findByText("There");
  await userEvent.keyboard("b");
  expect(load).toHaveBeenCalledOnce();
});

it("loads a part that is wanted at once", async () => {
  open(() => Promise.resolve(PART), true);
  await screen.findByText("There");
});

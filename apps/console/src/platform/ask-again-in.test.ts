// @vitest-environment jsdom
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { askAgainIn } from "./ask-again-in.ts";

it("keeps asking for what was answered, and leaves what never was to the person", async () => {
  vi.useFakeTimers();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const answers = [Promise.reject(new Error("no answer")), Promise.resolve(1)];
  const ask = vi.fn(() => answers.shift() ?? Promise.reject(new Error("later")));
  const observer = new QueryObserver(client, {
    queryKey: ["asked"],
    queryFn: ask,
    refetchInterval: askAgainIn(1000),
  });
  const leave = observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ask).toHaveBeenCalledTimes(1);
  expect(observer.getCurrentResult().status).toBe("error");

  await observer.refetch();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ask.mock.calls.length).toBeGreaterThan(5);
  expect(observer.getCurrentResult()).toMatchObject({ status: "error", data: 1 });
  leave();
  client.clear();
  vi.useRealTimers();
});

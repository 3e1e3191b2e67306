import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createQueryClient } from "./query-client.ts";

describe("createQueryClient", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("tries a failing query 3 times in all, 1500 ms apart", async () => {
    const triedAtMs: number[] = [];
    const start = Date.now();
    const observer = new QueryObserver(createQueryClient(), {
      queryKey: ["failing"],
      queryFn: () => {
        triedAtMs.push(Date.now() - start);
        throw new Error("down");
      },
    });
    const stop = observer.subscribe(() => undefined);

    await vi.advanceTimersByTimeAsync(10_000);
    stop();

    expect(observer.getCurrentResult().error).toMatchObject({ message: "down" });
    expect(triedAtMs).toEqual([0, 1500, 3000]);
  });

  it("answers from memory for 60 seconds and asks again after that", async () => {
    const client = createQueryClient();
    let calls = 0;
    const read = () =>
      client.fetchQuery({
        queryKey: ["fresh"],
        queryFn: () => {
          calls += 1;
          return calls;
        },
      });

    await read();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(await read()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await read()).toBe(2);
  });

  it("does not ask again because the window got the focus", () => {
    expect(createQueryClient().getDefaultOptions().queries?.refetchOnWindowFocus).toBe(false);
  });
});

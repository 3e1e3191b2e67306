import { onlineManager, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestError } from "./error-message.ts";
import { createQueryClient } from "./query-client.ts";
import { VERIFIED_USER_KEY } from "./verified-user.ts";

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

  it("asks again after a change, also when the first answer is still under way", async () => {
    const client = createQueryClient();
    const answers: ((names: string[]) => void)[] = [];
    const observer = new QueryObserver(client, {
      queryKey: ["keys", "ten_1", "newest"],
      queryFn: () =>
        new Promise<string[]>((resolve) => {
          answers.push(resolve);
        }),
    });
    const seen: unknown[] = [];
    const stop = observer.subscribe(({ data, error }) => seen.push(data ?? error));
    expect(answers).toHaveLength(1);

    const changed = client.invalidateQueries({ queryKey: ["keys", "ten_1"] });
    await vi.advanceTimersByTimeAsync(0);
    // From before the change.
    answers[0]?.([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(answers).toHaveLength(2);
    answers[1]?.(["First key"]);
    await changed;
    stop();

    expect(observer.getCurrentResult().data).toEqual(["First key"]);
    // Neither the answer from before nor an error was ever shown.
    expect(seen.filter((shown) => shown !== null && shown !== undefined)).toEqual([["First key"]]);
  });

  it("leaves what nothing was changed of to its first answer", async () => {
    const client = createQueryClient();
    let asked = 0;
    const observer = new QueryObserver(client, {
      queryKey: ["keys", "ten_2", "newest"],
      queryFn: async () => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return asked;
      },
    });
    const stop = observer.subscribe(() => undefined);
    await client.invalidateQueries({ queryKey: ["keys", "ten_1"] });
    await vi.advanceTimersByTimeAsync(100);
    stop();
    expect(observer.getCurrentResult().data).toBe(1);
  });

  it("does not ask again because the window got the focus", () => {
    expect(createQueryClient().getDefaultOptions().queries?.refetchOnWindowFocus).toBe(false);
  });

  it("fails a change at once without a connection, so that it does not happen later", async () => {
    onlineManager.setOnline(false);
    const client = createQueryClient();
    const mutation = client.getMutationCache().build(client, {
      ...client.defaultMutationOptions(),
      mutationFn: () => Promise.reject(new Error("No connection.")),
    });
    await expect(mutation.execute(undefined)).rejects.toThrow("No connection.");
    onlineManager.setOnline(true);
  });

  it("asks again who the person is when a change needs a scope that they have lost", async () => {
    const client = createQueryClient();
    client.setQueryData(VERIFIED_USER_KEY, { user: {}, tenants: [] });
    const fail = async (code: string) => {
      const body = { code, error: "No.", errors: [] };
      const cause = new RequestError("No.", { status: 403, data: { body } });
      const mutation = client.getMutationCache().build(client, {
        mutationFn: () => Promise.reject(cause),
      });
      await mutation.execute(undefined).catch(() => undefined);
      return client.getQueryState(VERIFIED_USER_KEY)?.isInvalidated;
    };
    expect(await fail("CONFLICT")).toBe(false);
    expect(await fail("INSUFFICIENT_SCOPE")).toBe(true);
  });
});

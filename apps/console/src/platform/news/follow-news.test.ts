import type { TenantNews } from "@turnpike/contract/documents";
import { describe, expect, it } from "vitest";
import { RequestError } from "../error-message.ts";
import type { ServerEvent } from "../event-client.ts";
import { followNews, type NewsDeps } from "./follow-news.ts";

const news = (...collections: string[]): TenantNews => ({
  isAnything: false,
  collections,
  notifications: false,
});

/** A browser with tabs: one turn for a name at a time, and a channel between its tabs. */
function makeBrowser() {
  const listeners = new Map<object, (event: MessageEvent<unknown>) => void>();
  const readers: ((answer: TenantNews | "end" | RequestError) => void)[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  let waits = 0;
  let open = 0;

  async function* stream(signal: AbortSignal): AsyncGenerator<ServerEvent> {
    open += 1;
    try {
      while (!signal.aborted) {
        const answer = await new Promise<TenantNews | "end" | RequestError>((resolve) => {
          readers.push(resolve);
          signal.addEventListener("abort", () => resolve("end"));
        });
        if (answer === "end") {
          return;
        }
        if (answer instanceof RequestError) {
          throw answer;
        }
        yield { name: "news", data: answer };
      }
    } finally {
      open -= 1;
    }
  }

  function openTab(heard: TenantNews[]): () => void {
    const tab = {};
    const deps: NewsDeps = {
      open: stream,
      channel: {
        postMessage: (data) => {
          for (const [other, listener] of listeners) {
            if (other !== tab) {
              listener({ data } as MessageEvent<unknown>);
            }
          }
        },
        addEventListener: (_: string, listener: unknown) =>
          listeners.set(tab, listener as (event: MessageEvent<unknown>) => void),
        removeEventListener: () => listeners.delete(tab),
      },
      inTurn: async (_name, signal, task) => {
        const mine = turn.then(() => (signal.aborted ? undefined : task()));
        turn = mine;
        await mine;
      },
      wait: async () => {
        waits += 1;
      },
    };
    return followNews(deps, "news ada north", (one) => heard.push(one));
  }

  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    openTab,
    settle,
    answer: async (answer: TenantNews | "end" | RequestError) => {
      readers.shift()?.(answer);
      await settle();
    },
    counts: () => ({ open, waits }),
  };
}

describe("followNews", () => {
  it("reads over one connection for all tabs, and another tab takes over when the reading one is closed", async () => {
    const browser = makeBrowser();
    const [first, second]: [TenantNews[], TenantNews[]] = [[], []];
    const closeFirst = browser.openTab(first);
    const closeSecond = browser.openTab(second);
    await browser.settle();
    expect(browser.counts().open).toBe(1);
    await browser.answer(news("views"));
    expect([first, second]).toEqual([[news("views")], [news("views")]]);

    closeFirst();
    await browser.settle();
    expect(browser.counts().open).toBe(1);
    await browser.answer("end");
    await browser.answer(news("progress"));
    expect(first).toEqual([news("views")]);
    expect(second).toEqual([news("views"), news("progress")]);
    closeSecond();
    await browser.settle();
    expect(browser.counts().open).toBe(0);
  });

  it("returns after a lost connection, and not after a refusal", async () => {
    const browser = makeBrowser();
    const heard: TenantNews[] = [];
    browser.openTab(heard);
    await browser.settle();
    await browser.answer(new RequestError("No network.", new TypeError("fetch failed")));
    await browser.answer("end");
    await browser.answer(news("views"));
    expect(heard).toEqual([news("views")]);
    expect(browser.counts()).toEqual({ open: 1, waits: 2 });
    await browser.answer(new RequestError("No.", { status: 403, data: { body: {} } }));
    expect(browser.counts()).toEqual({ open: 0, waits: 2 });
  });
});

// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type FakeAnswers, problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { MetersTab } from "./meters-tab.tsx";
import { RejectedTab } from "./rejected-tab.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const TOKENS = {
  meterId: "tokens",
  version: 2,
  name: "Tokens",
  unit: "token",
  aggregation: "sum",
  eventType: "llm.call",
  valuePointer: "/tokens",
  dimensions: [{ name: "model", pointer: "/model" }],
};
const REQUESTS = {
  meterId: "requests",
  version: 1,
  name: "Requests",
  unit: "request",
  aggregation: "count",
};
const lists = (...items: readonly object[]) => ({ items });

const GOOD: FakeAnswers = {
  "GET /plans": () => lists(),
  "GET /meters": () => lists(REQUESTS, TOKENS),
  "GET /meters/activity": () =>
    lists({ meterId: "tokens", events: 12_345, lastEventAt: "2026-11-21T00:00:00.000Z" }),
};

function openMeters(answers: FakeAnswers = {}) {
  const onSearchChange = vi.fn();
  renderWithPlatform(
    <UiProvider>
      <MetersTab search={{ tab: "meters" }} onSearchChange={onSearchChange} />
    </UiProvider>,
    { ...GOOD, ...answers },
  );
  return { onSearchChange };
}

describe("the meters of an operator", () => {
  it("show what they count, their version, and the events of the last day", async () => {
    const { onSearchChange } = openMeters();
    const row = (await screen.findByText("Tokens")).closest("tr") as HTMLElement;
    for (const text of ["Sum of /tokens", "llm.call", "token", "model", "2"]) {
      expect(within(row).getByText(text)).toBeTruthy();
    }
    await within(row).findByText("12.3K");
    const calls = screen.getByText("Requests").closest("tr") as HTMLElement;
    expect(within(calls).getByText("of calls")).toBeTruthy();
    await userEvent.click(row);
    expect(onSearchChange).toHaveBeenCalledWith({ tab: "meters", meter: "tokens" });
  });

  it("show a skeleton while they load", async () => {
    openMeters({ "GET /meters": () => "never" });
    expect((await screen.findByRole("table")).parentElement?.parentElement?.ariaBusy).toBe("true");
  });

  it("are listed even when their received events fail to load", async () => {
    openMeters({ "GET /meters/activity": () => problem(503, "OVERLOADED", "Too much at once.") });
    await screen.findByText("Recent activity could not be loaded.");
    const row = (await screen.findByText("Tokens")).closest("tr") as HTMLElement;
    expect(within(row).getByText("–")).toBeTruthy();
  });

  it("say what failed, and reload on request", async () => {
    let isDown = true;
    openMeters({
      "GET /meters": () =>
        isDown
          ? problem(503, "DATABASE_UNAVAILABLE", "The database cannot be reached.")
          : lists(TOKENS),
    });
    await screen.findByText("The meters could not be loaded.");
    isDown = false;
    await userEvent.click(screen.getByRole("button", { name: /again/i }));
    await screen.findByText("Tokens");
  });

  it("explain themselves when there are none", async () => {
    openMeters({ "GET /meters": () => lists() });
    await screen.findByText("No meters yet");
  });

  it("are published once even for a double click, and keep the typed text when refused", async () => {
    let sent = 0;
    openMeters({
      "POST /meters": () => {
        sent += 1;
        return problem(409, "ALREADY_EXISTS", "There is a meter tokens already.");
      },
    });
    await userEvent.click(screen.getByRole("button", { name: "Create meter" }));
    const dialog = await screen.findByRole("dialog", { name: "Create a meter" });
    const [name] = within(dialog).getAllByLabelText("Name");
    fireEvent.change(name as HTMLElement, { target: { value: "Tokens" } });
    const publish = within(dialog).getByRole("button", { name: "Publish meter" });
    fireEvent.click(publish);
    fireEvent.click(publish);
    await within(dialog).findByText("There is a meter tokens already.");
    expect(sent).toBe(1);
    expect((name as HTMLInputElement).value).toBe("Tokens");
  });
});

describe("the rehearsal of a meter", () => {
  it("shows what a sample event would count while there are no events, and explains invalid ones", async () => {
    const asked: unknown[] = [];
    const answer = (tried: number) => ({
      tried,
      since: null,
      counted: tried,
      value: tried === 0 ? null : "42",
      uncounted: 0,
      reason: null,
      dimensions: [],
    });
    openMeters({
      "POST /meters/preview": async (request) => {
        const body: { events?: unknown[] } = await request.json();
        asked.push(body.events);
        return answer(body.events?.length ?? 0);
      },
    });
    await userEvent.click(screen.getByRole("button", { name: "Create meter" }));
    const dialog = await screen.findByRole("dialog", { name: "Create a meter" });
    fireEvent.change(within(dialog).getByLabelText("Event type"), {
      target: { value: "llm.call" },
    });
    await userEvent.click(within(dialog).getByRole("button", { name: "Try on recent events" }));
    await userEvent.click(
      await within(dialog).findByRole("button", { name: "Try a sample event instead" }),
    );
    const sample = within(dialog).getByLabelText<HTMLTextAreaElement>("Event as JSON");
    expect(JSON.parse(sample.value)).toMatchObject({ type: "llm.call" });
    await userEvent.click(within(dialog).getByRole("button", { name: "Try on this event" }));
    await within(dialog).findByText("42");
    expect(asked).toEqual([undefined, [JSON.parse(sample.value)]]);
    fireEvent.change(sample, { target: { value: "{tokens}" } });
    await within(dialog).findByText("The meter has changed since: try it again.");
    await userEvent.click(within(dialog).getByRole("button", { name: "Try on this event" }));
    await within(dialog).findByText(/This is not JSON/);
    expect(asked).toHaveLength(2);
  });
});

describe("rejected events", () => {
  const open = (answers: FakeAnswers) =>
    renderWithPlatform(
      <UiProvider>
        <RejectedTab search={{ tab: "rejected" }} onSearchChange={() => undefined} />
      </UiProvider>,
      answers,
    );
  const event = {
    tenantId: null,
    rejectedAt: "2026-11-21T00:00:00.000Z",
    code: "UNKNOWN_SUBJECT",
    reason: "There is no tenant with this id or external id.",
    source: "/proxy",
    id: "e-1",
    type: "llm.call",
    subject: "unknown-tenant",
    sentBy: "service_key svc_1",
    tenantName: "Acme",
    senderName: "Model proxy",
  };

  it("show the reason, the event, the tenant and the sender", async () => {
    open({ "GET /rejected-events": () => ({ items: [event], nextCursor: null }) });
    const row = (await screen.findByText("UNKNOWN_SUBJECT")).closest("tr") as HTMLElement;
    for (const text of ["Unknown tenant", "Acme", "Model proxy"]) {
      expect(within(row).getByText(text)).toBeTruthy();
    }
    for (const text of [
      event.reason,
      "llm.call",
      "/proxy e-1",
      "unknown-tenant",
      "Service key",
      "svc_1",
    ]) {
      expect(within(row).getByText(text)).toBeTruthy();
    }
  });

  it("are filtered by reason and type in the address, starting at the first page", async () => {
    const onSearchChange = vi.fn();
    const asked: URLSearchParams[] = [];
    renderWithPlatform(
      <UiProvider>
        <RejectedTab
          search={{ tab: "rejected", reason: "TOO_OLD", cursor: "9" }}
          onSearchChange={onSearchChange}
        />
      </UiProvider>,
      {
        "GET /rejected-events": (request) => {
          asked.push(new URL(request.url).searchParams);
          return { items: [], nextCursor: null };
        },
      },
    );
    await screen.findByText("No matching rejected events");
    expect(asked[0]?.get("code")).toBe("TOO_OLD");
    await userEvent.type(screen.getByLabelText("Search event types"), "llm");
    await waitFor(() =>
      expect(onSearchChange).toHaveBeenCalledWith({
        tab: "rejected",
        reason: "TOO_OLD",
        type: "llm",
      }),
    );
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(onSearchChange).toHaveBeenLastCalledWith({ tab: "rejected" });
  });

  it("say when there are none, and what failed", async () => {
    open({ "GET /rejected-events": () => ({ items: [], nextCursor: null }) });
    await screen.findByText("No rejected events");
    cleanup();
    open({ "GET /rejected-events": () => problem(500, "INTERNAL_ERROR", "Something went wrong.") });
    await screen.findByText("The rejected events could not be loaded.");
  });
});

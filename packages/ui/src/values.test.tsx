// @vitest-environment jsdom

import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { eventually } from "@turnpike/testkit/eventually";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CompactNumber } from "./compact-number.tsx";
import { EmptyState } from "./empty-state.tsx";
import { ErrorState } from "./error-state.tsx";
import { IconButton } from "./icon-button.tsx";
import { KpiCard } from "./kpi-card.tsx";
import { ProgressBar } from "./progress-bar.tsx";
import { RelativeTime, toRelativeTime } from "./relative-time.tsx";
import { SecretOnce } from "./secret-once.tsx";
import { StatusDot } from "./status-dot.tsx";
import { UiProvider } from "./ui-provider.tsx";

afterEach(cleanup);

const NOW = Date.UTC(2026, 10, 21, 12);

describe("toRelativeTime", () => {
  it.each([
    [-10, "just now", "seconds that tick distract"],
    [30, "just now", "clocks differ"],
    [-50, "1 minute ago", "nearly a minute is one"],
    [-3_599, "59 minutes ago", "never 60 minutes"],
    [-3_600, "1 hour ago", "from exactly an hour on"],
    [-26 * 3_600, "yesterday", "a day and a bit"],
    [3 * 86_400, "in 3 days", "what expires lies ahead"],
    [-400 * 86_400, "last year", "long ago"],
  ])("says of %i seconds: %s (%s)", (seconds, text) => {
    expect(toRelativeTime(NOW + seconds * 1000, NOW)).toBe(text);
  });
});

describe("RelativeTime", () => {
  it("shows the exact time here and in UTC on focus, and carries it for machines", async () => {
    render(
      <UiProvider>
        <RelativeTime at="2026-11-21T12:00:00.000Z" />
      </UiProvider>,
    );
    await userEvent.tab();
    const tooltip = await screen.findByRole("tooltip");
    expect(tooltip.textContent).toContain("Nov 21, 2026, 12:00:00 PM UTC");
    const time = document.activeElement;
    expect(time?.getAttribute("datetime")).toBe("2026-11-21T12:00:00.000Z");
    expect(time?.getAttribute("aria-describedby")).toBe(tooltip.id);
    await userEvent.keyboard("{Escape}");
    expect(screen.queryByRole("tooltip")).toBe(null);
  });
});

describe("RelativeTime of what is known by the minute", () => {
  afterEach(() => vi.useRealTimers());

  it.each([
    ["12:00:59", "just now", "the minute has not ended"],
    ["12:01:30", "just now", "it may have been half a minute ago"],
    ["12:03:10", "2 minutes ago", "the newest that it can be"],
  ])("at %s a call of 12:00 was %s: %s", (clock, text) => {
    vi.useFakeTimers({ now: new Date(`2026-11-21T${clock}Z`) });
    render(
      <UiProvider>
        <RelativeTime at="2026-11-21T12:00:00.000Z" withinMs={60_000} />
      </UiProvider>,
    );
    screen.getByText(text);
  });
});

describe("RelativeTime of what is to come", () => {
  afterEach(() => vi.useRealTimers());

  it.each([
    ["11:55:00", "in 5 minutes", "it lies ahead"],
    ["11:59:45", "now", "it is near"],
    ["12:03:00", "now", "it is late"],
  ])("at %s what is due at 12:00 is due %s: %s", (clock, text) => {
    vi.useFakeTimers({ now: new Date(`2026-11-21T${clock}Z`) });
    render(
      <UiProvider>
        <RelativeTime at="2026-11-21T12:00:00.000Z" isToCome />
      </UiProvider>,
    );
    screen.getByText(text);
  });
});

describe("CompactNumber", () => {
  it("writes small counts in full", () => {
    const { container } = render(<CompactNumber value={9_999} />);
    expect(container.textContent).toBe("9,999");
  });

  it("shortens great ones, reads out the exact one and shows it on focus", async () => {
    const { container } = render(
      <UiProvider>
        <CompactNumber value={1_234_567} unit="requests" />
      </UiProvider>,
    );
    expect(container.querySelector("[aria-hidden]")?.textContent).toBe("1.2M");
    expect(container.querySelector(".sr-only")?.textContent).toBe("1,234,567 requests");
    await userEvent.tab();
    expect((await screen.findByRole("tooltip")).textContent).toBe("1,234,567 requests");
  });
});

describe("IconButton", () => {
  it("has its label as name, not read out twice, and shows it on focus", async () => {
    render(
      <UiProvider>
        <IconButton label="Delete view" icon={<svg aria-hidden="true" />} />
      </UiProvider>,
    );
    const button = screen.getByRole("button", { name: "Delete view" });
    await userEvent.tab();
    await screen.findByRole("tooltip");
    expect(button.hasAttribute("aria-describedby")).toBe(false);
  });
});

describe("KpiCard", () => {
  it("links by its label, and says how it moved and against what", () => {
    render(
      <KpiCard
        label="Requests"
        value="1,200"
        delta={{ text: "+12.5%", against: "vs. the 30 days before", meaning: "good" }}
        link={<a href="/analytics" />}
      />,
    );
    expect(screen.getByRole("link", { name: "Requests" }).getAttribute("href")).toBe("/analytics");
    screen.getByText("+12.5%");
    screen.getByText("vs. the 30 days before");
  });

  it("says what its number means, to the keyboard too, and beside its link", async () => {
    render(
      <UiProvider>
        <KpiCard
          label="Success rate"
          value="99.6%"
          context="without a 5xx"
          explanation="4xx count as success."
          link={<a href="/analytics" />}
        />
      </UiProvider>,
    );
    screen.getByText("without a 5xx");
    await userEvent.tab();
    await userEvent.tab();
    const asked = screen.getByRole("button", { name: "What Success rate means" });
    expect(document.activeElement).toBe(asked);
    await userEvent.keyboard("{Enter}");
    const layer = await screen.findByRole("dialog", { name: "Success rate" });
    expect(layer.textContent).toContain("4xx count as success.");
    await userEvent.keyboard("{Escape}");
    await eventually(() => expect(document.activeElement).toBe(asked));
  });

  it("tells loading from nothing to measure", () => {
    const { rerender } = render(<KpiCard label="p95" value={undefined} />);
    expect(screen.getByRole("region", { name: "p95" }).getAttribute("aria-busy")).toBe("true");
    rerender(<KpiCard label="p95" value={null} />);
    expect(screen.getByRole("region", { name: "p95" }).textContent).toContain("–");
  });
});

describe("states", () => {
  it("a failure is read out with its reason and can be tried again", async () => {
    const retry = vi.fn();
    render(
      <ErrorState
        title="The keys could not be loaded."
        reason="The database is away."
        requestId="req_1"
        onRetry={retry}
      />,
    );
    expect(screen.getByRole("alert").textContent).toContain("The database is away.");
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(retry).toHaveBeenCalledOnce();
  });

  it("an empty place offers its one action and a snippet to copy", () => {
    render(
      <EmptyState
        icon={<svg />}
        title="No keys yet"
        action={<button type="button">Create key</button>}
        snippet={{ subject: "command", code: "npm run turnpike -- keys create" }}
      >
        Keys let programs call the API.
      </EmptyState>,
    );
    screen.getByRole("button", { name: "Create key" });
    screen.getByRole("button", { name: "Copy command" });
  });

  it("progress says how far in words, and is open-ended while unknown", () => {
    const { rerender } = render(
      <ProgressBar label="Importing keys" progress={{ done: 5, total: 20 }} text="5 of 20" />,
    );
    const bar = screen.getByRole("progressbar", { name: "Importing keys" });
    expect(bar.getAttribute("aria-valuenow")).toBe("25");
    rerender(<ProgressBar label="Importing keys" progress={undefined} text="Counting" />);
    expect(screen.getByRole("progressbar").hasAttribute("aria-valuenow")).toBe(false);
    expect(screen.getByRole("progressbar").getAttribute("aria-valuetext")).toBe("Counting");
  });

  it("a dot always has its word", () => {
    render(<StatusDot tone="ok" label="Active" isLabelShown={false} />);
    expect(screen.getByText("Active").className).toContain("sr-only");
  });
});

describe("SecretOnce", () => {
  it("takes the focus, copies with a confirmation, and goes when it is stored", async () => {
    const user = userEvent.setup();
    const stored = vi.fn();
    render(
      <SecretOnce subject="API key" secret="tp_live_abc" advice="Keep it." onStored={stored} />,
    );
    expect(document.activeElement).toBe(
      screen.getByRole("region", { name: "API key, shown once" }),
    );
    await user.click(screen.getByRole("button", { name: "Copy API key" }));
    expect(await navigator.clipboard.readText()).toBe("tp_live_abc");
    expect((await screen.findByRole("status")).textContent).toBe("Copied");
    await user.click(screen.getByRole("button", { name: "I have stored it" }));
    expect(stored).toHaveBeenCalledOnce();
  });
});

// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type FakeAnswers, problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { DraftPage } from "./draft-page.tsx";
import {
  CATALOGUE,
  listDraft,
  makePlan,
  makePreview,
  makeStored,
  makeVersion,
} from "./editor.fixture.ts";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

type PutBody = { terms: Record<string, unknown>; expectedRevision?: string };

function openDraft(answers: FakeAnswers = {}, planId = "pro") {
  Element.prototype.scrollIntoView = () => undefined;
  const onLeave = vi.fn();
  const onPublished = vi.fn();
  renderWithPlatform(
    <UiProvider>
      <DraftPage planId={planId} onLeave={onLeave} onPublished={onPublished} />
    </UiProvider>,
    { ...CATALOGUE, ...answers },
  );
  return { onLeave, onPublished };
}

const openCard = async (name: RegExp) =>
  await userEvent.click(await screen.findByRole("button", { name }));
const type = (label: string | RegExp, value: string, at = 0) => {
  const field = screen.getAllByLabelText(label)[at] as HTMLInputElement;
  fireEvent.change(field, { target: { value } });
  return field;
};

describe("a draft", () => {
  it("starts from what is published, and says what it changes and costs while one types", async () => {
    openDraft();
    const price = await screen.findByRole("region", { name: "Price" });
    within(price).getByText("$67.00");
    within(price).getByText("Without usage it costs $49.00.");
    await openCard(/^base ?Flat/);
    type("Amount", "59");
    within(price).getByText("$77.00");
    within(screen.getByRole("list", { name: "Changes since version 3" })).getByText(
      "base: amount 49 → 59",
    );
  });

  it("shows a mistake beside its field and in the list that leads there, and cannot be published", async () => {
    openDraft();
    await openCard(/^Requests ?Graduated/);
    await userEvent.click(screen.getByRole("button", { name: "Add tier" }));
    const bound = type("Up to, inclusive", "500", 1);
    const message = "Give each tier a higher bound than the one before it.";
    expect(await screen.findAllByText(new RegExp(message))).toHaveLength(2);
    expect(bound.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Publish…" }).disabled).toBe(true);
    screen.getByText("It is priced once there is nothing to fix.");
    // The card is closed, and opens for its mistake.
    await openCard(/^Requests ?Graduated/);
    await userEvent.click(
      screen.getByRole("button", { name: "Phase 1, card requests, tier 2, upper bound" }),
    );
    await waitFor(() =>
      expect(document.activeElement?.getAttribute("name")).toBe(
        "/phases/0/rateCards/1/price/tiers/1/upTo",
      ),
    );
    type("Up to, inclusive", "5000", 1);
    await waitFor(() => expect(screen.queryByText(new RegExp(message))).toBeNull());
  });

  it("is saved over the revision it is based on, by the keyboard as well", async () => {
    const sent: PutBody[] = [];
    openDraft({
      "PUT /plans/pro/draft": async (request) => {
        const body: PutBody = await request.json();
        sent.push(body);
        return makeStored({ revision: String(7 + sent.length) }, body.terms);
      },
    });
    const name = await screen.findByLabelText("Name");
    fireEvent.change(name, { target: { value: "Team" } });
    await userEvent.click(screen.getByRole("button", { name: "Save draft" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ expectedRevision: "0", terms: { name: "Team" } });
    expect(sent[0]?.terms).not.toHaveProperty("quotas");
    await waitFor(() => expect(screen.queryByText("Not saved yet")).toBeNull());
    fireEvent.change(name, { target: { value: "Teams" } });
    await screen.findByText("Not saved yet");
    fireEvent.keyDown(name, { key: "s", ctrlKey: true });
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]).toMatchObject({ expectedRevision: "8", terms: { name: "Teams" } });
  });

  it("shows at their fields what the API refuses, and keeps what is typed", async () => {
    openDraft({
      "PUT /plans/pro/draft": () =>
        new Response(
          JSON.stringify({
            status: 400,
            code: "INVALID_REQUEST",
            error: "The request is invalid.",
            errors: [{ pointer: "/terms/name", message: "Must not be empty." }],
          }),
          { status: 400, headers: { "content-type": "application/problem+json" } },
        ),
    });
    const name = await screen.findByLabelText("Name");
    fireEvent.change(name, { target: { value: " " } });
    await userEvent.click(screen.getByRole("button", { name: "Save draft" }));
    await screen.findByText("The draft was not saved.");
    expect(name.getAttribute("aria-invalid")).toBe("true");
    expect((name as HTMLInputElement).value).toBe(" ");
    fireEvent.change(name, { target: { value: "Pro" } });
    await waitFor(() => expect(name.getAttribute("aria-invalid")).toBeNull());
  });
});

describe("a draft that someone else changed meanwhile", () => {
  const open = () => {
    let revision = "7";
    const sent: PutBody[] = [];
    openDraft({
      "GET /plan-drafts": () => listDraft("pro", "Pro"),
      "GET /plans/pro/draft": () =>
        makeStored({ revision }, revision === "7" ? {} : { name: "Theirs" }),
      "PUT /plans/pro/draft": async (request) => {
        const body: PutBody = await request.json();
        sent.push(body);
        if (body.expectedRevision !== revision) {
          return problem(409, "CONFLICT", "Someone else changed the draft.");
        }
        return makeStored({ revision: "10" }, body.terms);
      },
    });
    return {
      sent,
      changeMeanwhile: () => {
        revision = "9";
      },
    };
  };

  it("keeps both, and overwrites theirs when asked to", async () => {
    const { sent, changeMeanwhile } = open();
    fireEvent.change(await screen.findByLabelText("Name"), { target: { value: "Mine" } });
    changeMeanwhile();
    await userEvent.click(screen.getByRole("button", { name: "Save draft" }));
    const notice = await screen.findByRole("alert", { name: "Two drafts" });
    await within(notice).findByText('name "Theirs" → "Mine"');
    await userEvent.click(within(notice).getByRole("button", { name: "Keep mine" }));
    await waitFor(() => expect(sent.at(-1)).toMatchObject({ expectedRevision: "9" }));
    await waitFor(() => expect(screen.queryByRole("alert", { name: "Two drafts" })).toBeNull());
    expect(sent.at(-1)).toMatchObject({ terms: { name: "Mine" } });
  });

  it("takes theirs when asked to", async () => {
    const { changeMeanwhile } = open();
    const name = await screen.findByLabelText<HTMLInputElement>("Name");
    fireEvent.change(name, { target: { value: "Mine" } });
    changeMeanwhile();
    await userEvent.click(screen.getByRole("button", { name: "Save draft" }));
    await userEvent.click(await screen.findByRole("button", { name: "Take theirs" }));
    await waitFor(() => expect(name.value).toBe("Theirs"));
    expect(screen.queryByText("Not saved yet")).toBeNull();
  });
});

describe("publishing", () => {
  it("saves first, shows what changes and whom, and publishes the saved revision", async () => {
    const published: unknown[] = [];
    let saves = 0;
    const { onPublished } = openDraft({
      "PUT /plans/pro/draft": async (request) => {
        const body: PutBody = await request.json();
        saves += 1;
        return makeStored({ revision: "8" }, body.terms);
      },
      "GET /plans/pro/changes": (request) => {
        const { searchParams } = new URL(request.url);
        expect([searchParams.get("from"), searchParams.get("to")]).toEqual(["3", "draft"]);
        return {
          items: [
            {
              path: "/phases/0/rateCards/base/price/amount",
              kind: "changed",
              before: "49",
              after: "59",
              text: "base: amount 49 → 59",
            },
          ],
        };
      },
      "GET /plans/pro/migration-preview": (request) => {
        expect(new URL(request.url).searchParams.get("to")).toBe("draft");
        return makePreview();
      },
      "POST /plans/pro/draft/publish": async (request) => {
        published.push(await request.json());
        return makeVersion(4);
      },
    });
    await openCard(/^base ?Flat/);
    type("Amount", "59");
    await userEvent.click(screen.getByRole("button", { name: "Publish…" }));
    const dialog = await screen.findByRole("dialog", { name: "Publish version 4 of Pro" });
    await within(dialog).findByText("base: amount 49 → 59");
    await within(dialog).findByText(
      "1 would pay more: +$10.00 together, $59.00 instead of $49.00.",
    );
    const subscribers = within(
      within(dialog).getByRole("table", { name: "What each subscriber would pay" }),
    );
    subscribers.getByText("Acme");
    subscribers.getByText("+$10.00");
    await userEvent.click(within(dialog).getByRole("button", { name: "Publish version 4" }));
    await waitFor(() => expect(onPublished).toHaveBeenCalled());
    expect(published).toEqual([{ expectedRevision: "8" }]);
    // The form of the dialog is not that of the draft.
    expect(saves).toBe(1);
  });

  it("of a new plan offers it, from a form with one fee to fill in", async () => {
    openDraft({ "GET /plans": () => ({ items: [] }) }, "team");
    await screen.findByRole("button", { name: "Phase 1, card base, amount" });
    screen.getByText("Customers see it once it is published.");
    expect(screen.getByLabelText<HTMLInputElement>("Currency").value).toBe("USD");
    // The fee is what an operator sets first.
    expect(screen.getByRole("button", { name: /^base ?Flat/, expanded: true })).toBeTruthy();
    screen.getByLabelText("Amount");
  });

  it("is not lost when it fails", async () => {
    openDraft({
      "GET /plans": () => ({ items: [makePlan()] }),
      "GET /plan-drafts": () => listDraft("pro", "Pro"),
      "GET /plans/pro/draft": () => makeStored(),
      "GET /plans/pro/changes": () => ({ items: [] }),
      "GET /plans/pro/migration-preview": () => new Response("{"),
      "POST /plans/pro/draft/publish": () => problem(409, "CONFLICT", "The draft has changed."),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Publish…" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Publish version 4" }));
    await within(dialog).findByText("What it means for subscribers could not be computed.");
    await within(dialog).findByText("The draft has changed.");
    within(dialog).getByText("The draft was not published.");
  });
});

describe("discarding", () => {
  it("asks, deletes the revision that is shown, and leaves", async () => {
    const asked: (string | null)[] = [];
    let saves = 0;
    const { onLeave } = openDraft({
      "GET /plan-drafts": () => listDraft("pro", "Pro"),
      "GET /plans/pro/draft": () => makeStored(),
      "PUT /plans/pro/draft": () => {
        saves += 1;
        return makeStored();
      },
      "DELETE /plans/pro/draft": (request) => {
        asked.push(new URL(request.url).searchParams.get("expectedRevision"));
        return new Response(null, { status: 204 });
      },
    });
    fireEvent.change(await screen.findByLabelText("Name"), { target: { value: "Other" } });
    await userEvent.click(screen.getByRole("button", { name: "Discard…" }));
    await userEvent.click(await screen.findByRole("button", { name: "Discard draft" }));
    await waitFor(() => expect(onLeave).toHaveBeenCalled());
    expect(asked).toEqual(["7"]);
    expect(saves).toBe(0);
  });
});

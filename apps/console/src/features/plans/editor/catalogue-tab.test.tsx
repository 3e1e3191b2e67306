// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type FakeAnswers, problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { CatalogueTab } from "./catalogue-tab.tsx";
import { CATALOGUE, listDraft, makePlan, makePreview, makeVersion } from "./editor.fixture.ts";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function openCatalogue(answers: FakeAnswers = {}, plan?: string) {
  const onPlaceChange = vi.fn();
  renderWithPlatform(
    <UiProvider>
      <CatalogueTab place={{ plan, isDraft: false }} onPlaceChange={onPlaceChange} />
    </UiProvider>,
    { ...CATALOGUE, ...answers },
  );
  return { onPlaceChange };
}

async function openMenu(name: string) {
  await userEvent.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
}

describe("the catalogue of an operator", () => {
  it("lists plans with their state, version, fees and subscribers, and new drafts", async () => {
    const { onPlaceChange } = openCatalogue({
      "GET /plans": () => ({
        items: [
          makePlan(),
          makePlan({ planId: "old", name: "Old", archivedAt: "2026-11-01T00:00:00.000Z" }),
        ],
      }),
      "GET /plan-drafts": () => listDraft("team", "Team"),
    });
    const pro = (await screen.findByText("Pro")).closest("tr") as HTMLElement;
    for (const text of ["Published", "3", "$49 a month"]) {
      within(pro).getByText(text);
    }
    await within(pro).findByText("0");
    const team = screen.getByText("Team").closest("tr") as HTMLElement;
    within(team).getByText("Draft");
    within(screen.getByText("Old").closest("tr") as HTMLElement).getByText("Archived");
    await userEvent.click(pro);
    expect(onPlaceChange).toHaveBeenLastCalledWith({ plan: "pro", isDraft: false });
    await userEvent.click(team);
    expect(onPlaceChange).toHaveBeenLastCalledWith({ plan: "team", isDraft: true });
  });

  it("tries all drafts of published plans on every subscriber", async () => {
    const row = {
      ...{ kind: "subscriber", planId: "pro", planName: "Pro", planVersion: 3, currency: "USD" },
      ...{ tenantId: "ten_1", tenantName: "Acme", from: null, to: null, isWhole: true },
      ...{ before: "49.00", after: "59.00", difference: "10.00", fault: null },
    };
    openCatalogue({
      "GET /plan-drafts": () => ({
        items: listDraft("pro", "Pro").items.map((draft) => ({ ...draft, isNew: false })),
      }),
      "GET /catalog/drafts/preview": () =>
        new Response(
          [row, { kind: "end", plans: 1 }].map((line) => `${JSON.stringify(line)}\n`).join(""),
        ),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Try all drafts" }));
    const dialog = await screen.findByRole("dialog", { name: "What all drafts would change" });
    await within(dialog).findByText(
      "1 would pay more: +$10.00 together, $59.00 instead of $49.00.",
    );
    within(dialog).getByText("Acme");
  });

  it("says what failed and loads again", async () => {
    let isDown = true;
    openCatalogue({
      "GET /plan-drafts": () =>
        isDown ? problem(503, "OVERLOADED", "Too much at once.") : { items: [] },
    });
    await screen.findByText("The catalogue could not be loaded.");
    isDown = false;
    await userEvent.click(screen.getByRole("button", { name: /again/i }));
    await screen.findByText("Pro");
  });

  it("archives a plan after a question, and never the default one", async () => {
    let archived = 0;
    openCatalogue({
      "GET /plans": () => ({
        items: [makePlan(), makePlan({ planId: "free", name: "Free", isDefault: true })],
      }),
      "POST /plans/pro/archive": () => {
        archived += 1;
        return makePlan({ archivedAt: "2026-11-26T00:00:00.000Z" });
      },
    });
    await openMenu("Free");
    const item = await screen.findByRole("menuitem", { name: /Archive/ });
    expect(item.getAttribute("aria-disabled")).toBe("true");
    await userEvent.keyboard("{Escape}");
    await openMenu("Pro");
    await userEvent.click(await screen.findByRole("menuitem", { name: /Archive/ }));
    await userEvent.click(await screen.findByRole("button", { name: "Archive plan" }));
    await waitFor(() => expect(archived).toBe(1));
  });

  it("asks for the id of a new plan, and refuses one that is taken or none", async () => {
    const { onPlaceChange } = openCatalogue();
    await screen.findByText("Pro");
    await userEvent.click(screen.getByRole("button", { name: "New plan" }));
    const dialog = await screen.findByRole("dialog", { name: "New plan" });
    const id = within(dialog).getByLabelText("Id");
    for (const [typed, message] of [
      ["pro", "There is a plan pro already."],
      ["Pro!", "Use lower-case letters, digits and dashes, starting with a letter."],
    ] as const) {
      await userEvent.clear(id);
      await userEvent.type(id, `${typed}{Enter}`);
      await within(dialog).findByText(message);
    }
    await userEvent.clear(id);
    // A name becomes an id while it is typed.
    await userEvent.type(id, "Team One{Enter}");
    expect(onPlaceChange).toHaveBeenCalledWith({ plan: "team-one", isDraft: true });
  });
});

describe("the versions of a plan", () => {
  it("move subscribers of earlier ones to the newest, after a preview, and can be stopped", async () => {
    const sent: unknown[] = [];
    let state = "running";
    const migration = () => ({
      migrationId: "mig_0199f3b0c1d27a4e8f60112233445566",
      planId: "pro",
      fromVersion: null,
      toVersion: 3,
      when: "period_end",
      state,
      moved: 4,
      unchanged: 1,
      failed: 0,
      failures: [],
      createdAt: "2026-11-26T00:00:00.000Z",
      createdBy: "user usr_1",
      finishedAt: null,
    });
    openCatalogue(
      {
        "GET /plans/pro/versions": () => ({ items: [makeVersion(3)], nextCursor: null }),
        "GET /plans/pro/subscribers": () => ({ items: [{ version: 2, subscribers: 5 }] }),
        "GET /plans/pro/migrations": () => ({ items: sent.length === 0 ? [] : [migration()] }),
        "GET /plans/pro/migration-preview": makePreview,
        "POST /plans/pro/migrations": async (request) => {
          sent.push(await request.json());
          return migration();
        },
        "POST /plan-migrations/mig_0199f3b0c1d27a4e8f60112233445566/cancel": () => {
          state = "cancelled";
          return migration();
        },
      },
      "pro",
    );
    await userEvent.click(
      await screen.findByRole("button", { name: "Move subscribers to version 3…" }),
    );
    const dialog = await screen.findByRole("dialog", { name: /^Move subscribers of Pro/ });
    await within(dialog).findByText(/^1 would pay more/);
    await userEvent.click(within(dialog).getByRole("button", { name: "Move subscribers" }));
    await screen.findByText(/4 moved, 1 left as they are/);
    expect(sent).toEqual([{ toVersion: 3, when: "period_end" }]);
    await userEvent.click(screen.getByRole("button", { name: "Stop" }));
    await screen.findByText("Stopped");
  });

  it("are shown newest first, with what each changed and how many are on it", async () => {
    openCatalogue(
      {
        "GET /plans/pro/versions": () => ({
          items: [makeVersion(3), makeVersion(2)],
          nextCursor: null,
        }),
        "GET /plans/pro/subscribers": () => ({
          items: [
            { version: 3, subscribers: 1_204 },
            { version: 2, subscribers: 1 },
          ],
        }),
        "GET /plans/pro/changes": () => ({
          items: [
            { path: "/name", kind: "changed", before: "a", after: "b", text: 'name "a" → "b"' },
          ],
        }),
      },
      "pro",
    );
    const sheet = await screen.findByRole("dialog", { name: "Pro" });
    await within(sheet).findByText('name "a" → "b"');
    expect(
      within(sheet)
        .getAllByText(/^Version \d/)
        .map((node) => node.textContent),
    ).toEqual(["Version 3$49 a month", "Version 2$49 a month"]);
    within(sheet).getByText("1,204 subscribers");
    within(sheet).getByText("1 subscriber");
  });
});

// @vitest-environment jsdom
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import {
  KEPT_AT,
  makeQuestionReply,
  QUESTION_CHOICES,
} from "#components/questions/questions.fixture.ts";
import { TenantGate } from "#components/tenant-gate.tsx";
import { type FakeAnswers, problem } from "#platform/render-with-platform.tsx";
import { AskPanel } from "./ask-panel.tsx";
import { parseAskSearch } from "./ask-search.view-model.ts";

const AT = `/tenants/${TENANT_ID}`;

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function openPanel(
  answers: FakeAnswers,
  { address = "/ai-intelligence", isOperator = false } = {},
) {
  return openScreen({
    address,
    parseSearch: parseAskSearch,
    screen: (search, onSearchChange) => (
      <TenantGate>
        {(tenant) => (
          <AskPanel
            tenant={tenant}
            search={search}
            onSearchChange={onSearchChange}
            dialogs={{
              renderKey: () => null,
              renderAlert: ({ proposal }) => <p>Alert: {JSON.stringify(proposal)}</p>,
            }}
          />
        )}
      </TenantGate>
    ),
    answers: {
      [`GET ${AT}/questions/choices`]: () => QUESTION_CHOICES,
      [`GET ${AT}/questions/model`]: () => ({ model: null }),
      [`GET ${AT}/${KEPT_AT}`]: () => ({ items: [], nextCursor: null }),
      [`PUT ${AT}/${KEPT_AT}/recent`]: (request) => echo(request),
      ...answers,
    },
    isOperator,
  });
}

async function echo(request: Request) {
  const { body } = (await request.json()) as { body: object };
  return {
    documentId: "recent",
    body,
    revision: "1",
    updatedAt: "2026-07-15T12:00:00.000Z",
    updatedBy: "user usr_1",
  };
}

describe("Ask", () => {
  it("asks a suggestion, then a question that goes on from it, and keeps both", async () => {
    const sent: Record<string, unknown>[] = [];
    const kept: unknown[] = [];
    openPanel({
      [`POST ${AT}/questions`]: async (request) => {
        sent.push((await request.json()) as Record<string, unknown>);
        return makeQuestionReply();
      },
      [`PUT ${AT}/${KEPT_AT}/recent`]: async (request) => {
        const answer = await echo(request);
        kept.push(answer.body);
        return answer;
      },
    });
    await userEvent.click(
      await screen.findByRole("button", { name: "requests per day in the last 30 days" }),
    );
    await screen.findByText("There were 1,200 requests from 6 to 12 July 2026.");
    screen.getByText("Assumed: the first 10.");
    const table = screen.getByRole("table", { name: "requests per day in the last 30 days" });
    within(table).getByText("75.0%");
    expect(screen.getByRole("link", { name: "Open in analytics" }).getAttribute("href")).toContain(
      "status=404",
    );
    await userEvent.type(screen.getByRole("textbox", { name: "Question" }), "and by key?{Enter}");
    await screen.findByText("requests per day in the last 30 days → and by key?");
    await vi.waitFor(() => expect(kept).toHaveLength(2));
    expect(sent).toMatchObject([
      { question: "requests per day in the last 30 days", after: [] },
      { question: "and by key?", after: ["requests per day in the last 30 days"] },
    ]);
    expect(kept[1]).toMatchObject({
      questions: [
        { question: "and by key?" },
        { question: "requests per day in the last 30 days" },
      ],
    });
  });

  it("sends what was understood again with one part changed", async () => {
    const sent: Record<string, unknown>[] = [];
    openPanel(
      {
        [`POST ${AT}/questions`]: async (request) => {
          sent.push((await request.json()) as Record<string, unknown>);
          return makeQuestionReply();
        },
      },
      { address: "/ai-intelligence?ask=requests+by+route+last+week" },
    );
    await userEvent.click(await screen.findByRole("combobox", { name: "Measure" }));
    await userEvent.click(await screen.findByRole("option", { name: "Errors" }));
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[0]).not.toHaveProperty("query");
    expect(sent[1]).toMatchObject({
      question: "requests by route last week",
      kind: "query",
      query: { measures: ["errors"], dimensions: ["route"], from: "2026-07-06" },
    });
  });

  it("asks again in another time zone, and begins an alert on what was asked", async () => {
    const zones: unknown[] = [];
    openPanel(
      {
        [`POST ${AT}/questions`]: async (request) => {
          const { timeZone } = (await request.json()) as { timeZone: string };
          zones.push(timeZone);
          return makeQuestionReply({ timeZone });
        },
      },
      { address: "/ai-intelligence?ask=requests+by+route+last+week&zone=Asia%2FTokyo" },
    );
    await userEvent.click(await screen.findByRole("combobox", { name: "Time zone: Asia/Tokyo" }));
    await userEvent.type(await screen.findByRole("combobox", { name: /Search/ }), "Lima");
    await userEvent.click(await screen.findByRole("option", { name: /America\/Lima/ }));
    await vi.waitFor(() => expect(zones).toEqual(["Asia/Tokyo", "America/Lima"]));
    await userEvent.click(await screen.findByRole("button", { name: "Save as alert" }));
    screen.getByText(/"measure":"requests","filters":\{"status":"404"\},"kind":"above"/);
  });

  it("asks back with choices that go on, offers what can be asked, and shows a failure", async () => {
    const sent: Record<string, unknown>[] = [];
    const replies = [
      makeQuestionReply({
        kind: "clarify",
        query: null,
        answer: null,
        assumed: [],
        sentence: "That can mean several things. Which one?",
        choices: ["errors of production"],
      }),
      problem(503, "OVERLOADED", "Try again later."),
    ];
    openPanel(
      {
        [`POST ${AT}/questions`]: async (request) => {
          sent.push((await request.json()) as Record<string, unknown>);
          return replies[sent.length - 1] ?? "never";
        },
      },
      { address: "/ai-intelligence?ask=how+is+production" },
    );
    await userEvent.click(await screen.findByRole("button", { name: "errors of production" }));
    await screen.findByRole("alert");
    expect(sent[1]).toMatchObject({
      question: "errors of production",
      after: ["how is production"],
    });
  });

  it("says that questions to begin with could not be loaded, and loads them when asked", async () => {
    let isDown = true;
    openPanel({
      [`GET ${AT}/questions/choices`]: () =>
        isDown ? problem(503, "OVERLOADED", "Try again later.") : QUESTION_CHOICES,
    });
    await screen.findByText("Questions to begin with could not be loaded.");
    expect(document.querySelector("[data-skeleton]")).toBe(null);
    isDown = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("You could ask");
    expect(screen.queryByRole("alert")).toBe(null);
  });

  it("lets operators ask about all tenants", async () => {
    openPanel(
      { "POST /questions": () => makeQuestionReply({ sentence: "Everyone." }) },
      { isOperator: true },
    );
    await userEvent.click(await screen.findByRole("radio", { name: "All tenants" }));
    await userEvent.type(screen.getByRole("textbox", { name: "Question" }), "mrr{Enter}");
    await screen.findByText("Everyone.");
    expect(screen.queryByRole("button", { name: "Pin to overview" })).toBeNull();
  });
});

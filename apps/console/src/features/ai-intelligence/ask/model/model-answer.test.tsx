// @vitest-environment jsdom
import { useQuery } from "@tanstack/react-query";
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ModelEvent } from "@turnpike/contract/model-answers";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TENANT_ID } from "#components/billing/billing-answers.fixture.ts";
import { openScreen } from "#components/billing/open-billing-screen.fixture.tsx";
import { makeQuestionReply } from "#components/questions/questions.fixture.ts";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { FakeAnswers } from "#platform/render-with-platform.tsx";
import { modelStateQuery } from "./model.queries.ts";
import { ModelAnswer } from "./model-answer.tsx";

const AT = `/tenants/${TENANT_ID}`;
const MODEL = {
  name: "llama",
  host: "models.example.com",
  isOn: true,
  tokensPerDay: 1_000,
  tokensUsed: 10,
};
const PROPOSAL = {
  proposalId: "prp_0199f3b0c1d27a4e8f60112233445566",
  tenantId: TENANT_ID as TenantId,
  change: { do: "set_spend_cap", amount: "50" },
  reason: "By llama: As asked.",
  state: "open",
  proposedBy: "user:usr_1",
  createdAt: "2026-07-15T12:00:00.000Z",
  expiresAt: "2026-07-22T12:00:00.000Z",
  decidedBy: null,
  decidedAt: null,
} as const;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function stream(events: readonly ModelEvent[], options: { isOpen?: true } = {}): Response {
  const text = events.map(
    ({ kind, ...data }) => `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`,
  );
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text.join("")));
      if (options.isOpen === undefined) {
        controller.close();
      }
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function open(answers: FakeAnswers, { isOperator = false, model = MODEL as object | null } = {}) {
  return openScreen({
    address: "/ai-intelligence",
    parseSearch: (search) => search,
    screen: () => (
      <TenantGate>
        {(tenant) => (
          <>
            <Probe tenant={tenant} />
            <ModelAnswer
              tenant={tenant}
              question={{ question: "requests?", after: [], timeZone: "UTC" }}
            />
          </>
        )}
      </TenantGate>
    ),
    answers: {
      [`GET ${AT}/questions/model`]: () => ({ model }),
      [`GET ${AT}/proposals`]: () => ({ items: [PROPOSAL], nextCursor: null }),
      ...answers,
    },
    isOperator,
  });
}

/** Shows when it is known whether there is a model. */
function Probe({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  return useQuery(modelStateQuery(api, tenant.tenantId)).isSuccess ? <p>Known</p> : null;
}

const START: ModelEvent = {
  kind: "start",
  builtIn: makeQuestionReply(),
  model: { name: "llama", host: "models.example.com" },
};

describe("the language model's answer", () => {
  it("is asked by its button, and shows text, calls, failures, differences and proposals", async () => {
    const sent: unknown[] = [];
    open({
      [`POST ${AT}/questions/model`]: async (request) => {
        sent.push(await request.json());
        return stream([
          START,
          {
            kind: "call",
            callId: "1",
            tool: "query_usage",
            title: "Query usage",
            query: [{ label: "measures", value: "errors" }],
          },
          {
            kind: "result",
            callId: "1",
            isOk: true,
            failure: null,
            figures: [{ label: "/v1/search · errors", value: "42" }],
            more: 3,
          },
          { kind: "call", callId: "2", tool: "get_limits", title: "Get limits", query: [] },
          {
            kind: "result",
            callId: "2",
            isOk: false,
            failure: "This needs the scope usage:read.",
            figures: [],
            more: 0,
          },
          { kind: "text", text: "There were 42 <b>errors</b>, of " },
          { kind: "withheld" },
          { kind: "text", text: " in all." },
          { kind: "proposal", callId: "3", proposal: PROPOSAL },
          {
            kind: "check",
            differences: [{ part: "measures", model: "errors", builtIn: "requests" }],
          },
          { kind: "end", reason: "answered", sentence: null, withheld: 1 },
        ]);
      },
    });
    await screen.findByText(/models[.]example[.]com/);
    expect(sent).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Ask llama as well" }));
    await screen.findByText("There were 42 <b>errors</b>, of");
    screen.getByText("number withheld");
    screen.getByText("One number is withheld: the model wrote what no result has.");
    const [first, second] = within(
      screen.getByRole("list", { name: "What was looked up" }),
    ).getAllByRole("listitem");
    within(first ?? expect.fail()).getByText("measures: errors");
    within(first ?? expect.fail()).getByText("42");
    within(first ?? expect.fail()).getByText("3 more figures");
    within(second ?? expect.fail()).getByText("Failed");
    within(second ?? expect.fail()).getByText("This needs the scope usage:read.");
    screen.getByText("measure: errors instead of requests");
    await screen.findByRole("button", { name: "Accept: Set the spend cap to 50" });
    expect(sent).toEqual([{ question: "requests?", after: [], timeZone: "UTC" }]);
  });

  it("is stopped by its reader, and says why it ended", async () => {
    let asked = 0;
    open({
      [`POST ${AT}/questions/model`]: () => {
        asked += 1;
        return asked === 1
          ? stream([START, { kind: "text", text: "Half of" }], { isOpen: true })
          : stream([
              START,
              {
                kind: "end",
                reason: "busy",
                sentence: "Too many questions. The built-in answer stands.",
                withheld: 0,
              },
            ]);
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Ask llama as well" }));
    await screen.findByText("Half of");
    await userEvent.click(screen.getByRole("button", { name: "Stop" }));
    await screen.findByText("Stopped. The built-in answer stands.");
    await userEvent.click(screen.getByRole("button", { name: "Ask llama again" }));
    await screen.findByText("Too many questions. The built-in answer stands.");
    expect(screen.queryByText("Half of")).toBeNull();
  });

  it("is not there without a model, nor for members while it is off; the operator switches it", async () => {
    open({}, { model: null });
    await screen.findByText("Known");
    expect(screen.queryByRole("region", { name: "Language model" })).toBeNull();
    cleanup();
    open({}, { model: { ...MODEL, isOn: false } });
    await screen.findByText("Known");
    expect(screen.queryByRole("region", { name: "Language model" })).toBeNull();
    cleanup();
    const switched: unknown[] = [];
    open(
      {
        "PUT /model-switch": async (request) => {
          switched.push(await request.json());
          return { isOn: false, changedAt: "2026-07-15T12:00:00.000Z" };
        },
      },
      { isOperator: true },
    );
    await userEvent.click(
      await screen.findByRole("button", { name: "Switch the model off for all tenants" }),
    );
    await vi.waitFor(() => expect(switched).toEqual([{ isOn: false }]));
  });
});

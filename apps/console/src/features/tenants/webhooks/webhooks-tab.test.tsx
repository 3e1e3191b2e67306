// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { webhook, webhookDelivery, webhookDeliveryDetail } from "@turnpike/contract/webhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { problem } from "#platform/render-with-platform.tsx";
import { ACME, makeVerified, openTenants, stubWindow } from "../open-tenants.fixture.tsx";
import { pageOf } from "../tenant-answers.fixture.ts";

const AT = "2026-11-20T10:00:00.000Z";
const WEBHOOK = "whk_0199f3b0c1d27a4e8f60112233445566";
const MESSAGE = "msg_0199f3b0c1d27a4e8f60112233445566";
const LIST = `/tenants/${ACME}/webhooks`;

const makeWebhook = (more: object = {}) =>
  webhook.parse({
    webhookId: WEBHOOK,
    url: "https://example.com/in",
    description: "Billing",
    eventTypes: ["*"],
    state: "enabled",
    disabledReason: null,
    responsible: null,
    failingSince: null,
    previousSecretUntil: null,
    createdAt: AT,
    updatedAt: AT,
    ...more,
  });
const makeDelivery = (more: object = {}) =>
  webhookDelivery.parse({
    messageId: MESSAGE,
    webhookId: WEBHOOK,
    type: "key.created",
    state: "pending",
    attempts: 2,
    lastStatus: 503,
    nextAttemptAt: AT,
    createdAt: AT,
    finishedAt: null,
    ...more,
  });

beforeEach(stubWindow);
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

const open = (answers: NonNullable<Parameters<typeof openTenants>[0]>["answers"] = {}, more = "") =>
  openTenants({ search: `?tab=webhooks${more}`, answers });

/** Clicks the button of the dialog; the one behind it is out of reach. */
async function submit(): Promise<void> {
  const dialog = screen.getByRole("dialog");
  await userEvent.click(within(dialog).getByRole("button", { name: "Add webhook" }));
}

describe("webhooks", () => {
  it("explain themselves when a tenant has none", async () => {
    open({ [`GET ${LIST}`]: () => ({ items: [] }) });
    await screen.findByText("No webhooks yet");
  });

  it("of a former member are paused, say why, and are taken over from their menu", async () => {
    const disabledReason = "The person responsible for it is no longer a member.";
    let sent: unknown;
    open(
      {
        [`GET ${LIST}`]: () => ({ items: [makeWebhook({ state: "paused", disabledReason })] }),
        [`PATCH ${LIST}/${WEBHOOK}`]: async (request) => {
          sent = await request.json();
          return makeWebhook();
        },
      },
      `&webhook=${WEBHOOK}`,
    );
    await screen.findByText(new RegExp(`^${disabledReason} .*take it over`));
    screen.getByText("Paused");
    await userEvent.click(screen.getByRole("button", { name: /^Actions for/ }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Take over webhook" }));
    await waitFor(() => expect(sent).toEqual({ enabled: true }));
  });

  it("that fail to load say so, and are retried on request", async () => {
    let asked = 0;
    open({
      [`GET ${LIST}`]: () => {
        asked += 1;
        return asked === 1
          ? problem(503, "DATABASE_UNAVAILABLE", "The database cannot be reached.")
          : { items: [makeWebhook()] };
      },
    });
    await screen.findByText("The webhooks could not be loaded.");
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("https://example.com/in");
  });

  it("are closed to a developer, who sees whom to ask", async () => {
    openTenants({ search: "?tab=webhooks", verified: makeVerified({ role: "developer" }) });
    await screen.findByText("Webhooks are for owners and admins");
  });

  it("are added, and show their secret until the person has stored it", async () => {
    const sent: unknown[] = [];
    open({
      [`GET ${LIST}`]: () => ({ items: sent.length === 0 ? [] : [makeWebhook()] }),
      [`POST ${LIST}`]: async (request) => {
        sent.push(await request.json());
        return { ...makeWebhook(), secret: "whsec_abc" };
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Add webhook" }));
    await userEvent.type(screen.getByLabelText("Address"), "https://example.com/in");
    await userEvent.click(
      screen.getByRole("checkbox", { name: "Every event, including future ones" }),
    );
    await userEvent.click(screen.getByRole("checkbox", { name: "key.revoked" }));
    await submit();
    await screen.findByText("whsec_abc");
    expect(sent).toEqual([
      { url: "https://example.com/in", description: "", eventTypes: ["key.revoked"] },
    ]);
  });

  it("keep the typed text when the address is refused, and show why at the field", async () => {
    open({
      [`GET ${LIST}`]: () => ({ items: [] }),
      [`POST ${LIST}`]: () =>
        Response.json(
          {
            status: 400,
            code: "INVALID_REQUEST",
            error: "Not public.",
            message: "Not public.",
            requestId: "req_1",
            errors: [{ pointer: "/url", message: "Not public." }],
          },
          { status: 400, headers: { "content-type": "application/problem+json" } },
        ),
    });
    await userEvent.click(await screen.findByRole("button", { name: "Add webhook" }));
    const field = screen.getByLabelText("Address");
    await userEvent.type(field, "http://10.0.0.1/");
    await submit();
    await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"));
    expect((field as HTMLInputElement).value).toBe("http://10.0.0.1/");
  });

  it("show the result of each attempt, and send a message again", async () => {
    const resent: string[] = [];
    const detail = webhookDeliveryDetail.parse({
      ...makeDelivery(),
      payload: '{"type":"key.created"}',
      attemptLog: [
        {
          attempt: 1,
          startedAt: AT,
          durationMs: 35,
          status: 503,
          error: null,
          response: "overloaded",
        },
      ],
    });
    open(
      {
        [`GET ${LIST}`]: () => ({ items: [makeWebhook({ failingSince: AT })] }),
        [`GET ${LIST}/${WEBHOOK}/deliveries`]: () => pageOf(makeDelivery()),
        [`GET ${LIST}/${WEBHOOK}/deliveries/${MESSAGE}`]: () => detail,
        [`POST ${LIST}/${WEBHOOK}/deliveries/${MESSAGE}/resend`]: () => {
          resent.push(MESSAGE);
          return makeDelivery();
        },
      },
      `&webhook=${WEBHOOK}&delivery=${MESSAGE}`,
    );
    await screen.findByText("Answered 503 after 35 ms");
    await screen.findByText("overloaded");
    await userEvent.click(screen.getByRole("button", { name: "Send again" }));
    await waitFor(() => expect(resent).toEqual([MESSAGE]));
  });

  it("say that nothing is replayed while deliveries are only being retried, and when one is due", async () => {
    open(
      {
        [`GET ${LIST}`]: () => ({ items: [makeWebhook({ failingSince: AT })] }),
        [`GET ${LIST}/${WEBHOOK}/deliveries`]: () => pageOf(makeDelivery()),
        [`GET ${LIST}/${WEBHOOK}/deliveries/${MESSAGE}`]: () =>
          webhookDeliveryDetail.parse({ ...makeDelivery(), payload: "{}", attemptLog: [] }),
        [`POST ${LIST}/${WEBHOOK}/replay`]: () => ({ replayed: 0 }),
      },
      `&webhook=${WEBHOOK}`,
    );
    await userEvent.click(
      await screen.findByRole("button", { name: "Replay the last day’s failures" }),
    );
    await screen.findByText(
      "Nothing failed for good in the last day. Deliveries that are being retried are not replayed.",
    );
    await userEvent.click(await screen.findByText("key.created"));
    const sheet = await screen.findByRole("dialog", { name: "Delivery" });
    await waitFor(() => expect(sheet.textContent).toContain("Next attempt now"));
  });
});

// @vitest-environment jsdom
import { useIsMutating, useQuery } from "@tanstack/react-query";
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { progressQuery, STEP_IDS } from "#platform/quickstart-progress.ts";
import { problem, renderWithPlatform } from "#platform/render-with-platform.tsx";
import { useRememberSteps } from "./use-remember-steps.ts";

const TENANT_ID = "ten_0199f3b0c1d27a4e8f60112233445566" as OwnTenant["tenantId"];
const LIST = `GET /tenants/${TENANT_ID}/documents/progress`;
const PUT = `PUT /tenants/${TENANT_ID}/documents/progress/quickstart`;

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

let finishNext: () => void = () => undefined;

/** So many of the steps are finished, and another one by `finishNext`. */
function Rememberer() {
  const { api } = usePlatform();
  const [count, setCount] = useState(1);
  finishNext = () => setCount(count + 1);
  const progress = useQuery(progressQuery(api, TENANT_ID));
  const steps = STEP_IDS.map((id, place) => ({
    id,
    state: place < count ? ("finished" as const) : ("waiting" as const),
  }));
  useRememberSteps(TENANT_ID, steps, progress.data);
  const isWriting = useIsMutating() > 0;
  return <p>{progress.isFetching || isWriting ? "at work" : "quiet"}</p>;
}

it("does not ask again for what failed until another step is finished", async () => {
  const answers: ((answer: Response) => void)[] = [];
  const bodies: object[] = [];
  renderWithPlatform(<Rememberer />, {
    [LIST]: () => ({ items: [], nextCursor: null }),
    [PUT]: async (request) => {
      bodies.push((await request.json()) as object);
      return await new Promise<Response>((resolve) => answers.push(resolve));
    },
  });
  await screen.findByText("at work");
  await waitFor(() => expect(answers).toHaveLength(1));
  answers[0]?.(problem(500, "INTERNAL_ERROR", "Something went wrong."));
  await screen.findByText("quiet");
  act(() => finishNext());
  await waitFor(() => expect(bodies).toHaveLength(2));
  expect(bodies).toMatchObject([
    { body: { finished: ["tenant"] } },
    { body: { finished: ["tenant", "key"] } },
  ]);
});

it("writes again what was kept out because another device had written before", async () => {
  let revision = "1";
  const bodies: unknown[] = [];
  const toDocument = (finished: readonly string[]) => ({
    ...{ collection: "progress", documentId: "quickstart", body: { finished }, revision },
    ...{ createdAt: "2026-11-01T00:00:00.000Z", updatedAt: "2026-11-01T00:00:00.000Z" },
  });
  renderWithPlatform(<Rememberer />, {
    [LIST]: () => ({ items: [toDocument([])], nextCursor: null }),
    [PUT]: async (request) => {
      bodies.push(await request.json());
      if (revision === "1") {
        revision = "2";
        return problem(409, "CONFLICT", "Someone else was faster.");
      }
      return toDocument(["tenant"]);
    },
  });
  await waitFor(() => expect(bodies).toHaveLength(2));
});

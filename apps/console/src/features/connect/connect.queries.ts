import { queryOptions } from "@tanstack/react-query";
import type { AgentScope } from "@turnpike/contract/agent-grants";
import type { JsonClient } from "#platform/json-client.ts";
import { isAgentScope } from "./connect.view-model.ts";

/** A program that asks to connect. All that it says of itself was written by a stranger. */
export type ConnectRequest = {
  name: string;
  /** The site that describes it; null for one that registered itself. */
  host: string | null;
  scopes: AgentScope[];
  /** Where the person is sent afterwards, in words. */
  returnsTo: string;
};

export type ConnectDecision =
  | { decision: "allow"; tenantId: string; scopes: readonly AgentScope[] }
  | { decision: "deny" };

const TIMEOUT_MS = 15_000;

function toAddress(request: string, step: "view" | "decision"): string {
  return `/oauth/requests/${encodeURIComponent(request)}/${step}`;
}

function readText(answer: object, name: string): string | undefined {
  const value: unknown = Reflect.get(answer, name);
  return typeof value === "string" ? value : undefined;
}

function toRequest(answer: unknown): ConnectRequest {
  if (typeof answer === "object" && answer !== null && "scopes" in answer) {
    const [name, returnsTo] = [readText(answer, "name"), readText(answer, "returnsTo")];
    const { scopes } = answer;
    if (name !== undefined && returnsTo !== undefined && Array.isArray(scopes)) {
      const host = readText(answer, "host") ?? null;
      return { name, returnsTo, host, scopes: scopes.map(String).filter(isAgentScope) };
    }
  }
  throw new Error("The service did not answer as expected.");
}

export function connectRequestQuery(json: JsonClient, request: string) {
  return queryOptions({
    queryKey: ["connect", request],
    queryFn: async ({ signal }) =>
      toRequest(await json({ method: "GET", url: toAddress(request, "view"), signal })),
    // It is decided on once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

/** @returns The address by which the person goes back to the program. */
export async function decideOnRequest(
  json: JsonClient,
  request: string,
  decision: ConnectDecision,
): Promise<string> {
  const answer = await json({
    method: "POST",
    url: toAddress(request, "decision"),
    body: decision,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const redirectTo =
    typeof answer === "object" && answer !== null ? readText(answer, "redirectTo") : undefined;
  // A path of this site, which then leads on to where the program registered.
  if (redirectTo === undefined || !redirectTo.startsWith("/oauth/")) {
    throw new Error("The service did not answer as expected.");
  }
  return redirectTo;
}

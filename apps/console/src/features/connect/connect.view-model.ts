import { t } from "@lingui/core/macro";
import type { AgentScope } from "@turnpike/contract/agent-grants";
import { mayInTenant, type NamedRole } from "#platform/may-in-tenant.ts";

/** Why the service sent the person here without anything to decide. */
export type ConnectError = "expired" | "invalid" | "failed";

export type ConnectSearch = { request?: string; error?: ConnectError };

const ERRORS: readonly ConnectError[] = ["expired", "invalid", "failed"];
const REQUEST = /^[\w-]{16,128}$/;

export function parseConnectSearch(search: Record<string, unknown>): ConnectSearch {
  const { request } = search;
  const error = ERRORS.find((each) => each === search["error"]);
  return {
    ...(typeof request === "string" && REQUEST.test(request) ? { request } : {}),
    ...(error === undefined ? {} : { error }),
  };
}

/** What each scope lets the program do, for a person. */
export const SCOPE_WORDS: Readonly<Record<AgentScope, { label: string; note: string }>> = {
  "usage:read": {
    label: t`See usage`,
    note: t`Calls, errors, limits, forecasts and what is unusual.`,
  },
  "keys:read": {
    label: t`See API keys`,
    note: t`Names, states and limits; never the text of a key.`,
  },
  "billing:read": {
    label: t`See billing`,
    note: t`The plan, invoices, credit and the spend cap.`,
  },
  "proposals:read": { label: t`See proposals`, note: t`What was proposed, and what was decided.` },
  "proposals:write": {
    label: t`Propose changes`,
    note: t`A new key or a spend cap. A member accepts each one here before anything happens.`,
  },
};

export function isAgentScope(scope: string): scope is AgentScope {
  return scope in SCOPE_WORDS;
}

/** The scopes that the person may give in a tenant. */
export function listGivable(
  scopes: readonly AgentScope[],
  tenant: (NamedRole & { isVisited?: true }) | undefined,
): AgentScope[] {
  return tenant === undefined ? [] : scopes.filter((scope) => mayInTenant(tenant, scope));
}

/** What to read when there is nothing to decide. */
export function toConnectProblem(error: ConnectError | undefined): {
  title: string;
  text: string;
} {
  switch (error) {
    case "expired":
      return {
        title: t`This request has expired`,
        text: t`A request waits for ten minutes, in the browser that it was opened in. Start over in the program.`,
      };
    case "invalid":
      return {
        title: t`This request is not valid`,
        text: t`The program is not known here, or it asked for something that is not allowed, such as to be called at an address that it did not register. Remove the connection in the program, and add it again.`,
      };
    case "failed":
      return {
        title: t`This did not work`,
        text: t`The service could not answer the program. Try again in a moment.`,
      };
    default:
      return {
        title: t`Nothing waits here`,
        text: t`A program sends you to this page when you add it. You find its address under Tenants → Agents.`,
      };
  }
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { z } from "zod";
import { readQuery, sendJson } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { METHODS } from "../factors/factor-policy.ts";
import type { Interactions, PeopleCall } from "./interactions.routes.ts";
import type { SsoSession } from "./sso-session.ts";

/** What the built-in provider needs of the single sign-on of tenants, a module above it. */
export interface SingleSignOn {
  /**
   * Begins a sign-in at the provider of an address's domain, or of a tenant.
   *
   * @param input.interaction - The sign-in here that it answers.
   * @returns Where the browser goes.
   * @throws {AppError} `SSO_UNAVAILABLE` when there is none, or when it cannot be reached.
   */
  begin(input: {
    by: { email: string } | { slug: string };
    interaction: string;
  }): Promise<{ redirectTo: string }>;
  /** Answers a browser that comes from a tenant's provider, below `/idp/sso`. */
  handle(call: { req: IncomingMessage; res: ServerResponse }, path: string): Promise<void>;
  /**
   * Ends the sign-ins that a logout token of a tenant's provider names.
   *
   * @param tenant - As the address names it.
   * @throws What `verifyLogoutToken` throws, and `ClaimError` for a token that was used before.
   */
  endSessions(tenant: string, token: string): Promise<void>;
  /**
   * Takes what came back, in the browser that began.
   *
   * @returns The account of the person, who is a member of the tenant from now on; or why they cannot sign in, for `/login?error=`.
   */
  collect(input: {
    interaction: string;
    result: string;
  }): Promise<{ accountId: string; via: SsoSession } | { error: string }>;
  /**
   * True when people with this address sign in at their own provider and no other way.
   *
   * @param accountId - Of a person who proved their password: an owner of the tenant may use it.
   */
  isRequired(email: string, accountId?: string): Promise<boolean>;
}

export type SsoFormDeps = Pick<AppServices, "clock"> & {
  interactions: Interactions;
  /** Left out: no tenant has one. */
  singleSignOn?: SingleSignOn | undefined;
};

const request = z.union([
  z.strictObject({ email: z.string().trim().pipe(z.email("Not an e-mail address.").max(254)) }),
  z.strictObject({ tenant: z.string().min(1).max(100) }),
]);

/** The third form of a sign-in, beside password and registration: the browser leaves for the provider of a tenant. */
export function createSsoFormRoutes(deps: SsoFormDeps, { consoleUrl }: { consoleUrl: string }) {
  const { clock, interactions, singleSignOn } = deps;

  async function complete(call: PeopleCall, uid: string): Promise<string> {
    const interaction = await interactions.find(call, uid);
    if (interaction === undefined || singleSignOn === undefined) {
      return `${consoleUrl}/login?error=sign_in_expired`;
    }
    const result = readQuery(call.req).get("result") ?? "";
    const collected = await singleSignOn.collect({ interaction: uid, result });
    if ("error" in collected) {
      return `${consoleUrl}/login?error=${collected.error}`;
    }
    const { accountId, via } = collected;
    return await interactions.end(call, interaction, {
      accountId,
      startedAt: clock.now(),
      methods: METHODS.singleSignOn,
      via,
    });
  }

  return {
    /** Leaves. */
    async begin(call: PeopleCall, uid: string): Promise<void> {
      const input = await interactions.read(call.req, request);
      await interactions.get(call, uid);
      if (singleSignOn === undefined) {
        throw resourceNotFound("address");
      }
      const by = "email" in input ? { email: input.email } : { slug: input.tenant };
      sendJson(call.res, 200, await singleSignOn.begin({ by, interaction: uid }));
    },

    /** Comes back, in the browser that left. */
    async end(call: PeopleCall, uid: string): Promise<void> {
      const location = await complete(call, uid);
      call.res.writeHead(303, { location, "content-length": "0" });
      call.res.end();
    },

    /** Comes from the provider, by a redirect or by a form of its page. @param path - Below `/idp`. */
    async answer(call: PeopleCall, path: string): Promise<void> {
      if (singleSignOn === undefined) {
        throw resourceNotFound("address");
      }
      await singleSignOn.handle(call, path);
    },
  };
}

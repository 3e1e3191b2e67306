import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { z } from "zod";
import { readQuery, sendJson } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { SingleSignOn } from "../accounts/provider.ports.ts";
import { METHODS } from "../factors/factor-policy.ts";
import type { Interactions, PeopleCall } from "./interactions.ts";

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
    const { accountId } = collected;
    return await interactions.end(call, interaction, {
      accountId,
      startedAt: clock.now(),
      methods: METHODS.singleSignOn,
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

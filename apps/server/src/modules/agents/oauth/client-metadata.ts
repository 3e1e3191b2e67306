import { displayNote } from "@turnpike/contract/shapes";
import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";
import type { Sealer } from "#platform/sealer.ts";

/** What a program says of itself when it registers (RFC 7591). All else that it may say is not needed. */
export const registrationRequest = z.object({
  client_name: z.string().optional().catch(undefined),
  redirect_uris: z.array(z.string().min(1).max(500)).min(1).max(10),
});
export type RegistrationRequest = z.infer<typeof registrationRequest>;

/** What the provider knows of a registered program. */
export type ClientMetadata = {
  client_id: string;
  client_name: string;
  redirect_uris: string[];
  application_type: "native" | "web";
  token_endpoint_auth_method: "none";
  grant_types: string[];
  response_types: "code"[];
};

const NAMELESS = "A program without a name";
const shownName = displayNote(80);
const sealed = z.strictObject({ n: z.string(), r: z.array(z.string()) });

/** A name as people read it: it was written by a stranger. */
export function toClientName(name: unknown): string {
  const parsed = shownName.safeParse(typeof name === "string" ? name.slice(0, 80) : undefined);
  return parsed.success && parsed.data !== "" ? parsed.data : NAMELESS;
}

/**
 * A program of this machine, or one that an app of it opens: then the port of a loopback address does not matter (RFC 8252). Programs
 * leave this out, or say it differently.
 */
export function toApplicationType(redirectUris: readonly unknown[]): "native" | "web" {
  const isWeb = redirectUris.every((uri) => {
    const url = typeof uri === "string" && URL.canParse(uri) ? new URL(uri) : undefined;
    return url?.protocol === "https:" && !isLoopbackHost(url.hostname);
  });
  return isWeb ? "web" : "native";
}

function toMetadata(clientId: string, { name, redirectUris }: Described): ClientMetadata {
  return {
    client_id: clientId,
    client_name: name,
    redirect_uris: redirectUris,
    application_type: toApplicationType(redirectUris),
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

type Described = { name: string; redirectUris: string[] };

/**
 * Registers programs without storing them: the id that a program gets is what it said, sealed. So there is nothing to fill up and
 * nothing to clean up, and a program that never comes back has cost nothing.
 */
export function createClientRegistry(sealer: Sealer) {
  return {
    async register(request: RegistrationRequest): Promise<ClientMetadata> {
      const described: Described = {
        name: toClientName(request.client_name),
        redirectUris: [...new Set(request.redirect_uris)],
      };
      const clientId = await sealer.seal(
        JSON.stringify({ n: described.name, r: described.redirectUris }),
      );
      return toMetadata(clientId, described);
    },
    /** Undefined for an id that was not given out here, or before the secret changed. */
    async find(clientId: string): Promise<ClientMetadata | undefined> {
      try {
        const { n, r } = sealed.parse(JSON.parse(await sealer.open(clientId)));
        return toMetadata(clientId, { name: n, redirectUris: r });
      } catch {
        // Not ours: any text may be sent as an id.
        return;
      }
    },
  };
}

export type ClientRegistry = ReturnType<typeof createClientRegistry>;

/** Where a person is sent afterwards, in words: the host of a site, a program of this machine, or an app. */
export function toRedirectTarget(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (url.protocol === "https:" || url.protocol === "http:") {
    return isLoopbackHost(url.hostname) ? `a program on this computer (${url.host})` : url.host;
  }
  return `the app that opens ${url.protocol} addresses`;
}

import type { PublicConfig } from "#http/system.routes.ts";
import { listWithoutTests } from "#modules/gateway/index.ts";
import type { Config } from "./config.ts";
import { BUILTIN_PROVIDER_ID } from "./config-schema-identity.ts";

/** The client of the built-in provider that the console is. */
export const BUILTIN_CLIENT_ID = "console";

/** The issuer that the built-in provider's tokens name. */
export function builtinIssuer(consoleUrl: string): string {
  return `${consoleUrl}/idp`;
}

/** True when the built-in provider wants an address confirmed before its account works. */
export function confirmsEmail(config: Pick<Config, "identity" | "mail">): boolean {
  const { confirmEmail } = config.identity;
  return confirmEmail === "auto" ? config.mail.smtp !== undefined : confirmEmail === "always";
}

function toPublicProvider(
  provider: Config["identity"]["providers"][number],
  hasSecret: boolean,
): PublicConfig["identity"]["providers"][number] {
  const { id, name, issuer, clientId, flow, scopes, parameters, endsSession } = provider;
  return {
    id,
    kind: "oidc",
    name,
    issuer,
    clientId,
    flow,
    endsSession,
    ...(hasSecret ? { tokensBy: "server" as const } : {}),
    ...(scopes === undefined ? {} : { scopes }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

/** The readers of the reference of the operator's API; null when no upstream has a document, or no one may read it. */
export function toReferenceVisibility(config: {
  upstreams?: readonly { openapi?: unknown }[] | undefined;
  reference: Config["reference"];
}): "members" | "public" | null {
  const { visibility } = config.reference;
  const isDocumented = config.upstreams?.some(({ openapi }) => openapi !== undefined) === true;
  return isDocumented && visibility !== "off" ? visibility : null;
}

/** What every visitor may know of the installation, `/config.json`. Field by field, so that no secret slips in. */
export function toPublicConfig(input: {
  config: Pick<Config, "brand" | "identity" | "mail"> & {
    clientSecrets?: Config["clientSecrets"];
    clickhouse?: { callsDays: number } | undefined;
    legal: Pick<Config["legal"], "contact">;
    upstreams?:
      | readonly { openapi?: unknown; name: string; testUrl?: string | undefined }[]
      | undefined;
    reference: Config["reference"];
  };
  urls: { console: string; gateway: string };
  version: string;
}): PublicConfig {
  const { config, urls } = input;
  const builtin = {
    id: BUILTIN_PROVIDER_ID,
    kind: "builtin" as const,
    name: config.brand.name,
    issuer: builtinIssuer(urls.console),
    clientId: BUILTIN_CLIENT_ID,
  };
  const others = config.identity.providers.map((provider) =>
    toPublicProvider(provider, config.clientSecrets?.[provider.id] !== undefined),
  );
  const { firebase } = config.identity;
  return {
    brand: {
      name: config.brand.name,
      accent: config.brand.accent,
      ...(config.brand.mark === undefined ? {} : { mark: config.brand.mark }),
    },
    urls: { console: urls.console, api: urls.console, gateway: urls.gateway },
    version: input.version,
    identity: {
      providers: [...(config.identity.builtin ? [builtin] : []), ...others],
      passwordRules: { lengthMin: config.identity.passwordLengthMin },
      confirmEmail: confirmsEmail(config),
      ...(firebase === undefined ? {} : { firebase }),
    },
    documents: { kind: "turnpike", url: `${urls.console}/v1` },
    files: { kind: "turnpike", url: `${urls.console}/v1` },
    gateway: {
      isDemo: config.upstreams === undefined,
      refusesTestKeys:
        config.upstreams !== undefined &&
        listWithoutTests(config.upstreams).length === config.upstreams.length,
    },
    calls: { areLogged: (config.clickhouse?.callsDays ?? 0) > 0 },
    reference: toReferenceVisibility(config),
    mail: { delivers: config.mail.smtp !== undefined },
    contact: config.legal.contact ?? null,
  };
}

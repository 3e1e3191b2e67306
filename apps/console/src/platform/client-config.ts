import { t } from "@lingui/core/macro";
import { fetchJson } from "./fetch-json.ts";

/** One of the ways to sign in. */
export type IdentityProvider = {
  id: string;
  /** `builtin` is asked with a form of our own; people go to an `oidc` one and come back. */
  kind: "builtin" | "oidc";
  name: string;
  issuer: string;
  clientId: string;
  /** Where its page is shown; left out: in place of ours. */
  flow?: "window";
  /** What is asked for; left out: what the console needs. */
  scopes?: readonly string[];
  /** Further parameters of the request for a code. */
  parameters?: Readonly<Record<string, string>>;
  /** False: signing out here leaves its own session as it is. */
  endsSession?: false;
  /** Its client has a secret, which only the server knows: metadata and tokens come from there. */
  tokensBy?: "server";
};

/** How to reach a project of Firebase Authentication. */
export type FirebaseSettings = {
  apiKey: string;
  authDomain: string;
  projectId: string;
  appId?: string | undefined;
  /** `password` shows the form, `google` the button. */
  methods: readonly ("password" | "google")[];
  flow: "popup" | "redirect";
  /** Address of Firebase's emulator; undefined: Firebase itself. */
  emulator?: string | undefined;
};

/** What `/config.json` tells every visitor about this deployment. */
export type ClientConfig = {
  brand: {
    name: string;
    accent: string | undefined;
    /** The address of a picture; undefined for the product's own mark. */
    mark?: string | undefined;
  };
  /** Absolute addresses, without a slash at the end. */
  urls: { console: string; api: string; gateway: string };
  version: string;
  identity: {
    providers: readonly IdentityProvider[];
    passwordRules: { lengthMin: number };
    /** True when a new account works only after its address was confirmed by mail. */
    confirmEmail: boolean;
    /** Left out where Firebase is not configured. */
    firebase?: FirebaseSettings | undefined;
  };
  gateway: {
    /** Whether calls reach the built-in demo API, because no upstream is configured. */
    isDemo: boolean;
    /** Whether every call with a test key is refused, because the operator has not said where it goes. */
    refusesTestKeys: boolean;
  };
  /** Whether operators can search the calls of all tenants. */
  calls: { areLogged: boolean };
  /** The readers of the reference of the operator's own API, at `/reference`; null where there is none. */
  reference: "members" | "public" | null;
  /** Whether mails leave the installation; without, an operator reads them in the outbox. */
  mail: { delivers: boolean };
  /** Contact for questions about plans and bills: an e-mail or web address; null when none is configured. */
  contact: string | null;
};

/** `/config.json` answered something that is not a configuration. */
export class ClientConfigError extends Error {
  override readonly name = "ClientConfigError";
}

/**
 * Loads the public configuration of the deployment.
 *
 * @throws {ClientConfigError} When the answer is no success or misses a part.
 */
export async function loadClientConfig(signal: AbortSignal): Promise<ClientConfig> {
  const { status, body } = await fetchJson("/config.json", signal);
  if (status !== 200) {
    throw new ClientConfigError(t`/config.json answered with status ${String(status)}`);
  }
  return parseClientConfig(body);
}

/** @throws {ClientConfigError} Naming the first part that is missing. */
export function parseClientConfig(value: unknown): ClientConfig {
  return {
    brand: {
      name: readText(value, ["brand", "name"]),
      accent: findText(value, ["brand", "accent"]),
      mark: findText(value, ["brand", "mark"]),
    },
    urls: {
      console: readUrl(value, ["urls", "console"]),
      api: readUrl(value, ["urls", "api"]),
      gateway: readUrl(value, ["urls", "gateway"]),
    },
    version: readText(value, ["version"]),
    identity: {
      providers: readProviders(value),
      passwordRules: { lengthMin: readNumber(value, ["identity", "passwordRules", "lengthMin"]) },
      confirmEmail: readFlag(value, ["identity", "confirmEmail"]),
      firebase: readFirebase(find(value, ["identity", "firebase"])),
    },
    gateway: {
      isDemo: readFlag(value, ["gateway", "isDemo"]),
      // A server of an earlier version does not say.
      refusesTestKeys: find(value, ["gateway", "refusesTestKeys"]) === true,
    },
    // A server of an earlier version does not say.
    calls: { areLogged: find(value, ["calls", "areLogged"]) === true },
    mail: { delivers: readFlag(value, ["mail", "delivers"]) },
    contact: findText(value, ["contact"]) ?? null,
    reference: readReference(findText(value, ["reference"])),
  };
}

function readReference(text: string | undefined): ClientConfig["reference"] {
  return text === "members" || text === "public" ? text : null;
}

function readProviders(value: unknown): readonly IdentityProvider[] {
  const providers = find(value, ["identity", "providers"]);
  if (!Array.isArray(providers)) {
    throw new ClientConfigError(t`/config.json: identity.providers is missing`);
  }
  return providers.map((provider: unknown) => ({
    id: readText(provider, ["id"]),
    kind: findText(provider, ["kind"]) === "builtin" ? "builtin" : "oidc",
    name: readText(provider, ["name"]),
    // Kept to the letter: a slash at the end is part of an issuer's name.
    issuer: readText(provider, ["issuer"]),
    clientId: readText(provider, ["clientId"]),
    ...readProviderChoices(provider),
  }));
}

/** What an operator may choose about a provider. Left out, everything has its usual value. */
function readProviderChoices(provider: unknown): Partial<IdentityProvider> {
  const scopes = find(provider, ["scopes"]);
  const parameters = find(provider, ["parameters"]);
  return {
    ...(findText(provider, ["flow"]) === "popup" ? { flow: "window" as const } : {}),
    ...(Array.isArray(scopes) ? { scopes: scopes.map(String) } : {}),
    ...(typeof parameters === "object" && parameters !== null
      ? {
          parameters: Object.fromEntries(
            Object.entries(parameters).map(([name, value]) => [name, String(value)]),
          ),
        }
      : {}),
    ...(find(provider, ["endsSession"]) === false ? { endsSession: false as const } : {}),
    ...(findText(provider, ["tokensBy"]) === "server" ? { tokensBy: "server" as const } : {}),
  };
}

/** The server has checked each of its values at its start. */
function readFirebase(value: unknown): FirebaseSettings | undefined {
  return find(value, ["methods"]) === undefined ? undefined : (value as FirebaseSettings);
}

function readNumber(value: unknown, path: readonly string[]): number {
  const found = find(value, path);
  if (typeof found !== "number") {
    throw new ClientConfigError(t`/config.json: ${path.join(".")} is missing`);
  }
  return found;
}

function readFlag(value: unknown, path: readonly string[]): boolean {
  const found = find(value, path);
  if (typeof found !== "boolean") {
    throw new ClientConfigError(t`/config.json: ${path.join(".")} is missing`);
  }
  return found;
}

function readUrl(value: unknown, path: readonly string[]): string {
  const text = readText(value, path);
  if (!URL.canParse(text)) {
    throw new ClientConfigError(t`/config.json: ${path.join(".")} is no address`);
  }
  return text.replace(/\/+$/, "");
}

function readText(value: unknown, path: readonly string[]): string {
  const text = findText(value, path);
  if (text === undefined) {
    throw new ClientConfigError(t`/config.json: ${path.join(".")} is missing`);
  }
  return text;
}

function findText(value: unknown, path: readonly string[]): string | undefined {
  const found = find(value, path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

function find(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (holder, name) =>
      typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined,
    value,
  );
}

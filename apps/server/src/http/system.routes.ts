import { type RawRoute, sendJson } from "./raw-route.ts";

export type ComponentStatus = "ok" | "degraded" | "down";

export type ComponentHealth = { status: ComponentStatus; detail?: string };

/** What a browser must know before anything else, `/config.json`. Nothing in it is secret. */
export type PublicConfig = {
  brand: { name: string; accent: string; mark?: string };
  /** Without a slash at the end. */
  urls: { console: string; api: string; gateway: string };
  version: string;
  identity: {
    /** Identity providers that speak OpenID Connect, in the order in which they are offered. */
    providers: readonly {
      id: string;
      kind: "builtin" | "oidc";
      name: string;
      issuer: string;
      clientId: string;
      /** Of providers other than the built-in one, as the configuration has it. */
      flow?: "redirect" | "popup";
      scopes?: readonly string[];
      parameters?: Readonly<Record<string, string>>;
      endsSession?: boolean;
      /** Of providers with a client secret: metadata and tokens come from the server. */
      tokensBy?: "server";
    }[];
    /** Of the built-in provider; `lengthMin` in characters. */
    passwordRules: { lengthMin: number };
    /** True when a new account works only once its address is confirmed by mail. */
    confirmEmail: boolean;
    /** Firebase Authentication, where it is configured; all of it is public. */
    firebase?: {
      apiKey: string;
      authDomain: string;
      projectId: string;
      appId?: string | undefined;
      methods: readonly ("password" | "google")[];
      flow: "popup" | "redirect";
      /** Address of Firebase's emulator, in development only. */
      emulator?: string | undefined;
    };
  };
  documents: { kind: string; url: string };
  files: { kind: string; url: string };
  gateway: {
    /** Whether calls reach the built-in demo API, because no upstream is configured. */
    isDemo: boolean;
    /** True when no upstream says where calls with test keys go, so that all of them are refused. */
    refusesTestKeys: boolean;
  };
  /** Whether operators can search the calls of all tenants. */
  calls: { areLogged: boolean };
  /** Those who may read the reference of the operator's API; null where there is none. */
  reference: "members" | "public" | null;
  /** False where mails stay in the outbox, for the operator to read. */
  mail: { delivers: boolean };
  /** The e-mail address that answers questions about terms, plans and bills; null when none is configured. */
  contact: string | null;
};

export type Readiness = {
  status: "ready" | "degraded" | "unready";
  parts: Record<string, ComponentHealth>;
};

/**
 * Sums up the components: unready when the process should get no traffic, degraded when it serves and something needs
 * attention.
 */
export function toReadiness(
  components: Record<string, ComponentHealth>,
  isDraining: boolean,
): Readiness {
  const all = Object.values(components);
  const isDown = isDraining || all.some(({ status }) => status === "down");
  const isDegraded = all.some(({ status }) => status === "degraded");
  return { status: isDown ? "unready" : isDegraded ? "degraded" : "ready", parts: components };
}

/** Open to anyone: liveness, readiness, and the public configuration of the console. */
export function createSystemRoutes(deps: {
  readiness(): Promise<Readiness>;
  publicConfig: PublicConfig;
}): RawRoute[] {
  return [
    {
      method: "GET",
      path: "/health/live",
      handle: ({ res }) => Promise.resolve(sendJson(res, 200, { status: "live" })),
    },
    {
      method: "GET",
      path: "/health/ready",
      handle: async ({ res }) => {
        const readiness = await deps.readiness();
        sendJson(res, readiness.status === "unready" ? 503 : 200, readiness);
      },
    },
    {
      method: "GET",
      path: "/config.json",
      handle: ({ res }) => Promise.resolve(sendJson(res, 200, deps.publicConfig)),
    },
  ];
}

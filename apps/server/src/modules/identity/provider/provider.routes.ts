import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { JWK } from "jose";
import type { Provider } from "oidc-provider";
import { sendJson } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import {
  findClientAddress,
  parseTrustedProxies,
  toCanonicalAddress,
} from "#platform/client-address.ts";
import { createSealer } from "#platform/sealer.ts";
import { createAccounts } from "../accounts/accounts.ts";
import { createBackgroundWork } from "../accounts/background-work.ts";
import { createAddressMoves } from "../accounts/move-address.ts";
import { createOwnAccounts, type OwnAccounts } from "../accounts/own-accounts.ts";
import type { PasswordCost } from "../accounts/password-hash.ts";
import { startPasswordHasher } from "../accounts/password-hasher.ts";
import type { AccountMailer, PersonAgents } from "../accounts/provider.ports.ts";
import { type AttemptLimits, createAttemptLimits, toNetwork } from "../attempts/attempt-limits.ts";
import { createKnownBrowsers } from "../attempts/known-browsers.ts";
import {
  createFactorPolicy,
  isSufficient,
  type SecondFactorPolicy,
} from "../factors/factor-policy.ts";
import { createFactorsRoutes } from "../factors/factors.routes.ts";
import { asOperator, type FactorsDeps } from "../factors/factors-deps.ts";
import { toPasskeySite } from "../factors/passkeys.ts";
import { createSecondStepRoutes } from "../factors/second-step.routes.ts";
import { answerLogout } from "../logout/logout.routes.ts";
import { createSignIns } from "../sign-ins/sign-ins.ts";
import { CONSOLE_CLIENT_ID, createOidc, MOUNT_PATH } from "./create-oidc.ts";
import { createEndSessionRoute } from "./end-session.routes.ts";
import { createInteractions, type PeopleCall } from "./interactions.routes.ts";
import { createPeopleRoutes } from "./people.routes.ts";
import { createSessionRenewal } from "./renew-session.ts";
import { assertFromOrigin, assertNotEmbedded } from "./same-origin.routes.ts";
import { openSigningKeys } from "./signing-keys.ts";
import { createSsoFormRoutes, type SingleSignOn } from "./sso-form.routes.ts";
import { toLibraryRequest } from "./to-library-request.routes.ts";

/** Where it is mounted, below the public address of the console. */
export const IDENTITY_PROVIDER_PREFIX = MOUNT_PATH;

export type IdentityProviderDeps = Pick<
  AppServices,
  "transact" | "clock" | "newId" | "logger" | "randomBytes"
> & {
  mailer: AccountMailer;
  agents: PersonAgents;
  /** Left out: no tenant has one. */
  singleSignOn?: SingleSignOn | undefined;
  /** Shared by all serving threads; left out: this thread counts for itself. */
  attempts?: AttemptLimits | undefined;
};

export type IdentityProviderOptions = {
  /** Public address of the console, without a slash at the end. */
  consoleUrl: string;
  /** The product name in mails. */
  brand: string;
  /** True if accounts work only once their address is confirmed by mail. */
  confirmEmail: boolean;
  /** Minimum length of a password, in characters. */
  passwordLengthMin: number;
  /** Encrypts the signing keys in the database and signs the cookies of known browsers; at least 32 characters, the same in every process. */
  secret: string;
  /** Addresses and ranges of proxies in front. */
  trustedProxies: readonly string[];
  /** Whose sign-in needs a second factor, apart from people who set one up. Default: `optional`. */
  secondFactor?: SecondFactorPolicy;
  /** E-mail addresses of operators in the configuration. */
  operators?: readonly string[];
  /** The cost of a password hash. Default: OWASP's smallest setting. */
  passwordCost?: PasswordCost;
};

export interface IdentityProvider {
  /** Answers a request whose path is `/idp` or below. @throws {AppError} for a request that is refused before the answer began. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** The public address of the console and `/idp`. */
  issuer: string;
  clientId: string;
  /** The keys that currently verify ID tokens, the signing one first. */
  publicKeys(): readonly JWK[];
  /** What people with an account here change about it themselves. */
  ownAccounts: OwnAccounts;
  /** Passwords hashed so far, and those waiting, for tests and the health check. */
  readonly hashing: { done: number; waiting: number };
  /** Resolves when all work after answers is done, such as sending mails. */
  settle(): Promise<void>;
  /** Waits for work in progress, then ends the thread that hashes. */
  stop(): Promise<void>;
}

type Route = {
  methods: readonly string[];
  path: RegExp;
  answer(call: PeopleCall, uid: string): Promise<void>;
};

const UID = "([A-Za-z0-9_-]{16,128})";

/** Verifiers take keys from memory, so keys are renewed even when no one signs in. */
const KEYS_CHECK_MS = 30_000;

function toPath(url: string): string {
  const queryAt = url.indexOf("?");
  return (queryAt === -1 ? url : url.slice(0, queryAt)).slice(MOUNT_PATH.length);
}

/**
 * Starts the built-in OpenID provider: accounts with passwords, for the console.
 *
 */
export async function createIdentityProvider(
  deps: IdentityProviderDeps,
  options: IdentityProviderOptions,
): Promise<IdentityProvider> {
  const { consoleUrl } = options;
  const publicUrl = new URL(consoleUrl);
  const issuer = `${consoleUrl}${MOUNT_PATH}`;
  const trusted = parseTrustedProxies(options.trustedProxies);
  const keys = await openSigningKeys(deps, options.secret);
  const hasher = await startPasswordHasher(
    deps,
    options.passwordCost === undefined ? {} : { cost: options.passwordCost },
  );
  const background = createBackgroundWork(deps);
  const limits = deps.attempts ?? createAttemptLimits(deps.clock);
  const accountsDeps = { ...deps, hasher, background, limits };
  const accountsOptions = {
    brand: options.brand,
    consoleUrl,
    confirmEmail: options.confirmEmail,
    passwordLengthMin: options.passwordLengthMin,
  };
  const accounts = createAccounts(accountsDeps, accountsOptions);
  const ownAccounts = createOwnAccounts(accountsDeps, accountsOptions);
  const moves = createAddressMoves(accountsDeps, accountsOptions);
  const signIns = createSignIns(deps);
  const knownBrowsers = createKnownBrowsers(deps, {
    secret: options.secret,
    isSecure: publicUrl.protocol === "https:",
  });
  const policy = createFactorPolicy({
    policy: options.secondFactor ?? "optional",
    operators: options.operators ?? [],
  });
  const factors: FactorsDeps = {
    ...deps,
    sealer: createSealer(options.secret, "second factors"),
    site: toPasskeySite(consoleUrl, options.brand),
    stage: { brand: options.brand, consoleUrl },
    policy,
  };
  const interactions = createInteractions(deps, { consoleUrl });
  const { singleSignOn } = deps;
  const shared = {
    ...factors,
    accounts,
    moves,
    knownBrowsers,
    interactions,
    limits,
    singleSignOn,
  };
  const people = createPeopleRoutes(shared, { consoleUrl });
  const ssoForm = createSsoFormRoutes({ ...deps, interactions }, { consoleUrl });
  const secondStep = createSecondStepRoutes({ ...shared, confirmEmail: options.confirmEmail });
  const ownFactors = createFactorsRoutes({
    ...shared,
    renewSession: createSessionRenewal(deps.clock, consoleUrl),
  });
  const endSession = createEndSessionRoute(deps, {
    consoleUrl,
    issuer,
    publicKeys: keys.publicKeys,
  });

  async function isEnough(
    account: NonNullable<Awaited<ReturnType<typeof accounts.find>>>,
    methods: readonly string[] | undefined,
  ) {
    const isRequired = await asOperator(deps, (tx) => policy.isRequired(tx, account));
    return isSufficient({ account, isRequired, methods });
  }

  let running: { kids: string; provider: Provider; listener: Listener } | undefined;
  type Listener = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

  /** The provider for the current keys. When they change, it is replaced. */
  async function getRunning() {
    const current = await keys.current();
    const kids = current.map((key) => key.kid).join(" ");
    if (running?.kids !== kids) {
      const provider = createOidc(
        { ...deps, accounts, signIns, isSufficient: isEnough },
        { consoleUrl, keys: current },
      );
      running = { kids, provider, listener: provider.callback() };
    }
    return running;
  }

  async function askLibrary({ req, res }: PeopleCall): Promise<void> {
    const { listener } = await getRunning();
    if (req.method === "POST" && req.headers.origin !== undefined) {
      assertFromOrigin(req.headers, publicUrl.origin);
    }
    toLibraryRequest(req, { publicUrl, mountPath: MOUNT_PATH });
    await listener(req, res);
  }

  async function beginSso(call: PeopleCall, uid: string): Promise<void> {
    await limits.take("begin", { network: call.network });
    await ssoForm.begin(call, uid);
  }

  /** People come back here from their provider, by a redirect or by a form of its page. */
  async function answerSso(call: PeopleCall): Promise<void> {
    await limits.take("resume", { network: call.network });
    await ssoForm.answer(call, toPath(call.req.url ?? "/"));
  }

  /** Comes from the tenant's provider itself, and may be about many people in a minute. */
  async function endSsoSessions(call: PeopleCall, tenant: string): Promise<void> {
    if (singleSignOn === undefined) {
      throw resourceNotFound("address");
    }
    await answerLogout({ ...deps, attempts: limits }, call, {
      network: call.network,
      end: (token) => singleSignOn.endSessions(tenant, token),
    });
  }

  /** The library knows only the keys it may sign with; those of other machines are trusted too. */
  function sendKeys({ res }: PeopleCall): Promise<void> {
    sendJson(res, 200, { keys: keys.publicKeys() });
    return Promise.resolve();
  }

  async function begin(call: PeopleCall): Promise<void> {
    assertNotEmbedded(call.req.headers, publicUrl.origin);
    await limits.take("begin", { network: call.network });
    await askLibrary(call);
  }

  async function resume(call: PeopleCall): Promise<void> {
    await limits.take("resume", { network: call.network });
    await askLibrary(call);
  }

  const routes: readonly Route[] = [
    { methods: ["GET"], path: /^\/\.well-known\/openid-configuration$/, answer: askLibrary },
    { methods: ["GET"], path: /^\/jwks$/, answer: sendKeys },
    { methods: ["GET"], path: /^\/auth$/, answer: begin },
    { methods: ["GET"], path: new RegExp(`^/auth/${UID}$`), answer: resume },
    { methods: ["POST"], path: /^\/token$/, answer: askLibrary },
    { methods: ["POST"], path: /^\/token\/revocation$/, answer: askLibrary },
    { methods: ["GET", "POST"], path: /^\/me$/, answer: askLibrary },
    { methods: ["GET", "POST"], path: /^\/session\/end$/, answer: endSession },
    { methods: ["GET"], path: new RegExp(`^/interaction/${UID}$`), answer: people.show },
    { methods: ["POST"], path: new RegExp(`^/interaction/${UID}/login$`), answer: people.login },
    {
      methods: ["POST"],
      path: new RegExp(`^/interaction/${UID}/register$`),
      answer: people.register,
    },
    ...secondStep.map(({ path, answer }) => ({
      methods: ["POST"],
      path: new RegExp(`^/interaction/${UID}/${path}$`),
      answer,
    })),
    ...ownFactors.map(({ method, path, answer }) => ({
      methods: [method],
      path: new RegExp(`^/factors${path}$`),
      answer,
    })),
    {
      methods: ["GET", "POST"],
      path: new RegExp(`^/interaction/${UID}/sso$`),
      answer: (call, uid) =>
        call.req.method === "POST" ? beginSso(call, uid) : ssoForm.end(call, uid),
    },
    {
      methods: ["GET", "POST"],
      path: /^\/sso\/[^/]+\/(?:callback|acs|metadata)$/,
      answer: answerSso,
    },
    { methods: ["POST"], path: /^\/sso\/([^/]+)\/logout$/, answer: endSsoSessions },
    { methods: ["POST"], path: /^\/password\/forgot$/, answer: people.forgotPassword },
    { methods: ["POST"], path: /^\/password\/reset$/, answer: people.resetPassword },
    { methods: ["POST"], path: /^\/email\/confirm$/, answer: people.confirmEmail },
    { methods: ["POST"], path: /^\/email\/change$/, answer: people.changeEmail },
    { methods: ["POST"], path: /^\/email\/undo$/, answer: people.undoEmail },
  ];

  function toPeopleNetwork(req: IncomingMessage): string {
    const peer = toCanonicalAddress(req.socket.remoteAddress ?? "") ?? "unknown";
    const forwardedFor = req.headers["x-forwarded-for"]?.toString();
    return toNetwork(findClientAddress({ peer, forwardedFor, trusted }));
  }

  await getRunning();
  const look = setInterval(() => {
    keys.current().catch((error: unknown) => {
      deps.logger.error({ err: error }, "no key can sign");
    });
  }, KEYS_CHECK_MS);
  look.unref();

  return {
    issuer,
    clientId: CONSOLE_CLIENT_ID,
    publicKeys: keys.publicKeys,
    ownAccounts,
    get hashing() {
      return hasher.load;
    },
    async handle(req, res) {
      res.setHeader("cache-control", "no-store");
      res.setHeader("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
      const path = toPath(req.url ?? "/");
      const route = routes.find((one) => one.path.test(path));
      if (route === undefined) {
        throw resourceNotFound("address");
      }
      if (!route.methods.includes(req.method ?? "GET")) {
        throw new AppError({
          code: "METHOD_NOT_ALLOWED",
          publicMessage: `This address accepts ${route.methods.join(", ")}.`,
          headers: { allow: route.methods.join(", ") },
        });
      }
      const { provider } = await getRunning();
      const uid = route.path.exec(path)?.[1] ?? "";
      await route.answer({ req, res, provider, network: toPeopleNetwork(req) }, uid);
    },
    settle: background.settle,
    stop: async () => {
      clearInterval(look);
      await background.settle();
      await hasher.stop();
    },
  };
}

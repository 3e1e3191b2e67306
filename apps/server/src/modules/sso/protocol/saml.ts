import { type CacheProvider, SAML, ValidateInResponseTo } from "@node-saml/node-saml";
import type { Clock } from "#platform/clock.ts";
import type { SamlSettings } from "./read-saml-metadata.ts";
import { SsoError, type SsoPerson, toPerson } from "./sso-error.ts";

/** How this service names itself to a tenant's provider. */
export type SamlService = { entityId: string; acsUrl: string };

/** The secrets of one attempt: `relayState` finds it again, `requestId` must be repeated in what is signed. */
export type SamlAttempt = { relayState: string; requestId: string };

/** How far the provider's clock may be from ours. */
const CLOCK_TOLERANCE_MS = 60_000;
const ATTEMPT_MS = 10 * 60_000;
/** Of a response after decoding, in bytes. */
const RESPONSE_BYTES_MAX = 256 * 1024;

const EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const TRANSIENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
const CLAIMS = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
/** The names under which providers send an e-mail address, most exact first. */
const EMAIL_ATTRIBUTES = [
  "email",
  "mail",
  "emailAddress",
  `${CLAIMS}/emailaddress`,
  "urn:oid:0.9.2342.19200300.100.1.3",
];
const NAME_ATTRIBUTES = [
  "displayName",
  "name",
  "http://schemas.microsoft.com/identity/claims/displayname",
  "urn:oid:2.16.840.1.113730.3.1.241",
  `${CLAIMS}/name`,
];
/** SHA-1 no longer proves who signed. */
const WEAK_ALGORITHMS = /xmldsig#(?:rsa-|dsa-|hmac-)?sha1|xmldsig-more#(?:rsa-)?md5/;

/** Checks times by the product's clock. */
class ClockedSaml extends SAML {
  readonly #clock: Pick<Clock, "now">;

  constructor(clock: Pick<Clock, "now">, options: ConstructorParameters<typeof SAML>[0]) {
    super(options);
    this.#clock = clock;
  }

  protected override checkTimestampsValidityError(
    _nowMs: number,
    notBefore: string,
    notOnOrAfter: string,
    maxTimeLimitMs?: number,
  ): Error | null {
    const nowMs = this.#clock.now().getTime();
    return super.checkTimestampsValidityError(nowMs, notBefore, notOnOrAfter, maxTimeLimitMs);
  }
}

/** The library wants to know when a request was made. Its age is bounded here by the attempt, which is taken once. */
const NEVER_TOO_OLD = "9999-12-31T23:59:59Z";

/** The one request that a response may answer. */
function createRequestMemory(requestId: string): CacheProvider {
  return {
    saveAsync: (_key, value) => Promise.resolve({ value, createdAt: 0 }),
    getAsync: (key) => Promise.resolve(key === requestId ? NEVER_TOO_OLD : null),
    removeAsync: (key) => Promise.resolve(key),
  };
}

function createSaml(
  clock: Pick<Clock, "now">,
  settings: SamlSettings,
  service: SamlService,
  requestId: string,
): ClockedSaml {
  return new ClockedSaml(clock, {
    idpCert: settings.certificates,
    entryPoint: settings.signInUrl,
    issuer: service.entityId,
    audience: service.entityId,
    callbackUrl: service.acsUrl,
    // The name id may be of any format: the provider knows its people by it.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    acceptedClockSkewMs: CLOCK_TOLERANCE_MS,
    // One signature is needed and enough, of the response or of the assertion: what it does not cover is not read.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: ATTEMPT_MS,
    cacheProvider: createRequestMemory(requestId),
    generateUniqueId: () => requestId,
  });
}

type Xml = Record<string, unknown>;

/** The first child of a parsed document: each name has a list. */
function first(parent: unknown, name: string): Xml | undefined {
  const list: unknown = typeof parent === "object" && parent !== null && (parent as Xml)[name];
  const item: unknown = Array.isArray(list) ? list[0] : undefined;
  if (typeof item === "string") {
    return { _: item };
  }
  return typeof item === "object" && item !== null ? (item as Xml) : undefined;
}

function attributeOf(node: Xml | undefined, name: string): string | undefined {
  const attributes = node?.["$"];
  const value: unknown =
    typeof attributes === "object" && attributes !== null && (attributes as Xml)[name];
  return typeof value === "string" ? value : undefined;
}

function pick(attributes: Xml, names: readonly string[]): string | undefined {
  const values = names.map((name) => attributes[name]);
  const found = values.map((value: unknown) =>
    Array.isArray(value) ? (value[0] as unknown) : value,
  );
  return found.find((value): value is string => typeof value === "string" && value !== "");
}

/**
 * The person of an assertion whose signature, times and audience are checked.
 *
 * @throws {SsoError} `sso_failed` when it was made for another request, address or provider.
 */
function readAssertion(
  document: unknown,
  attributes: Xml,
  input: { settings: SamlSettings; service: SamlService; requestId: string },
): SsoPerson {
  const { settings, service, requestId } = input;
  const assertion = (document as Xml | undefined)?.["Assertion"];
  if (first(assertion, "Issuer")?.["_"] !== settings.entityId) {
    throw new SsoError("sso_failed", "The assertion names another issuer.");
  }
  const subject = first(assertion, "Subject");
  const confirmation = first(first(subject, "SubjectConfirmation"), "SubjectConfirmationData");
  // Both are inside of what is signed: those of the response need not be.
  if (attributeOf(confirmation, "InResponseTo") !== requestId) {
    throw new SsoError("sso_failed", "The assertion answers no sign-in that was begun here.");
  }
  if (attributeOf(confirmation, "Recipient") !== service.acsUrl) {
    throw new SsoError("sso_failed", `The assertion's recipient is not ${service.acsUrl}.`);
  }
  if (attributeOf(confirmation, "NotOnOrAfter") === undefined) {
    throw new SsoError("sso_failed", "The assertion does not say until when it is good.");
  }
  const nameId = first(subject, "NameID");
  const format = attributeOf(nameId, "Format");
  const sent = pick(attributes, EMAIL_ATTRIBUTES);
  const email = sent ?? (format === EMAIL_FORMAT ? nameId?.["_"] : undefined);
  return toPerson({
    // A transient id is another one at every sign-in.
    subject: format === TRANSIENT_FORMAT ? email : nameId?.["_"],
    email,
    name: pick(attributes, NAME_ATTRIBUTES),
    source: "The assertion",
  });
}

/** Speaks SAML 2.0 with a tenant's provider: a request by redirect, a signed response by POST. */
export interface SamlProtocol {
  /** @returns The provider's address to which the browser goes. */
  begin(settings: SamlSettings, service: SamlService, attempt: SamlAttempt): Promise<URL>;
  /** @param response - `SAMLResponse` as it came, in Base64. @throws {SsoError} */
  finish(
    settings: SamlSettings,
    service: SamlService,
    input: { requestId: string; response: string },
  ): Promise<SsoPerson>;
  /** What an owner gives to the provider, as XML. */
  describe(service: SamlService): string;
}

export function createSamlProtocol({ clock }: { clock: Pick<Clock, "now"> }): SamlProtocol {
  return {
    begin: async (settings, service, { relayState, requestId }) => {
      const saml = createSaml(clock, settings, service, requestId);
      return new URL(await saml.getAuthorizeUrlAsync(relayState, undefined, {}));
    },

    finish: async (settings, service, { requestId, response }) => {
      const bytes = Buffer.from(response, "base64");
      if (bytes.length === 0 || bytes.length > RESPONSE_BYTES_MAX) {
        throw new SsoError("sso_failed", "The response is empty or too large.");
      }
      const xml = bytes.toString("utf8");
      if (/<!DOCTYPE|<!ENTITY/i.test(xml)) {
        throw new SsoError("sso_failed", "The response has a document type.");
      }
      if (WEAK_ALGORITHMS.test(xml)) {
        throw new SsoError("sso_failed", "The response is signed with SHA-1. Choose SHA-256.");
      }
      const saml = createSaml(clock, settings, service, requestId);
      const { profile } = await saml
        .validatePostResponseAsync({ SAMLResponse: response })
        .catch((cause: unknown) => {
          const reason = cause instanceof Error ? cause.message : String(cause);
          const isDenied = reason.includes("AuthnFailed") || reason.includes("RequestDenied");
          throw new SsoError(
            isDenied ? "sso_denied" : "sso_failed",
            `The response is not accepted: ${reason}.`,
            { cause },
          );
        });
      if (profile === null) {
        throw new SsoError("sso_failed", "The response names no person.");
      }
      const { attributes } = profile;
      return readAssertion(profile.getAssertion?.(), (attributes ?? {}) as Xml, {
        settings,
        service,
        requestId,
      });
    },

    describe: (service) =>
      new SAML({
        // Metadata describe this service alone, and the library asks for a certificate all the same.
        idpCert: "unused",
        issuer: service.entityId,
        callbackUrl: service.acsUrl,
        identifierFormat: EMAIL_FORMAT,
        wantAssertionsSigned: true,
      }).generateServiceProviderMetadata(null),
  };
}

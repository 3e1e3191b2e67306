import { createHmac, hkdfSync } from "node:crypto";
import { basename } from "node:path";
import type { Config } from "./config.ts";

/** The secrets that each node needs, given or generated. */
export type NodeSecrets = { signing: string; identity: string; webhook: string };

export type NodeFingerprint = {
  /** Keyed hashes, by the name under which a person sets the value. */
  parts: Record<string, string>;
  /** Names of those that may differ while nodes are changed one after the other. */
  changeable: ReadonlySet<string>;
};

/** Of one machine, or without an effect once the database has its catalogue. */
const OWN: ReadonlySet<string> = new Set<keyof Config>([
  "port",
  "gatewayPort",
  "listen",
  "workers",
  "dataFolder",
  "isDataFolderNamed",
  "logLevel",
  "databaseUrl",
  "databaseUser",
  "nodesMayDiffer",
  "configFile",
  "configPath",
  "catalogFile",
  "catalog",
  "checkout",
]);

/** Those of the environment, by their fields. Both variables of Stripe's test mode make one field. */
const VARIABLES = {
  signingSecret: "TURNPIKE_SIGNING_SECRET",
  identitySecret: "TURNPIKE_IDENTITY_SECRET",
  webhookSecret: "TURNPIKE_WEBHOOK_SECRET",
  smtpPassword: "TURNPIKE_SMTP_PASSWORD",
  s3SecretKey: "TURNPIKE_S3_SECRET_KEY",
  clickhousePassword: "TURNPIKE_CLICKHOUSE_PASSWORD",
  valkeyUrl: "TURNPIKE_VALKEY_URL",
  directoryUrl: "TURNPIKE_DIRECTORY_URL",
  cellsSecret: "TURNPIKE_CELLS_SECRET",
  stripeKeys: "TURNPIKE_STRIPE_*",
  modelKey: "TURNPIKE_MODEL_KEY",
  clientSecrets: "TURNPIKE_CLIENT_SECRETS",
} as const satisfies Partial<Record<keyof Config, string>>;

export const IDENTITY_SECRET_NAME = VARIABLES.identitySecret;

/** Without the same ones nodes cannot read what the others wrote, so these never differ. */
const FIXED: ReadonlySet<string> = new Set([
  VARIABLES.signingSecret,
  VARIABLES.identitySecret,
  VARIABLES.webhookSecret,
]);

/** What is encrypted or signed with these moves with a tenant, so they are equal in the cells that it moves between. */
export const MOVING_SECRETS: readonly string[] = [...FIXED, VARIABLES.stripeKeys];

const KEY_BYTES = 32;

function toFingerprintKey(identitySecret: string): Buffer {
  return Buffer.from(
    hkdfSync("sha256", identitySecret, "", "turnpike: fingerprint of a node", KEY_BYTES),
  );
}

/** The name is part of what is hashed: two equal secrets look different. */
function toHash(key: Buffer, name: string, value: unknown): string {
  return createHmac("sha256", key)
    .update(`${name}\n${toStableText(value)}`)
    .digest("hex");
}

const CELL_NAME = "cell in turnpike.yaml";

/** True when a fingerprint, made with the same identity secret, is that of a node of the cell. */
export function isNodeOfCell(
  fingerprint: Readonly<Record<string, string>>,
  { identitySecret, ...cell }: { identitySecret: string; name: string; address: string },
): boolean {
  const key = toFingerprintKey(identitySecret);
  return [true, false].some(
    (plainHttp) => fingerprint[CELL_NAME] === toHash(key, CELL_NAME, { ...cell, plainHttp }),
  );
}

/** Writes objects with their keys in order, so that equal values give equal texts. */
function toStableText(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "bigint") {
      return String(part);
    }
    return typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  });
  return text ?? "";
}

const nameOf = (path: string | undefined) => (path === undefined ? undefined : basename(path));

/** Files by their names: each machine may have them in a folder of its own. */
function withoutFolders(config: Config): Config {
  const { upstreams, legal, billing } = config;
  return {
    ...config,
    upstreams: upstreams?.map((upstream) =>
      upstream.openapi !== undefined && "file" in upstream.openapi
        ? { ...upstream, openapi: { ...upstream.openapi, file: basename(upstream.openapi.file) } }
        : upstream,
    ),
    legal: { ...legal, terms: nameOf(legal.terms), privacy: nameOf(legal.privacy) },
    billing: {
      ...billing,
      seller: { ...billing.seller, logo: nameOf(billing.seller.logo) },
      documents: { ...billing.documents, font: nameOf(billing.documents.font) },
    },
  };
}

/**
 * What must be equal on all nodes of a database, as hashes that tell nothing to who lacks the identity secret: passwords may be
 * short enough to be guessed, and the hashes are kept in the database.
 */
export function toNodeFingerprint(config: Config, secrets: NodeSecrets): NodeFingerprint {
  const key = toFingerprintKey(secrets.identity);
  const filled = {
    ...withoutFolders(config),
    signingSecret: secrets.signing,
    identitySecret: secrets.identity,
    webhookSecret: secrets.webhook,
  };
  const variables: Readonly<Record<string, string>> = VARIABLES;
  const parts: Record<string, string> = {};
  for (const [field, value] of Object.entries(filled)) {
    if (!OWN.has(field)) {
      const name = variables[field] ?? `${field} in turnpike.yaml`;
      parts[name] = toHash(key, name, value);
    }
  }
  const changeable = new Set(Object.keys(parts).filter((name) => !FIXED.has(name)));
  return { parts, changeable };
}

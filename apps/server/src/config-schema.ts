import { catalogInput } from "@turnpike/contract/catalog";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { ADDRESS_MODES, PATH_MODES } from "@turnpike/domain/privacy/redact";
import { z } from "zod";
import { billingSection } from "./config-billing.ts";
import { brandSection } from "./config-brand.ts";
import { cellSection, cellVariables } from "./config-cell.ts";
import { clickhouseSection, clickhouseVariables } from "./config-clickhouse.ts";
import { clientSecretVariables } from "./config-client-secrets.ts";
import { databaseAddress } from "./config-database-address.ts";
import { filesSection } from "./config-files.ts";
import { intelligenceSection, modelVariables } from "./config-intelligence.ts";
import { cidr, hostName } from "./config-networks.ts";
import { origin } from "./config-origin.ts";
import { landingSection, legalSection, referenceSection } from "./config-public-pages.ts";
import { rateLimitsSection, valkeyVariables } from "./config-rate-limits.ts";
import { retentionSection } from "./config-retention.ts";
import { identityConfig } from "./config-schema-identity.ts";
import { writeLike } from "./config-shape.ts";
import { storageSection } from "./config-storage.ts";
import { stripeVariables } from "./config-stripe.ts";
import { tokensSection } from "./config-tokens.ts";

/** Milliseconds; an hour is longer than any call should hang. */
const timeoutMs = z.number().int().min(1).max(3_600_000);

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) {
    return true;
  }
  const { username, password, search, hash } = new URL(text);
  return username === "" && password === "" && search === "" && hash === "";
}

type Place = { name: string; hosts?: readonly string[] | undefined; prefix: string };

/** Two upstreams with one name are ambiguous, and of two with the same host and prefix the second would never be reached. */
function findTwin(upstreams: readonly Place[], index: number): string | undefined {
  const own = upstreams[index];
  const before = upstreams.slice(0, index);
  if (own === undefined) {
    return;
  }
  if (before.some((other) => other.name === own.name)) {
    return `There is another upstream named ${own.name}.`;
  }
  const placesOf = ({ hosts, prefix }: Place) =>
    (hosts ?? ["*"]).map((host) => `${host.toLowerCase()} ${prefix}`);
  const taken = new Set(before.flatMap(placesOf));
  return placesOf(own).some((place) => taken.has(place))
    ? "Another upstream serves the same host and prefix."
    : undefined;
}

/** Each holds connections to the database, of which a server has a hundred by default. */
export const WORKERS_MAX = 16;
const WORKERS_EXPECTED = `A whole number from 1 to ${String(WORKERS_MAX)}, or auto.`;
const workers = z
  .union(
    [z.literal("auto"), z.int().min(1, WORKERS_EXPECTED).max(WORKERS_MAX, WORKERS_EXPECTED)],
    WORKERS_EXPECTED,
  )
  .describe(
    `Threads that serve calls: 1 to ${String(WORKERS_MAX)}, or \`auto\` for one a core. They share both ports and all limits. More than 1 needs a system that spreads the connections of a port, such as Linux. \`TURNPIKE_WORKERS\` overrides it.`,
  );

const openapiSource = z
  .strictObject(
    {
      file: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .describe(
          "Path of the document, relative to this file. A broken one is a mistake at start.",
        ),
      url: z
        .url({
          protocol: /^https?$/,
          error: "An address such as http://127.0.0.1:8080/openapi.json.",
        })
        .refine(
          (text) => isPlainAddress(text.replace(/\?.*$/s, "")),
          "An address without user or fragment.",
        )
        .optional()
        .describe(
          "Where the document is. While it cannot be read or is broken, the last good one is used, and the health says so.",
        ),
      refreshSeconds: z
        .number()
        .int()
        .min(10)
        .max(604_800)
        .default(3_600)
        .describe("Seconds after which the document is looked at again."),
    },
    writeLike("openapi: { file: openapi.yaml }, or { url: http://127.0.0.1:8080/openapi.json }"),
  )
  .refine(
    ({ file, url }) => (file === undefined) !== (url === undefined),
    "Either `file` or `url`.",
  );

const upstream = z.strictObject(
  {
    name: z
      .string()
      .regex(
        /^[a-z][a-z0-9-]{0,62}$/,
        "Lower-case letters, digits and dashes, starting with a letter.",
      )
      .describe("What the log calls it."),
    url: z
      .url({ protocol: /^https?$/, error: "An address such as http://127.0.0.1:8080." })
      .refine(isPlainAddress, "An address without user, query or fragment.")
      .describe(
        "Where the API is: http or https, a host, optionally a port and a path to put in front. No query, no user.",
      ),
    testUrl: z
      .union([z.literal("same"), z.url({ protocol: /^https?$/ }).refine(isPlainAddress)], {
        error: "An address such as http://127.0.0.1:8081, or the word same.",
      })
      .optional()
      .describe(
        "Where calls with test keys go: an address like `url`, or `same` to let them reach the live API. Left out: they are refused (NO_TEST_UPSTREAM).",
      ),
    hosts: z
      .array(z.string().min(1).max(253).describe("A name without port, or `*.example.com`."))
      .max(50)
      .optional()
      .describe("Host names it serves. Left out: every host."),
    prefix: z
      .string()
      .startsWith("/", "Starts with a slash.")
      .max(200)
      .default("/")
      .describe(
        "Path it serves, at whole segments: `/v1` takes `/v1` and `/v1/x`, not `/v10`. The longest one wins.",
      ),
    stripPrefix: z.boolean().default(false).describe("Removes the prefix before the call goes on."),
    preserveHost: z
      .boolean()
      .default(false)
      .describe("Sends the caller's Host header instead of the upstream's own."),
    maxRequestBytes: z
      .number()
      .int()
      .min(0)
      .max(1024 ** 4)
      .default(100 * 1024 * 1024)
      .describe("The largest body, in bytes. Bodies are streamed, so this protects the upstream."),
    maxConcurrent: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(512)
      .describe(
        "Calls under way at once, from all nodes together where `rateLimits.store` is `postgres` or `valkey`; further ones get 503. Each holds a socket on both sides, of which a system has about a hundred thousand.",
      ),
    tenantSharePercent: z
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe(
        "The largest part of `maxConcurrent` that one tenant may hold, in percent. It may hold no more than this proportion of what stays free for others: at 50 one tenant gets half, two get a third each. 100 keeps nothing free.",
      ),
    openapi: openapiSource
      .optional()
      .describe(
        "The OpenAPI document (3.0 or 3.1, JSON or YAML, up to 16 MB) whose paths are the routes that usage is broken down by. Left out, and for paths that it does not have, routes are learned.",
      ),
    tokens: tokensSection
      .optional()
      .describe(
        "For an API that answers with tokens: how its calls are metered by them. See [APIs that answer with tokens](tokens.md).",
      ),
    timeouts: z
      .strictObject({
        connectMs: timeoutMs
          .default(5_000)
          .describe("Milliseconds until a connection to the upstream is open."),
        headersMs: timeoutMs
          .default(60_000)
          .describe(
            "Milliseconds from the last byte of the request to the upstream's status line.",
          ),
        idleMs: timeoutMs
          .default(120_000)
          .describe("The longest silence inside an answer and on a WebSocket, in milliseconds."),
      })
      .prefault({}),
  },
  writeLike("- { name: api, url: http://127.0.0.1:8080 }"),
);

/** The whole of turnpike.yaml. Every value has a default: no file at all is a valid configuration. */
export const configFile = z.strictObject({
  brand: brandSection,
  listen: z
    .strictObject({
      host: z
        .string()
        .min(1)
        .max(253)
        .default("127.0.0.1")
        .describe(
          "Address that both ports listen on: this machine alone by default, `0.0.0.0` or `::` to serve others.",
        ),
      maxConnectionsPerAddress: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .default(1_000)
        .describe(
          "Open connections of one address (of IPv6, of one /64) to each port at once; further ones are closed. Those of `trustedProxies` and of this machine are not counted.",
        ),
      drainSeconds: z
        .number()
        .int()
        .min(0)
        .max(300)
        .default(0)
        .describe(
          "Seconds between the signal to stop, from which on `/health/ready` answers 503, and the end of both ports: as long as a load balancer takes to notice.",
        ),
    })
    .prefault({}),
  /** How people and programs reach the two listeners; links, snippets and error addresses use them. */
  publicUrls: z
    .strictObject(
      {
        console: origin
          .optional()
          .describe(
            "How people reach the console and the API. Default: this machine and its port. Error pages and links use it.",
          ),
        gateway: origin
          .optional()
          .describe("How programs reach the gateway. Default: this machine and its port."),
      },
      writeLike("publicUrls: { console: https://example.com, gateway: https://api.example.com }"),
    )
    .prefault({}),
  workers: workers.default(1),
  trustedProxies: z
    .array(cidr.describe("An address or a range such as `10.0.0.0/8`."))
    .max(100)
    .default([])
    .describe(
      "Proxies in front of the gateway whose `X-Forwarded-*` is believed. Everybody else's is removed.",
    ),
  cors: z
    .strictObject({
      origins: z
        .array(origin)
        .max(50)
        .default([])
        .describe(
          "Origins of other sites whose pages may call the API, as browsers send them: `https://app.example.com`, no path behind. They need a bearer credential all the same.",
        ),
    })
    .prefault({}),
  upstreams: z
    .array(upstream, writeLike("upstreams: [{ name: api, url: http://127.0.0.1:8080 }]"))
    .min(1)
    .max(100)
    .superRefine((upstreams, context) => {
      for (const index of upstreams.keys()) {
        const message = findTwin(upstreams, index);
        if (message !== undefined) {
          context.addIssue({ code: "custom", path: [index], message });
        }
      }
    })
    .optional()
    .describe("The APIs behind the gateway. Default: the demo API that comes with Turnpike."),
  gateway: z
    .strictObject({
      maxConnections: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .default(10_000)
        .describe("Open connections to the gateway at once; each takes about 20 kB of memory."),
    })
    .prefault({}),
  api: z
    .strictObject({
      maxConnections: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .default(10_000)
        .describe(
          "Open connections to the port for people at once, for the console, the API and verification.",
        ),
      writesPerMinute: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .default(600)
        .describe(
          "Changes through the API that one sender (a tenant with all of its keys, or one person who is no operator) may make in a minute; further ones get 429.",
        ),
    })
    .prefault({}),
  metering: z
    .strictObject({
      groupIntervalMs: z
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(50)
        .describe(
          "Milliseconds of usage that are collected before they are written. A crash of the process loses at most this much, hence the bound.",
        ),
      durability: z
        .enum(["grouped", "strict", "cluster"])
        .default("grouped")
        .describe(
          "`cluster` holds them until it is committed to the database: nothing is lost with a machine that never returns, calls also take longer by a commit, and are refused while the database is away. `strict` holds every answer of the gateway, and every verification and authorisation that lets a call pass, until its usage is on disk: nothing is lost, and calls take longer by up to `groupIntervalMs` and one flush.",
        ),
    })
    .prefault({}),
  rateLimits: rateLimitsSection,
  retention: retentionSection,
  storage: storageSection,
  files: filesSection,
  clickhouse: clickhouseSection
    .optional()
    .describe(
      "A ClickHouse that answers the operator's questions over all tenants. Left out: PostgreSQL answers them. See [Many machines](scale.md#clickhouse).",
    ),
  cell: cellSection
    .optional()
    .describe(
      "This installation as one cell of several, which find each other's tenants in the directory at `TURNPIKE_DIRECTORY_URL`. Left out: it stands alone. See [Many machines](scale.md#cells).",
    ),
  billing: billingSection,
  redaction: z
    .strictObject({
      addresses: z
        .enum(ADDRESS_MODES)
        .default("truncated")
        .describe(
          "What the log says of a client's address: `kept`, `truncated` to its network (/24, of IPv6 /48), `hashed` with the signing secret, or `dropped`. The database holds none.",
        ),
      paths: z
        .enum(PATH_MODES)
        .default("templates")
        .describe(
          "What is stored of a path: `templates` are routes, documented or learned, in which words stay; `documented` only those of OpenAPI documents, every other one is `{other}`. Query strings are never stored.",
        ),
    })
    .prefault({})
    .describe("How personal data is redacted before it is stored or logged."),
  mail: z
    .strictObject({
      from: z
        .email()
        .max(320)
        .default("turnpike@localhost.localdomain")
        .describe("Sender of mails."),
      smtp: z
        .strictObject(
          {
            host: z.string().min(1).max(253).describe("Name of the mail server."),
            port: z.number().int().min(1).max(65_535).default(587).describe("Its port."),
            secure: z
              .boolean()
              .default(false)
              .describe("TLS from the first byte. Otherwise STARTTLS when the server offers it."),
            user: z
              .string()
              .min(1)
              .max(320)
              .optional()
              .describe("User of the mail server; the password is `TURNPIKE_SMTP_PASSWORD`."),
          },
          writeLike("smtp: { host: mail.example.com, user: postmaster }"),
        )
        .optional()
        .describe("The mail server. Left out: mails are kept in the outbox."),
    })
    .prefault({}),
  webhooks: z
    .strictObject({
      allowPrivate: z
        .array(
          cidr
            .or(hostName)
            .describe(
              "An address, a range such as `10.1.0.0/16`, or a name such as `hooks.internal`.",
            ),
        )
        .max(100)
        .default([])
        .describe(
          "Places in your own networks that webhooks may lead to, by `http` too and on any port. Left empty, only public addresses are called, by `https` on port 443 or 8443.",
        ),
    })
    .prefault({}),
  leaks: z
    .strictObject({
      policy: z
        .enum(["notify", "revoke"])
        .default("notify")
        .describe(
          "What happens to a key that was found in public: its tenant is notified, or the key is also revoked at once.",
        ),
      githubKeysUrl: z
        .url({
          protocol: /^https?$/,
          error: "An address such as https://api.github.com/meta/public_keys/secret_scanning.",
        })
        .default("https://api.github.com/meta/public_keys/secret_scanning")
        .describe(
          "Where the public keys are by which reports of GitHub's secret scanning are verified; `https`, or `http` on this machine.",
        ),
    })
    .prefault({}),
  identity: identityConfig.prefault({}),
  intelligence: intelligenceSection,
  landing: landingSection,
  legal: legalSection,
  reference: referenceSection,
  log: z
    .strictObject({
      level: z
        .enum(LOG_LEVELS)
        .default("info")
        .describe("The least that is written. `TURNPIKE_LOG_LEVEL` overrides it."),
    })
    .prefault({}),
  catalog: catalogInput
    .describe(
      "Fills an empty database, once. Afterwards a change here has no effect until `turnpike catalog apply turnpike.yaml` publishes it; the start and `turnpike config check` warn of a difference.",
    )
    .prefault({
      meters: [...SAMPLE_CATALOG.meters],
      plans: SAMPLE_CATALOG.plans.map((plan) => ({
        ...plan,
        rateLimits: [...plan.rateLimits],
        quotas: [...plan.quotas],
        scopes: [...(plan.scopes ?? [])],
      })),
      defaultPlanId: SAMPLE_CATALOG.defaultPlanId,
    }),
});
export type ConfigFile = z.infer<typeof configFile>;

const PORT_EXPECTED = "A port number from 0 to 65535.";
const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT_EXPECTED)
  .transform(Number)
  .refine((value) => value <= 65_535, PORT_EXPECTED);

export const environment = z
  .object({
    PORT: port.default(3000),
    GATEWAY_PORT: port.default(3001),
    TURNPIKE_DATA_DIR: z.string().optional(),
    TURNPIKE_CONFIG: z.string().optional(),
    TURNPIKE_LOG_LEVEL: z
      .enum(LOG_LEVELS, { error: `One of ${LOG_LEVELS.join(", ")}.` })
      .optional(),
    TURNPIKE_MODE: z
      .enum(["production", "development"], { error: "production or development." })
      .default("production"),
    TURNPIKE_WORKERS: z
      .string()
      .transform((text) => (/^\d{1,4}$/.test(text) ? Number(text) : text))
      .pipe(workers)
      .optional(),
    TURNPIKE_NODES_MAY_DIFFER: z
      .enum(["true", "false"], { error: "true or false." })
      .default("false")
      .transform((word) => word === "true"),
    TURNPIKE_DATABASE_USER: z.string().optional(),
    TURNPIKE_CONSOLE_URL: origin.optional(),
    TURNPIKE_SIGNING_SECRET: z.string().min(32, "At least 32 characters.").optional(),
    TURNPIKE_IDENTITY_SECRET: z.string().min(32, "At least 32 characters.").optional(),
    TURNPIKE_WEBHOOK_SECRET: z.string().min(32, "At least 32 characters.").optional(),
    TURNPIKE_SMTP_PASSWORD: z.string().optional(),
    TURNPIKE_S3_SECRET_KEY: z
      .string()
      .regex(/^[\x21-\x7e]{8,512}$/, "8 to 512 plain characters without spaces.")
      .optional(),
    ...stripeVariables,
    ...modelVariables,
    ...clientSecretVariables,
    ...valkeyVariables,
    ...clickhouseVariables,
    ...cellVariables,
    DATABASE_URL: databaseAddress.optional(),
  })
  .superRefine((env, context) => {
    if (env.PORT === env.GATEWAY_PORT && env.PORT !== 0) {
      context.addIssue({
        code: "custom",
        path: ["GATEWAY_PORT"],
        message: "Must differ from PORT.",
      });
    }
  });

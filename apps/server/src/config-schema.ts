import { catalogInput } from "@turnpike/contract/catalog";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { ADDRESS_MODES, PATH_MODES } from "@turnpike/domain/privacy/redact";
import { z } from "zod";
import { billingSection } from "./config-billing.ts";
import { brandSection } from "./config-brand.ts";
import { cellSection } from "./config-cell.ts";
import { clickhouseSection } from "./config-clickhouse.ts";
import { filesSection } from "./config-files.ts";
import { intelligenceSection } from "./config-intelligence.ts";
import {
  apiSection,
  corsSection,
  gatewaySection,
  listenSection,
  publicUrlsSection,
} from "./config-listeners.ts";
import { logSection } from "./config-log.ts";
import { mailSection } from "./config-mail.ts";
import { cidr, hostName } from "./config-networks.ts";
import { landingSection, legalSection, referenceSection } from "./config-public-pages.ts";
import { rateLimitsSection } from "./config-rate-limits.ts";
import { retentionSection } from "./config-retention.ts";
import { identityConfig } from "./config-schema-identity.ts";
import { storageSection } from "./config-storage.ts";
import { upstreamsSection } from "./config-upstreams.ts";
import { workers } from "./config-workers.ts";

/** The whole of turnpike.yaml. Every value has a default: no file at all is a valid configuration. */
export const configFile = z.strictObject({
  brand: brandSection,
  listen: listenSection,
  publicUrls: publicUrlsSection,
  workers: workers.default(1),
  trustedProxies: z
    .array(cidr.describe("An address or a range such as `10.0.0.0/8`."))
    .max(100)
    .default([])
    .describe(
      "Proxies in front of the gateway whose `X-Forwarded-*` is believed. Everybody else's is removed.",
    ),
  cors: corsSection,
  upstreams: upstreamsSection,
  gateway: gatewaySection,
  api: apiSection,
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
  mail: mailSection,
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
  log: logSection,
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

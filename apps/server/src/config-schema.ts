import { isIP } from "node:net";
import { catalogInput } from "@turnpike/contract/catalog";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { z } from "zod";

/** `http://` or `https://`, a host, optionally a port; without a slash at the end. */
const origin = z
  .url({ protocol: /^https?$/, error: "An address such as https://api.example.com." })
  .refine((value) => !value.endsWith("/"), "Without a slash at the end.");

const cidr = z.string().refine((value) => {
  const [address = "", bits] = value.split("/");
  return isIP(address) > 0 && (bits === undefined || /^\d{1,3}$/.test(bits));
}, "An IP address or a range such as 10.0.0.0/8.");

/** Milliseconds; an hour is longer than any call should hang. */
const timeoutMs = z.number().int().min(1).max(3_600_000);

const upstream = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,62}$/,
      "Lower-case letters, digits and dashes, starting with a letter.",
    ),
  url: z.url({ protocol: /^https?$/, error: "An address such as http://127.0.0.1:8080." }),
  hosts: z.array(z.string().min(1).max(253)).max(50).optional(),
  prefix: z.string().startsWith("/", "Starts with a slash.").max(200).default("/"),
  stripPrefix: z.boolean().default(false),
  preserveHost: z.boolean().default(false),
  maxRequestBytes: z
    .number()
    .int()
    .min(0)
    .max(1024 ** 4)
    .default(100 * 1024 * 1024),
  maxConcurrent: z.number().int().min(1).max(100_000).default(512),
  timeouts: z
    .strictObject({
      connectMs: timeoutMs.default(5_000),
      headersMs: timeoutMs.default(60_000),
      idleMs: timeoutMs.default(120_000),
    })
    .prefault({}),
});

/** The whole of turnpike.yaml. Every value has a default: no file at all is a valid configuration. */
export const configFile = z.strictObject({
  brand: z
    .strictObject({
      name: z.string().min(1).max(40).default("Turnpike"),
      /** Any CSS colour of the form #rrggbb. */
      accent: z
        .string()
        .regex(/^#[0-9a-fA-F]{6}$/, "A colour such as #f5c400.")
        .default("#f5c400"),
    })
    .prefault({}),
  listen: z
    .strictObject({
      /** The loopback address by default; 0.0.0.0 or :: to serve other machines. */
      host: z.string().min(1).max(253).default("127.0.0.1"),
    })
    .prefault({}),
  /** How people and programs reach the two listeners; links, snippets and error addresses use them. */
  publicUrls: z
    .strictObject({ console: origin.optional(), gateway: origin.optional() })
    .prefault({}),
  /** Proxies in front whose forwarded addresses are believed. */
  trustedProxies: z.array(cidr).max(100).default([]),
  cors: z
    .strictObject({
      /** Origins of other sites whose pages may call the API with a bearer credential. */
      origins: z.array(origin).max(50).default([]),
    })
    .prefault({}),
  upstreams: z.array(upstream).min(1).max(100).optional(),
  gateway: z
    .strictObject({
      /** Open connections at once; each takes about 20 kB. */
      maxConnections: z.number().int().min(1).max(1_000_000).default(10_000),
    })
    .prefault({}),
  metering: z
    .strictObject({
      /** How long usage is collected before it is written: a crash loses at most this much. */
      groupIntervalMs: z.number().int().min(1).max(1_000).default(50),
      /** `strict` holds every answer until its usage is on disk. */
      durability: z.enum(["grouped", "strict"]).default("grouped"),
    })
    .prefault({}),
  mail: z
    .strictObject({
      from: z.email().max(320).default("turnpike@localhost.localdomain"),
      /** Without it, mails are kept on the outbox page. */
      smtp: z
        .strictObject({
          host: z.string().min(1).max(253),
          port: z.number().int().min(1).max(65_535).default(587),
          /** TLS from the first byte; otherwise STARTTLS when offered. */
          secure: z.boolean().default(false),
          user: z.string().min(1).max(320).optional(),
        })
        .optional(),
    })
    .prefault({}),
  log: z
    .strictObject({
      level: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
    })
    .prefault({}),
  /** Seeds an empty database; afterwards the database is the truth. */
  catalog: catalogInput.prefault({
    meters: [...SAMPLE_CATALOG.meters],
    plans: SAMPLE_CATALOG.plans.map((plan) => ({
      ...plan,
      rateLimits: [...plan.rateLimits],
      quotas: [...plan.quotas],
    })),
    defaultPlanId: SAMPLE_CATALOG.defaultPlanId,
  }),
});
export type ConfigFile = z.infer<typeof configFile>;

const port = z.coerce
  .number({ error: "A port number from 0 to 65535." })
  .int("A port number from 0 to 65535.")
  .min(0, "A port number from 0 to 65535.")
  .max(65_535, "A port number from 0 to 65535.");

export const environment = z.object({
  PORT: port.default(3000),
  GATEWAY_PORT: port.default(3001),
  TURNPIKE_DATA_DIR: z.string().optional(),
  TURNPIKE_CONFIG: z.string().optional(),
  TURNPIKE_LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "silent"], {
      error: "One of trace, debug, info, warn, error, silent.",
    })
    .optional(),
  TURNPIKE_DATABASE_USER: z.string().optional(),
  TURNPIKE_SIGNING_SECRET: z.string().min(32, "At least 32 characters.").optional(),
  TURNPIKE_SMTP_PASSWORD: z.string().optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "An address that begins with postgres://.")
    .optional(),
});

import { z } from "zod";
import { writeLike } from "./config-shape.ts";
import { tokensSection } from "./config-tokens.ts";

/** Milliseconds; an hour is longer than any call should hang. */
const timeoutMs = z.number().int().min(1).max(3_600_000);

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

export const upstreamsSection = z
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
  .describe("The APIs behind the gateway. Default: the demo API that comes with Turnpike.");

import { z } from "zod";
import { origin } from "./config-origin.ts";
import { writeLike } from "./config-shape.ts";

export const listenSection = z
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
  .prefault({});

/** How people and programs reach the two listeners; links, snippets and error addresses use them. */
export const publicUrlsSection = z
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
  .prefault({});

export const corsSection = z
  .strictObject({
    origins: z
      .array(origin)
      .max(50)
      .default([])
      .describe(
        "Origins of other sites whose pages may call the API, as browsers send them: `https://app.example.com`, no path behind. They need a bearer credential all the same.",
      ),
  })
  .prefault({});

export const gatewaySection = z
  .strictObject({
    maxConnections: z
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe("Open connections to the gateway at once; each takes about 20 kB of memory."),
  })
  .prefault({});

export const apiSection = z
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
  .prefault({});

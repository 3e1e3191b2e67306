import { isId, type LockId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, keyId, tenantId } from "./shapes.ts";

/** The most units that one call may consume. */
export const COST_MAX = 1_000_000;

/** How long a lock holds its units: by default, and at most. */
export const LOCK_SECONDS = { default: 600, max: 86_400 } as const;

export const LOCK_STATES = ["open", "settled", "released", "lapsed"] as const;

export const lockId = z
  .custom<LockId>((value) => typeof value === "string" && isId("lock", value), {
    error: "Not the id of a lock; it looks like lck_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ type: "string", examples: ["lck_0199f3b0c1d27a4e8f60112233445566"] });

/** Part of a verification: its cost is reserved, and consumed only when the lock is settled. */
export const lockRequest = z.strictObject({
  ttlSeconds: z
    .number()
    .int()
    .min(1)
    .max(LOCK_SECONDS.max)
    .meta({ description: "Seconds after which the units return, unless the lock has ended." })
    .default(LOCK_SECONDS.default),
});

/** The lock that a verification made. */
export const madeLock = z.strictObject({
  lockId,
  /** Units that are held. */
  reserved: z.int(),
  expiresAt: instant,
});

export const lock = z.strictObject({
  ...madeLock.shape,
  state: z.enum(LOCK_STATES),
  tenantId,
  keyId,
  environment: z.enum(ENVIRONMENTS),
  meter: z.string(),
  /** What was finally metered; null unless the lock is settled. */
  cost: z.int().nullable(),
  createdAt: instant,
  /** When it was settled, released or lapsed; null while it is open. */
  endedAt: instant.nullable(),
});
export type Lock = z.infer<typeof lock>;

export const settleLockRequest = z.strictObject({
  lockId,
  /** The actual cost of the call in whole units: less than, equal to or more than the reservation. */
  cost: z.number().int().min(0).max(COST_MAX),
});
export type SettleLockRequest = z.infer<typeof settleLockRequest>;

const tags = ["Keys"];

/** Locks are made by `POST /v1/keys/verify`. */
export const locksContract = {
  get: operation({ scope: "keys:verify" })
    .route({ method: "GET", path: "/locks/{lockId}", summary: "Get a lock on units", tags })
    .input(z.strictObject({ lockId }))
    .output(lock),
  settle: operation({ scope: "keys:verify", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/locks/{lockId}/settle",
      summary: "Meter the actual cost of a call and return the rest of the reservation",
      description:
        "Happens once: repeating the same settlement gets the same answer, a different one gets `LOCK_ENDED`. A cost above the reservation is taken if the limits have room for it. Otherwise the answer is `LOCK_EXCEEDED` and the lock stays open.",
      tags,
    })
    .input(settleLockRequest)
    .output(lock),
  release: operation({ scope: "keys:verify", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/locks/{lockId}/release",
      summary: "Return everything a lock reserved; nothing is metered",
      description: "Repeating a release gets the same answer.",
      tags,
    })
    .input(z.strictObject({ lockId }))
    .output(lock),
};

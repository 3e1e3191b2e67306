import { isId, type LockId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, keyId, tenantId } from "./shapes.ts";

/** Units that one call may take at the most. */
export const COST_MAX = 1_000_000;

/** How long a lock holds its units unless it is said otherwise, and at the most. */
export const LOCK_SECONDS = { default: 600, max: 86_400 } as const;

export const LOCK_STATES = ["open", "settled", "released", "lapsed"] as const;

export const lockId = z
  .custom<LockId>((value) => typeof value === "string" && isId("lock", value), {
    error: "Not the id of a lock; it looks like lck_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ type: "string", examples: ["lck_0199f3b0c1d27a4e8f60112233445566"] });

/** With a verification: its cost is reserved, and taken only when the lock is settled. */
export const lockRequest = z.strictObject({
  ttlSeconds: z
    .number()
    .int()
    .min(1)
    .max(LOCK_SECONDS.max)
    .meta({ description: "After so many seconds the units go back, unless the lock has ended." })
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
  /** What was metered in the end; null unless it is settled. */
  cost: z.int().nullable(),
  createdAt: instant,
  /** When it was settled or released, or lapsed; null while it is open. */
  endedAt: instant.nullable(),
});
export type Lock = z.infer<typeof lock>;

export const settleLockRequest = z.strictObject({
  lockId,
  /** What the call came to, in whole units: less than was reserved, as much, or more. */
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
  settle: operation({ scope: "keys:verify" })
    .route({
      method: "POST",
      path: "/locks/{lockId}/settle",
      summary: "Meter what a call came to, and give back the rest of what its lock reserved",
      description:
        "Happens once: the same settlement again gets the same answer, another one `LOCK_ENDED`. More than was reserved is taken when the limits have room for it, otherwise `LOCK_EXCEEDED`, and the lock stays open.",
      tags,
    })
    .input(settleLockRequest)
    .output(lock),
  release: operation({ scope: "keys:verify" })
    .route({
      method: "POST",
      path: "/locks/{lockId}/release",
      summary: "Give back all that a lock reserved; nothing is metered",
      description: "A release again gets the same answer.",
      tags,
    })
    .input(z.strictObject({ lockId }))
    .output(lock),
};

import { createHash } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { deleteSignInOfGrant, touchSignIn } from "../sign-ins/sign-ins.store.ts";
import {
  consumeRecord,
  deleteRecord,
  deleteRecordsOfGrant,
  extendGrant,
  findRecord,
  findSessionRecord,
  type StoredRecord,
  upsertRecord,
} from "./oidc-records.store.ts";

export type OidcAdapterDeps = Pick<AppServices, "transact" | "clock">;

/** The provider whose records they are: what one has given out means nothing to another. The built-in sign-in has no name. */
export type ProviderName = "" | "agents";

/** Identifiers open sessions and are tokens, so the database stores only their hashes. */
export function toIdHash(provider: ProviderName, model: string, id: string): Uint8Array {
  return createHash("sha256").update(`${provider}${model}\n${id}`).digest();
}

/** Ends a grant and everything given out under it: codes, access tokens, the whole family of refresh tokens. */
export async function revokeGrant(
  tx: Tx,
  grantId: string,
  provider: ProviderName = "",
): Promise<void> {
  await deleteRecord(tx, { model: "Grant", idHash: toIdHash(provider, "Grant", grantId) });
  await deleteRecordsOfGrant(tx, { grantId });
  if (provider === "") {
    await deleteSignInOfGrant(tx, grantId);
  }
}

type EndGrant = (tx: Tx, grantId: string) => Promise<unknown>;

/** Seconds. Everything the provider stores has its own lifetime; this bounds anything that would not. */
const LIFETIME_SECONDS_MAX = 400 * 24 * 60 * 60;

/** The stored part of a payload, without anything that opens a session, a sign-in or an interface. */
function toStored(payload: AdapterPayload): object {
  const { jti: _jti, returnTo: _returnTo, session, ...rest } = payload;
  if (session === undefined) {
    return rest;
  }
  const { cookie: _cookie, ...harmless } = session;
  return { ...rest, session: harmless };
}

/**
 * Stores the provider's state in PostgreSQL.
 *
 * @param toReturnAddress - Where an interaction continues. Derived from the identifier, which is not stored.
 * @param options.endGrant - Ends a grant whose token was used twice at the same moment. Left out: {@link revokeGrant}.
 */
export function createOidcAdapter(
  deps: OidcAdapterDeps,
  toReturnAddress: (interactionId: string) => string,
  options: { provider?: ProviderName; endGrant?: EndGrant } = {},
): (model: string) => Adapter {
  const { clock } = deps;
  const { provider = "" } = options;
  const endGrant: EndGrant =
    options.endGrant ?? ((tx, grantId) => revokeGrant(tx, grantId, provider));
  const asOperator = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    deps.transact.asOperator(work, SIGN_INS);

  function fromStored(model: string, id: string | undefined, row: StoredRecord): AdapterPayload {
    return {
      ...row.payload,
      ...(id === undefined ? {} : { jti: id }),
      ...(model === "Interaction" && id !== undefined ? { returnTo: toReturnAddress(id) } : {}),
      ...(row.consumed_at === null
        ? {}
        : { consumed: Math.floor(row.consumed_at.getTime() / 1_000) }),
    };
  }

  function toKey(model: string, id: string) {
    return { model, idHash: toIdHash(provider, model, id) };
  }

  return (model) => ({
    async upsert(id, payload, expiresIn = LIFETIME_SECONDS_MAX) {
      const now = clock.now();
      const expiresAt = new Date(now.getTime() + expiresIn * 1_000);
      const { accountId = null, grantId = null, uid = null } = payload;
      await asOperator(async (tx) => {
        if (model === "RefreshToken" && grantId !== null) {
          const { idHash } = toKey("Grant", grantId);
          if (!(await extendGrant(tx, { idHash, expiresAt, now }))) {
            throw new errors.InvalidGrant("grant not found");
          }
          if (provider === "") {
            await touchSignIn(tx, { grantId, now, expiresAt });
          }
        }
        await upsertRecord(tx, {
          ...toKey(model, id),
          payload: toStored(payload),
          accountId,
          grantId,
          sessionUid: model === "Session" ? uid : null,
          expiresAt,
        });
      });
    },
    async find(id) {
      const row = await asOperator((tx) => findRecord(tx, toKey(model, id), clock.now()));
      return row === undefined ? undefined : fromStored(model, id, row);
    },
    async findByUid(uid) {
      const row = await asOperator((tx) => findSessionRecord(tx, uid, clock.now()));
      return row === undefined ? undefined : fromStored(model, undefined, row);
    },
    findByUserCode() {
      return Promise.resolve(undefined);
    },
    async consume(id) {
      const isFirst = await asOperator(async (tx) => {
        const key = toKey(model, id);
        if (await consumeRecord(tx, key, clock.now())) {
          return true;
        }
        // Two requests used it at the same moment. One of them is a thief, so the family ends, as after a late reuse.
        const used = await findRecord(tx, key, clock.now());
        const grantId = used?.payload["grantId"];
        if (typeof grantId === "string") {
          await endGrant(tx, grantId);
        }
        return false;
      });
      if (!isFirst) {
        throw new errors.InvalidGrant("already used");
      }
    },
    async destroy(id) {
      await asOperator(async (tx) => {
        await deleteRecord(tx, toKey(model, id));
        if (model === "Grant" && provider === "") {
          await deleteSignInOfGrant(tx, id);
        }
      });
    },
    async revokeByGrantId(grantId) {
      await asOperator((tx) => deleteRecordsOfGrant(tx, { grantId, model }));
    },
  });
}

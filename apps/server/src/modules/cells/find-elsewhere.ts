import type { MovedTenant } from "@turnpike/contract/auth";
import { type Actor, may, type UserActor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { isId, type TenantId, type UserId } from "@turnpike/domain/ids/ids";
import { parseKey } from "@turnpike/domain/keys/key-format";
import type { AppServices } from "#platform/app-services.ts";
import type { Logger } from "#platform/logger.ts";
import { shareOf } from "#platform/transact.ts";
import type { CellDirectory } from "./cell-directory.ts";
import type { TenantPlace } from "./directory.store.ts";
import type { KeyPlaces } from "./key-places.ts";
import { type LeftTenant, listLeftTenants } from "./moved-members.store.ts";

export type FindElsewhereDeps = Pick<AppServices, "transact"> & {
  directory: Pick<CellDirectory, "cell" | "findTenant" | "findTenants">;
  keyPlaces: Pick<KeyPlaces, "cells" | "find">;
  hashKey(text: string): string;
  logger: Pick<Logger, "debug">;
};

/** Says in which other cell a tenant lives, to those who may know: its keys, people who were members when it left, and operators. */
export interface FindElsewhere {
  /**
   * About a tenant that was not found here.
   *
   * @returns `TENANT_ELSEWHERE`; undefined for actors who may not know, and for what is in no other cell.
   */
  ofTenant(actor: Actor, tenantId: string): Promise<AppError | undefined>;
  /** About a key that was not found here. */
  ofKey(text: string): Promise<AppError | undefined>;
  /** The tenants that left while a person was their member, and that still exist; the latest first, at most 100. */
  ofPerson(userId: UserId): Promise<MovedTenant[]>;
}

/** The cell in which a tenant that left this one is by now. */
type Whereabouts = Pick<MovedTenant, "cell" | "isMoving">;

/**
 * @param place - What the directory says; null while it does not answer.
 * @returns Undefined for a tenant that is in no cell: it was deleted since.
 */
function toWhereabouts(left: LeftTenant, place: TenantPlace | undefined | null, here: string) {
  if (place === undefined) {
    return undefined;
  }
  // The directory says that it is here until its rows are there, and so does a copy of the directory from before the move.
  const isUnknown = place === null || place.cell === here;
  const found: Whereabouts = isUnknown
    ? { cell: left.otherCell, isMoving: !left.isThere }
    : { cell: place.cell, isMoving: place.state === "moving" };
  return found;
}

/** Where to ask the cell itself; undefined where the directory has no addresses that it entered itself. */
type Addresses = { consoleUrl: string; gatewayUrl: string };

function tenantElsewhere(
  { cell, isMoving }: Whereabouts,
  addresses: Addresses | undefined,
): AppError {
  const lives =
    addresses === undefined
      ? `This tenant lives in another cell, ${cell}.`
      : `This tenant lives in another cell, ${cell}: ask at ${addresses.consoleUrl}.`;
  return new AppError({
    code: "TENANT_ELSEWHERE",
    publicMessage: isMoving
      ? `This tenant is on its way to another cell, ${cell}. Try again in a moment.`
      : lives,
    extensions: { cell, ...addresses },
  });
}

export function createFindElsewhere(deps: FindElsewhereDeps): FindElsewhere {
  const { directory, keyPlaces, transact, logger } = deps;

  function findAddresses(name: string): Addresses | undefined {
    const cell = keyPlaces.cells().find((each) => each.name === name);
    return cell && { consoleUrl: cell.consoleUrl, gatewayUrl: cell.gatewayUrl };
  }

  /** Null while the directory does not answer: the refusal stays as it was, which is true as well. */
  async function orNothing<Found>(asked: Promise<Found>): Promise<Found | null> {
    try {
      return await asked;
    } catch (error) {
      logger.debug({ err: error }, "the directory could not say where a tenant lives");
      return null;
    }
  }

  function toError(place: TenantPlace | null | undefined): AppError | undefined {
    if (!place || place.cell === directory.cell) {
      return undefined;
    }
    const { cell } = place;
    const addresses = findAddresses(cell);
    return addresses && tenantElsewhere({ cell, isMoving: false }, addresses);
  }

  async function ofMember(user: UserActor, tenantId: TenantId): Promise<AppError | undefined> {
    const [left] = await transact.asOperator(
      (tx) => listLeftTenants(tx, { userId: user.id, tenantId }),
      shareOf(user),
    );
    if (left === undefined) {
      return undefined;
    }
    const place = await orNothing(directory.findTenant(tenantId));
    const found = toWhereabouts(left, place, directory.cell);
    return found && tenantElsewhere(found, findAddresses(found.cell));
  }

  return {
    ofTenant: async (actor, tenantId) => {
      if (!isId("tenant", tenantId)) {
        return undefined;
      }
      if (may(actor, "tenants:read")) {
        return toError(await orNothing(directory.findTenant(tenantId)));
      }
      return actor.type === "user" ? await ofMember(actor, tenantId) : undefined;
    },
    ofKey: async (text) => {
      const parsed = parseKey(text);
      const isOfTenant =
        parsed.form === "foreign" || (parsed.form === "own" && parsed.kind !== "svc");
      return isOfTenant ? toError(await orNothing(keyPlaces.find(deps.hashKey(text)))) : undefined;
    },
    ofPerson: async (userId) => {
      const leftTenants = await transact.asOperator((tx) => listLeftTenants(tx, { userId }), {
        holder: userId,
      });
      if (leftTenants.length === 0) {
        return [];
      }
      const asked = await orNothing(
        directory.findTenants(leftTenants.map(({ tenantId }) => tenantId)),
      );
      const places = asked && new Map(asked.map((place) => [place.tenantId, place]));
      return leftTenants.flatMap((left) => {
        const { tenantId, name, slug } = left;
        const place = places === null ? null : places.get(tenantId);
        const found = toWhereabouts(left, place, directory.cell);
        return found === undefined
          ? []
          : [
              {
                ...{ tenantId, name, slug, ...found },
                consoleUrl: findAddresses(found.cell)?.consoleUrl ?? null,
              },
            ];
      });
    },
  };
}

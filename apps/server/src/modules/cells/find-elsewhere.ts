import { type Actor, may } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { isId } from "@turnpike/domain/ids/ids";
import { parseKey } from "@turnpike/domain/keys/key-format";
import type { Logger } from "#platform/logger.ts";
import type { CellDirectory } from "./cell-directory.ts";
import type { KeyPlaces } from "./key-places.ts";

export type FindElsewhereDeps = {
  directory: Pick<CellDirectory, "cell" | "findTenant">;
  keyPlaces: Pick<KeyPlaces, "cells" | "find">;
  hashKey(text: string): string;
  logger: Pick<Logger, "debug">;
};

/** Says where a tenant lives that is not here, to those who may know: its own keys, and the operator. */
export interface FindElsewhere {
  /**
   * About a tenant that was not found here.
   *
   * @returns `TENANT_ELSEWHERE`; undefined for actors who may not know, and for what is in no other cell.
   */
  ofTenant(actor: Actor, tenantId: string): Promise<AppError | undefined>;
  /** About a key that was not found here. */
  ofKey(text: string): Promise<AppError | undefined>;
}

export function createFindElsewhere(deps: FindElsewhereDeps): FindElsewhere {
  const { directory, keyPlaces } = deps;

  function toError(name: string | undefined): AppError | undefined {
    const cell = keyPlaces.cells().find((each) => each.name === name);
    if (cell === undefined || cell.name === directory.cell) {
      return undefined;
    }
    const { consoleUrl, gatewayUrl } = cell;
    return new AppError({
      code: "TENANT_ELSEWHERE",
      publicMessage: `This tenant lives in another cell, ${cell.name}: ask at ${consoleUrl}.`,
      extensions: { cell: cell.name, consoleUrl, gatewayUrl },
    });
  }

  /** What cannot be said is left unsaid: the first refusal stays true. */
  async function orNothing<Place extends { cell: string }>(
    asked: Promise<Place | null | undefined>,
  ): Promise<AppError | undefined> {
    try {
      return toError((await asked)?.cell);
    } catch (error) {
      deps.logger.debug({ err: error }, "the directory could not say where a tenant lives");
      return undefined;
    }
  }

  return {
    ofTenant: async (actor, tenantId) =>
      may(actor, "tenants:read") && isId("tenant", tenantId)
        ? await orNothing(directory.findTenant(tenantId))
        : undefined,
    ofKey: async (text) => {
      const parsed = parseKey(text);
      const isOfTenant =
        parsed.form === "foreign" || (parsed.form === "own" && parsed.kind !== "svc");
      return isOfTenant ? await orNothing(keyPlaces.find(deps.hashKey(text))) : undefined;
    },
  };
}

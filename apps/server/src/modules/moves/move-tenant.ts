import { setTimeout as delay } from "node:timers/promises";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import {
  type CellDirectory,
  resumeTenant,
  stopMovingTenant,
  waitUntilHeard,
} from "#modules/cells/index.ts";
import type { FileStore } from "#modules/files/index.ts";
import { listLostProcesses } from "#modules/metering/index.ts";
import { addLateUsage } from "./add-late-usage.ts";
import type { Cell, TwoCells } from "./cell-databases.ts";
import { type CheckedTenant, findMoveFaults } from "./check-move.ts";
import { copyFiles } from "./copy-files.ts";
import { copyKnown } from "./copy-known.ts";
import { findPeopleThere } from "./find-people.ts";
import { countParkedRows, parkTenant } from "./park-tenant.ts";
import { deleteParked } from "./parked-rows.store.ts";
import { takeInTenant } from "./take-in-tenant.ts";
import {
  deleteClosingMove,
  fenceMove,
  findMove,
  findMoveBySlug,
  findTenantNames,
  hasLiveLeases,
  putMove,
  type TenantMove,
  updateMoveState,
} from "./tenant-moves.store.ts";

/** Steps of a move, in their order. Each ends with a commit: after a kill the same command goes on from the last one. */
export type MoveStep =
  | "checked"
  | "stopped"
  | "parked"
  | "copied"
  | "taken-in"
  | "directed"
  | "cleared"
  | "done";

export type MoveDeps = TwoCells & {
  directory: CellDirectory;
  /** Name of the other cell in the directory. */
  otherCell: string;
  stores: { from: FileStore; to: FileStore };
  /** What must be equal of the fingerprints of nodes. */
  secretNames: readonly string[];
  /** How long nodes may take to stop, and what is under way to end. */
  timeoutMs: number;
  report(line: string): void;
  /** Called after each step, and before the commit of the other cell with "copied". */
  onStep?: ((step: MoveStep) => Promise<void>) | undefined;
};

export type MovedTenant = {
  tenantId: TenantId;
  moveId: string;
  cell: string;
  /** Rows that were moved now, by this run. */
  rows: number;
  files: number;
  /** Files that this cell had lost before. */
  missingFiles: string[];
  /** Rows of usage that came late. */
  lateRows: number;
};

const DELETED_AT_ONCE = 20_000;
const LEASES_WAIT_MS = 10_000;
const LEASES_LOOK_MS = 200;

function conflict(publicMessage: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage });
}

/** A tenant by its id or slug: one that is here, or one that this cell has parked or moved. */
async function findTenant(
  { transact }: Cell,
  idOrSlug: string,
): Promise<{ tenant: CheckedTenant | undefined; move: TenantMove | undefined }> {
  return await transact.asOperator(async (tx) => {
    const tenant = await findTenantNames(tx, idOrSlug);
    const move =
      tenant === undefined
        ? ((await findMove(tx, idOrSlug as TenantId)) ?? (await findMoveBySlug(tx, idOrSlug)))
        : await findMove(tx, tenant.tenantId);
    return { tenant, move: move?.direction === "out" ? move : undefined };
  });
}

/**
 * Says what stands against moving a tenant, and changes nothing.
 *
 * @returns Sentences; empty when nothing does.
 * @throws {AppError} `RESOURCE_NOT_FOUND`.
 */
export async function checkMove(deps: MoveDeps, idOrSlug: string): Promise<string[]> {
  const { tenant } = await findTenant(deps.here, idOrSlug);
  if (tenant === undefined) {
    throw resourceNotFound("tenant");
  }
  const lost = await deps.here.transact.asOperator(listLostProcesses);
  return [
    ...lost.map(
      ({ nodeName }) =>
        `A process of ${nodeName ?? "an unknown node"} is gone, and calls of it are not committed: start it again, or run turnpike journal recover.`,
    ),
    ...(await findDirectoryFaults(deps, tenant.tenantId)),
    ...(await findMoveFaults(deps, { tenant, secretNames: deps.secretNames })),
  ];
}

async function findDirectoryFaults({ directory }: MoveDeps, tenantId: TenantId): Promise<string[]> {
  const place = await directory.findTenant(tenantId);
  if (place === undefined) {
    return [
      "The directory does not know the tenant yet. A running node enters it within a minute.",
    ];
  }
  return place.cell === directory.cell
    ? []
    : [`The directory says that it lives in ${place.cell}.`];
}

/** Has the directory say where the tenant is; changes nothing when it says so already. @throws {AppError} `CONFLICT`. */
async function direct(
  { directory }: Pick<MoveDeps, "directory">,
  tenantId: TenantId,
  to: { cell: string; state: "here" | "moving" },
): Promise<void> {
  const place = await directory.findTenant(tenantId);
  if (place?.cell === to.cell && place.state === to.state) {
    return;
  }
  if (place === undefined || place.cell !== directory.cell) {
    throw conflict(
      `The directory says that the tenant lives in ${place?.cell ?? "no cell"}. Nothing was changed there.`,
    );
  }
  if ((await directory.changeTenant({ ...place, ...to })) === undefined) {
    throw conflict("Something else changed where the tenant lives. Run the same command again.");
  }
}

/** The version that the entry of the directory has once it says where the tenant is. */
async function findNextVersion(
  { directory }: Pick<MoveDeps, "directory">,
  tenantId: TenantId,
): Promise<number> {
  const place = await directory.findTenant(tenantId);
  return (place?.version ?? 0) + 1;
}

async function begin(deps: MoveDeps, tenant: CheckedTenant): Promise<TenantMove> {
  const { here, directory, otherCell } = deps;
  const faults = await checkMove(deps, tenant.tenantId);
  if (faults.length > 0) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: `${tenant.slug} cannot be moved. ${faults.join(" ")}`,
    });
  }
  await deps.onStep?.("checked");
  const move = {
    ...{ tenantId: tenant.tenantId, moveId: here.newId("request"), direction: "out" as const },
    ...{ otherCell, state: "closing" as const, name: tenant.name, slug: tenant.slug },
  };
  // What a move that was taken back left.
  await clearParked(deps, tenant.tenantId);
  await here.transact.asOperator((tx) => putMove(tx, move));
  const started = await here.transact.asOperator((tx) => findMove(tx, tenant.tenantId));
  await direct(deps, tenant.tenantId, { cell: directory.cell, state: "moving" });
  return started ?? { ...move, startedAt: here.clock.now(), changedAt: here.clock.now() };
}

function nameNodes(processes: readonly { nodeName: string | null }[]): string {
  const names = processes.map(({ nodeName }) => nodeName ?? "an unknown node");
  return [...new Set(names)].join(", ");
}

async function stopAndPark(deps: MoveDeps, { tenantId }: TenantMove): Promise<void> {
  const { here, directory, timeoutMs } = deps;
  await direct(deps, tenantId, { cell: directory.cell, state: "moving" });
  const serving = await stopMovingTenant(here, { tenantId, timeoutMs });
  if (serving.length > 0) {
    throw conflict(
      `${nameNodes(serving)} did not stop serving the tenant in time. Its calls stay refused: run the same command again, or take the move back with --cancel.`,
    );
  }
  await waitForLeases(deps, tenantId);
  deps.report("No node serves it any more.");
  await deps.onStep?.("stopped");
  const rows = await parkTenant(here, { tenantId, timeoutMs });
  deps.report(`Parked ${String(rows)} rows.`);
}

/** Nodes give leases back when they hear of the move. What is not given back in time is blocked until its period ends. */
async function waitForLeases({ here, timeoutMs }: MoveDeps, tenantId: TenantId): Promise<void> {
  const endMs = here.clock.monotonicMs() + Math.min(timeoutMs, LEASES_WAIT_MS);
  while (
    here.clock.monotonicMs() < endMs &&
    (await here.transact.asOperator((tx) => hasLiveLeases(tx, tenantId)))
  ) {
    await delay(LEASES_LOOK_MS);
  }
}

async function clearParked({ here }: Pick<MoveDeps, "here">, tenantId: TenantId): Promise<void> {
  while (
    (await here.transact.asOperator((tx) => deleteParked(tx, tenantId, DELETED_AT_ONCE))) > 0
  ) {
    // The next ones.
  }
}

async function transfer(
  deps: MoveDeps,
  context: CallContext,
  move: TenantMove,
): Promise<Pick<MovedTenant, "rows" | "files" | "missingFiles">> {
  const { here, there } = deps;
  const { tenantId } = move;
  const rows = await countParkedRows(here, tenantId);
  const files = await copyFiles(here, deps.stores, tenantId);
  await copyKnown(deps, { tenantId });
  deps.report(`Copied ${String(files.files)} files.`);
  const people = await findPeopleThere(deps, { tenantId, areParked: true });
  const placeVersion = await findNextVersion(deps, tenantId);
  const isNew = await takeInTenant({ here, there }, context, {
    isReturn: false,
    move: { ...move, otherCell: deps.directory.cell },
    people,
    placeVersion,
    beforeCommit: () => deps.onStep?.("copied") ?? Promise.resolve(),
  });
  deps.report(
    isNew ? "The other cell has all rows, and they are equal." : "The other cell had all rows.",
  );
  await deps.onStep?.("taken-in");
  // The sweep there may have taken the files for leftovers while the rows were on their way.
  await copyFiles(here, deps.stores, tenantId);
  const unaware = await waitUntilHeard(there, { tenantId, timeoutMs: deps.timeoutMs });
  if (unaware.length > 0) {
    throw conflict(
      `${nameNodes(unaware)} of the other cell did not hear in time that the tenant arrived. Its calls stay refused: run the same command again.`,
    );
  }
  await direct(deps, tenantId, { cell: deps.otherCell, state: "here" });
  deps.report("Calls go to the other cell.");
  await deps.onStep?.("directed");
  return { rows, files: files.files, missingFiles: files.missing };
}

/**
 * Moves a tenant to another cell, with all that belongs to it. It may be killed at any time: the same command goes on, and at every
 * moment the tenant is in one place: here, parked, or there.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` with what stands against it.
 */
export async function moveTenant(
  deps: MoveDeps,
  context: CallContext,
  idOrSlug: string,
): Promise<MovedTenant> {
  const { here } = deps;
  const found = await findTenant(here, idOrSlug);
  const { tenant } = found;
  let { move } = found;
  if (move !== undefined && move.state !== "done" && move.otherCell !== deps.otherCell) {
    throw conflict(`The tenant is on its way to ${move.otherCell}.`);
  }
  if (tenant !== undefined && move?.state !== "closing") {
    move = await begin(deps, tenant);
  }
  if (move === undefined) {
    throw resourceNotFound("tenant");
  }
  const { tenantId, moveId } = move;
  if (tenant !== undefined) {
    await stopAndPark(deps, move);
    await deps.onStep?.("parked");
  }
  let moved: Pick<MovedTenant, "rows" | "files" | "missingFiles"> = {
    ...{ rows: 0, files: 0, missingFiles: [] },
  };
  if (tenant !== undefined || move.state !== "done") {
    moved = await transfer(deps, context, move);
    await here.transact.asOperator(async (tx) => {
      await writeAudit(here, tx, context, {
        ...{ tenantId: null, action: "tenant.moved_out", entityType: "tenant", entityId: tenantId },
        details: { name: move.name, slug: move.slug, cell: move.otherCell, moveId },
      });
      await updateMoveState(tx, tenantId, "done");
    });
    await deps.onStep?.("cleared");
    await clearParked(deps, tenantId);
  }
  const lateRows = await addLateUsage(deps, tenantId);
  await clearParked(deps, tenantId);
  await deps.onStep?.("done");
  return { tenantId, moveId, cell: deps.otherCell, ...moved, lateRows };
}

/** Keeps the other cell from taking the tenant in. @throws {AppError} `CONFLICT` when it has it already. */
async function refuseThere({ there, directory }: MoveDeps, move: TenantMove): Promise<void> {
  await there.transact.asOperator(async (tx) => {
    await fenceMove(tx, { ...move, otherCell: directory.cell });
    const known = await findMove(tx, move.tenantId);
    if (known?.state !== "cancelled") {
      throw conflict(
        "The other cell has the tenant already. The same command without --cancel ends the move.",
      );
    }
  });
}

/**
 * Takes a move back that the other cell does not know of yet: the tenant is here again, as it was, and its calls pass. Repeating it
 * changes nothing.
 *
 * @returns How many rows were parked.
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `CONFLICT` when the other cell has it already: then the same command without `--cancel`
 *   ends the move.
 */
export async function cancelMove(
  deps: MoveDeps,
  context: CallContext,
  idOrSlug: string,
): Promise<{ tenantId: TenantId; rows: number }> {
  const { here, directory } = deps;
  const { tenant, move } = await findTenant(here, idOrSlug);
  const tenantId = tenant?.tenantId ?? move?.tenantId;
  if (tenantId === undefined || (tenant === undefined && move?.state === "done")) {
    throw resourceNotFound("tenant");
  }
  let rows = 0;
  if (move?.state === "closing") {
    if (!(await here.transact.asOperator((tx) => deleteClosingMove(tx, tenantId)))) {
      throw conflict("The tenant was parked meanwhile. Run the same command again.");
    }
  } else if (move?.state === "parked") {
    await refuseThere(deps, move);
    rows = await countParkedRows(here, tenantId);
    await takeInTenant({ here, there: here }, context, {
      ...{ isReturn: true, move },
      people: { names: {}, userIds: [], accountIds: [] },
      placeVersion: await findNextVersion(deps, tenantId),
    });
  }
  await clearParked(deps, tenantId);
  await resumeTenant(here, tenantId);
  await direct(deps, tenantId, { cell: directory.cell, state: "here" });
  return { tenantId, rows };
}

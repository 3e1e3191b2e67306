export {
  type CellDirectory,
  CellTakenError,
  DirectorySecretError,
  type DirectorySettings,
  deriveCellsKey,
  openCellDirectory,
} from "./cell-directory.ts";
export { readCellIdentity } from "./cell-identity.store.ts";
export { createCellsJobs } from "./cells.jobs.ts";
export { DIRECTORY_CHANNEL } from "./directory.store.ts";
export { createFindElsewhere } from "./find-elsewhere.ts";
export { createKeyPlaces, type KeyPlaces } from "./key-places.ts";
export { forgetMovedMembers, keepMovedMembers, movesOfPerson } from "./moved-members.store.ts";
export { resumeTenant, stopMovingTenant } from "./stop-moving-tenant.ts";
export { waitUntilHeard } from "./wait-until-heard.ts";
export { createMoveWatch } from "./watch-moves.ts";

export { findFingerprint } from "./cells-differ.store.ts";
export {
  cancelMove,
  checkMove,
  type MoveDeps,
  type MovedTenant,
  type MoveStep,
  moveTenant,
} from "./move-tenant.ts";
export { parkedFiles } from "./parked-rows.store.ts";
export { sayWhichCell } from "./say-which-cell.ts";
export { listOnTheirWay, type TenantOnItsWay } from "./tenant-moves.store.ts";

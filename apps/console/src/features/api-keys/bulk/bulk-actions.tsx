import { plural, t } from "@lingui/core/macro";
import { Button } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import type { Key } from "../api-keys.queries.ts";
import {
  type BulkAction,
  type BulkChange,
  countKeys,
  listFitting,
} from "./bulk-change.view-model.ts";
import { ExpiryDialog } from "./expiry-dialog.tsx";

export type BulkActionsProps = {
  /** The selected keys. */
  keys: readonly Key[];
  /** The change in progress. */
  running: BulkChange | undefined;
  /** Starts an action; irreversible ones ask for confirmation first. */
  asked: "revoke" | "set_expiry" | undefined;
  onAsk: (action: BulkAction | undefined) => void;
  onChange: (keys: readonly Key[], change: BulkChange) => void;
};

const ACTIONS = [
  { action: "disable", verb: t`Disable`, progress: t`Disabling…` },
  { action: "enable", verb: t`Enable`, progress: t`Enabling…` },
  { action: "set_expiry", verb: t`Set expiry of`, progress: t`Setting expiry…` },
  { action: "revoke", verb: t`Revoke`, progress: t`Revoking…` },
] as const satisfies readonly { action: BulkAction; verb: string; progress: string }[];

/** The actions on the selected keys. Each applies to the keys that it fits. */
export function BulkActions({ keys, running, asked, onAsk, onChange }: BulkActionsProps) {
  const revocable = listFitting(keys, "revoke");
  const close = () => onAsk(undefined);
  return (
    <>
      {ACTIONS.map(({ action, verb, progress }) => {
        const fitting = listFitting(keys, action);
        const isRunning = running?.action === action;
        if (fitting.length === 0 && !isRunning) {
          return null;
        }
        return (
          <Button
            key={action}
            size="small"
            look={action === "revoke" ? "danger" : "secondary"}
            disabled={running !== undefined && !isRunning}
            progress={isRunning ? progress : undefined}
            onClick={() => onAsk(action)}
          >
            {verb} {fitting.length} {/* On phones the buttons fit in one row without this word. */}
            <span className="-ml-1 max-md:sr-only">
              {plural(fitting.length, { one: "key", other: "keys" })}
            </span>
          </Button>
        );
      })}
      <ConfirmDialog
        isOpen={asked === "revoke"}
        onClose={close}
        title={t`Revoke ${countKeys(revocable.length)}?`}
        description={t`They are refused everywhere within a second, permanently. Programs that use them fail until they get another key.`}
        action={t`Revoke ${countKeys(revocable.length)}`}
        nameToType={t`revoke ${countKeys(revocable.length)}`}
        onConfirm={() => {
          close();
          onChange(revocable, { action: "revoke" });
        }}
      />
      <ExpiryDialog
        isOpen={asked === "set_expiry"}
        keys={listFitting(keys, "set_expiry")}
        onClose={close}
        onConfirm={(fitting, expiresAt) => {
          close();
          onChange(fitting, { action: "set_expiry", expiresAt });
        }}
      />
    </>
  );
}

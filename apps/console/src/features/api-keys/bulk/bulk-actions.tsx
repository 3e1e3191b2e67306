import { Button } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { useState } from "react";
import type { Key } from "../api-keys.queries.ts";
import { type KeyChange, toOffers } from "../key.view-model.ts";
import { type BulkRun, countKeys } from "./use-bulk-change.ts";

export type BulkActionsProps = {
  /** The chosen keys. */
  keys: readonly Key[];
  run: BulkRun | undefined;
  onChange: (keys: readonly Key[], change: KeyChange) => void;
};

const ACTIONS = [
  { change: "disable", verb: "Disable", progress: "Disabling" },
  { change: "enable", verb: "Enable", progress: "Enabling" },
  { change: "revoke", verb: "Revoke", progress: "Revoking" },
] as const satisfies readonly { change: KeyChange; verb: string; progress: string }[];

/** What can be done with the chosen keys: each action takes those that it fits. */
export function BulkActions({ keys, run, onChange }: BulkActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const revocable = keys.filter((key) => toOffers(key).revoke);
  return (
    <>
      {ACTIONS.map(({ change, verb, progress }) => {
        const fitting = keys.filter((key) => toOffers(key)[change]);
        const isRunning = run?.change === change;
        if (fitting.length === 0 && !isRunning) {
          return null;
        }
        return (
          <Button
            key={change}
            size="small"
            look={change === "revoke" ? "danger" : "secondary"}
            disabled={run !== undefined && !isRunning}
            progress={
              isRunning ? `${progress} ${String(run.done)} of ${String(run.total)}…` : undefined
            }
            onClick={() => (change === "revoke" ? setIsAsking(true) : onChange(fitting, change))}
          >
            {verb} {countKeys(fitting.length)}
          </Button>
        );
      })}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Revoke ${countKeys(revocable.length)}?`}
        description="They are refused everywhere within a second, for good. What calls with them fails until it has another key."
        action={`Revoke ${countKeys(revocable.length)}`}
        nameToType={`revoke ${countKeys(revocable.length)}`}
        onConfirm={() => {
          setIsAsking(false);
          onChange(revocable, "revoke");
        }}
      />
    </>
  );
}

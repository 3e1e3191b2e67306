import { t } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogActions } from "@turnpike/ui/dialog-actions";
import { FormErrors } from "@turnpike/ui/form-errors";
import { ProgressBar } from "@turnpike/ui/progress-bar";
import { Spinner } from "@turnpike/ui/spinner";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { formatCount } from "#platform/format.ts";
import { ChooseFile } from "./choose-file.tsx";
import { ImportOutcome } from "./import-outcome.tsx";
import { useKeyImport } from "./use-key-import.ts";

export type ImportKeysDialogProps = { isOpen: boolean; tenant: OwnTenant; onClose: () => void };

/** Imports keys from elsewhere by their hashes: every row is checked before any is imported. */
export function ImportKeysDialog({ isOpen, tenant, onClose }: ImportKeysDialogProps) {
  const keys = useKeyImport(tenant.tenantId);
  const { state } = keys;
  const isRunning = state.step === "running" || state.step === "reading";

  function close(): void {
    keys.reset();
    onClose();
  }

  return (
    <Dialog
      // Back changes the address but does not stop the import, so its progress and Stop button stay visible until it is over.
      isOpen={isOpen || isRunning}
      onClose={close}
      isLocked={isRunning}
      size="wide"
      title={t`Import keys`}
      description={t`Your customers’ existing keys keep working. Only their hashes are stored for ${tenant.name}, never the keys.`}
    >
      {/* Each step has its own key, so that its first button takes the focus. */}
      <ImportStep key={state.step} keys={keys} onClose={close} />
    </Dialog>
  );
}

type ImportStepProps = { keys: ReturnType<typeof useKeyImport>; onClose: () => void };

function ImportStep({ keys, onClose }: ImportStepProps) {
  const { state } = keys;
  switch (state.step) {
    case "choose":
      return <ChooseFile error={state.error} onChoose={keys.choose} />;
    case "reading":
      return (
        <p role="status" className="flex items-center gap-2 py-8 text-ink-muted">
          <Spinner /> <Trans>Reading {state.fileName}…</Trans>
        </p>
      );
    case "running": {
      const { work } = state;
      const total = work.rows.length;
      return (
        <div className="space-y-4 py-2">
          <ProgressBar
            label={work.isDryRun ? t`Checking ${work.fileName}` : t`Importing ${work.fileName}`}
            progress={{ done: work.tally.done, total }}
            text={t`${formatCount(work.tally.done)} of ${formatCount(total)} rows`}
          />
          <DialogActions>
            {/* The button that was pressed is gone, so Stop takes the focus. */}
            <Button autoFocus onClick={keys.stop}>
              <Trans>Stop</Trans>
            </Button>
          </DialogActions>
        </div>
      );
    }
    case "stopped":
      return (
        <div className="space-y-4">
          <StopNotice isDryRun={state.work.isDryRun} reason={state.reason} />
          <ImportOutcome
            tally={state.work.tally}
            isDryRun={state.work.isDryRun}
            rowCount={state.work.rows.length}
          />
          <DialogActions>
            <Button onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
            <Button look="primary" autoFocus onClick={() => keys.goOn(state.work)}>
              <Trans>Continue from row {formatCount(state.work.tally.done + 1)}</Trans>
            </Button>
          </DialogActions>
        </div>
      );
    case "checked": {
      const { imported } = state.work.tally;
      return (
        <div className="space-y-4">
          <ImportOutcome tally={state.work.tally} isDryRun rowCount={state.work.rows.length} />
          <DialogActions>
            <Button onClick={keys.reset}>
              <Trans>Choose another file</Trans>
            </Button>
            {imported === 0 ? (
              <Button look="primary" autoFocus onClick={onClose}>
                <Trans>Close</Trans>
              </Button>
            ) : (
              <Button look="primary" autoFocus onClick={() => keys.start(state.work)}>
                <Trans>
                  Import {formatCount(imported)} <Plural value={imported} one="key" other="keys" />
                </Trans>
              </Button>
            )}
          </DialogActions>
        </div>
      );
    }
    case "done":
      return (
        <div className="space-y-4">
          <ImportOutcome
            tally={state.work.tally}
            isDryRun={false}
            rowCount={state.work.rows.length}
          />
          <DialogActions>
            <Button onClick={keys.reset}>
              <Trans>Import another file</Trans>
            </Button>
            <Button look="primary" autoFocus onClick={onClose}>
              <Trans>Done</Trans>
            </Button>
          </DialogActions>
        </div>
      );
    default:
      return state satisfies never;
  }
}

type StopNoticeProps = {
  isDryRun: boolean;
  /** Undefined when the person stopped it, which is not an error. */
  reason: string | undefined;
};

/** Says why the import stopped and what is left of it. */
function StopNotice({ isDryRun, reason }: StopNoticeProps) {
  const what = isDryRun ? t`The check` : t`The import`;
  const rest = isDryRun ? "" : t` Imported rows stay imported.`;
  return reason === undefined ? (
    <p role="status" className="font-medium">
      <Trans>
        {what} was stopped.{rest}
      </Trans>
    </p>
  ) : (
    <FormErrors title={t`${what} could not continue.${rest}`} errors={[reason]} />
  );
}

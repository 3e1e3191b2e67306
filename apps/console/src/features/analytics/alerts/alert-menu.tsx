import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { toButtonClasses } from "@turnpike/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import Ellipsis from "lucide-react/icons/ellipsis";
import type { ReactElement } from "react";
import type { AlertTask } from "./alert-dialogs.tsx";
import type { Alert } from "./alerts.queries.ts";
import type { PauseHours, useAlertActions } from "./use-alert-actions.ts";

export type AlertMenuProps = {
  alert: Alert;
  actions: ReturnType<typeof useAlertActions>;
  onTask: (task: AlertTask) => void;
  onShow: () => void;
};

/** The actions of an alert. */
export function AlertMenu({ alert, actions, onTask, onShow }: AlertMenuProps) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t`Actions for ${alert.name}`}
          className={toButtonClasses("quiet", "icon")}
        >
          <Ellipsis aria-hidden="true" />
        </button>
      }
    >
      <MenuItem onSelect={onShow}>
        <Trans>Show details</Trans>
      </MenuItem>
      <MenuItem onSelect={() => onTask({ kind: "edit", alert })}>
        <Trans>Edit alert</Trans>
      </MenuItem>
      <MenuItem onSelect={() => actions.test.mutate(alert)}>
        <Trans>Send a test</Trans>
      </MenuItem>
      <MenuSeparator />
      {alert.isPaused ? (
        <MenuItem onSelect={() => actions.resume.mutate(alert)}>
          <Trans>Resume</Trans>
        </MenuItem>
      ) : (
        <PauseItems alert={alert} actions={actions} />
      )}
      <MenuSeparator />
      <MenuItem isDanger onSelect={() => onTask({ kind: "delete", alert })}>
        <Trans>Delete alert</Trans>
      </MenuItem>
    </Menu>
  );
}

type PauseProps = Pick<AlertMenuProps, "alert" | "actions">;

function PauseItems({ alert, actions }: PauseProps) {
  const pause = (hours: PauseHours) => actions.pause.mutate({ alert, hours });
  return (
    <>
      <MenuItem onSelect={() => pause(1)}>
        <Trans>Pause for an hour</Trans>
      </MenuItem>
      <MenuItem onSelect={() => pause(8)}>
        <Trans>Pause for 8 hours</Trans>
      </MenuItem>
      <MenuItem onSelect={() => pause(24)}>
        <Trans>Pause for a day</Trans>
      </MenuItem>
      <MenuItem onSelect={() => pause(null)}>
        <Trans>Pause until resumed</Trans>
      </MenuItem>
    </>
  );
}

export type PauseMenuProps = PauseProps & { trigger: ReactElement<Record<string, unknown>> };

/** For how long an alert is paused. */
export function PauseMenu({ trigger, ...props }: PauseMenuProps) {
  return (
    <Menu trigger={trigger} side="top">
      <PauseItems {...props} />
    </Menu>
  );
}

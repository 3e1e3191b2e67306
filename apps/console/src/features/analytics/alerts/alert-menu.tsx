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
          aria-label={`Actions for ${alert.name}`}
          className={toButtonClasses("quiet", "icon")}
        >
          <Ellipsis aria-hidden="true" />
        </button>
      }
    >
      <MenuItem onSelect={onShow}>Show details</MenuItem>
      <MenuItem onSelect={() => onTask({ kind: "edit", alert })}>Edit alert</MenuItem>
      <MenuItem onSelect={() => actions.test.mutate(alert)}>Send a test</MenuItem>
      <MenuSeparator />
      {alert.isPaused ? (
        <MenuItem onSelect={() => actions.resume.mutate(alert)}>Resume</MenuItem>
      ) : (
        <PauseItems alert={alert} actions={actions} />
      )}
      <MenuSeparator />
      <MenuItem isDanger onSelect={() => onTask({ kind: "delete", alert })}>
        Delete alert
      </MenuItem>
    </Menu>
  );
}

type PauseProps = Pick<AlertMenuProps, "alert" | "actions">;

function PauseItems({ alert, actions }: PauseProps) {
  const pause = (hours: PauseHours) => actions.pause.mutate({ alert, hours });
  return (
    <>
      <MenuItem onSelect={() => pause(1)}>Pause for an hour</MenuItem>
      <MenuItem onSelect={() => pause(8)}>Pause for 8 hours</MenuItem>
      <MenuItem onSelect={() => pause(24)}>Pause for a day</MenuItem>
      <MenuItem onSelect={() => pause(null)}>Pause until resumed</MenuItem>
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

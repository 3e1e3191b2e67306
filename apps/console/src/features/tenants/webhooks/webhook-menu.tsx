import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { toButtonClasses } from "@turnpike/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import Ellipsis from "lucide-react/icons/ellipsis";
import { toSwitchLabel } from "./webhook.view-model.ts";
import type { WebhookTask } from "./webhook-dialogs.tsx";
import type { Webhook } from "./webhooks.queries.ts";

export type WebhookMenuProps = {
  webhook: Webhook;
  onTask: (task: WebhookTask) => void;
  onTest: () => void;
  onSwitch: () => void;
};

/** The actions of an endpoint. */
export function WebhookMenu({ webhook, onTask, onTest, onSwitch }: WebhookMenuProps) {
  const isEnabled = webhook.state === "enabled";
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t`Actions for ${webhook.url}`}
          className={toButtonClasses("quiet", "icon")}
        >
          <Ellipsis aria-hidden="true" />
        </button>
      }
    >
      <MenuItem isDisabled={!isEnabled} onSelect={onTest}>
        <Trans>Send a test</Trans>
      </MenuItem>
      <MenuItem onSelect={() => onTask({ kind: "save", webhook })}>
        <Trans>Edit webhook</Trans>
      </MenuItem>
      <MenuItem onSelect={() => onTask({ kind: "rotate", webhook })}>
        <Trans>Replace secret</Trans>
      </MenuItem>
      <MenuItem onSelect={onSwitch}>{toSwitchLabel(webhook)}</MenuItem>
      <MenuSeparator />
      <MenuItem isDanger onSelect={() => onTask({ kind: "delete", webhook })}>
        <Trans>Delete webhook</Trans>
      </MenuItem>
    </Menu>
  );
}

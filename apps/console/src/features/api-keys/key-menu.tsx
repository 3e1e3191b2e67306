import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { toButtonClasses } from "@turnpike/ui/button";
import { Kbd } from "@turnpike/ui/kbd";
import { Menu, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import Ban from "lucide-react/icons/ban";
import Ellipsis from "lucide-react/icons/ellipsis";
import PanelRight from "lucide-react/icons/panel-right";
import Pause from "lucide-react/icons/pause";
import Pencil from "lucide-react/icons/pencil";
import Play from "lucide-react/icons/play";
import RefreshCw from "lucide-react/icons/refresh-cw";
import type { ReactElement } from "react";
import type { Key } from "./api-keys.queries.ts";
import { toOffers } from "./key.view-model.ts";
import { KEY_ACTIONS, type KeyActionKind } from "./key-actions.ts";

export type KeyMenuProps = {
  subject: Key;
  onOpen: () => void;
  onAction: (kind: KeyActionKind, key: Key) => void;
};

const ICONS: Readonly<Record<KeyActionKind, ReactElement>> = {
  edit: <Pencil aria-hidden="true" />,
  roll: <RefreshCw aria-hidden="true" />,
  disable: <Pause aria-hidden="true" />,
  enable: <Play aria-hidden="true" />,
  revoke: <Ban aria-hidden="true" />,
};

/** The menu of a row's key. */
export function KeyMenu({ subject, onOpen, onAction }: KeyMenuProps) {
  const offers = toOffers(subject);
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t`Actions for ${subject.name}`}
          className={toButtonClasses("quiet", "icon")}
        >
          <Ellipsis aria-hidden="true" />
        </button>
      }
    >
      <MenuItem
        icon={<PanelRight aria-hidden="true" />}
        aside={<Shortcut keys={["↵"]} />}
        onSelect={onOpen}
      >
        <Trans>Open details</Trans>
      </MenuItem>
      {KEY_ACTIONS.filter(({ kind }) => offers[kind]).map(({ kind, verb, keys }) => (
        <Item key={kind} isLast={kind === "revoke"}>
          <MenuItem
            icon={ICONS[kind]}
            aside={<Shortcut keys={keys} />}
            isDanger={kind === "revoke"}
            onSelect={() => onAction(kind, subject)}
          >
            <Trans>{verb} key</Trans>
          </MenuItem>
        </Item>
      ))}
    </Menu>
  );
}

/** Phones have no keyboard. */
function Shortcut({ keys }: { keys: readonly string[] }) {
  return (
    <span className="max-md:hidden">
      <Kbd keys={keys} />
    </span>
  );
}

function Item({ isLast, children }: { isLast: boolean; children: ReactElement }) {
  return isLast ? (
    <>
      <MenuSeparator />
      {children}
    </>
  ) : (
    children
  );
}

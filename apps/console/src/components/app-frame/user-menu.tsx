import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Menu, MenuGroup, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import BookOpen from "lucide-react/icons/book-open";
import Braces from "lucide-react/icons/braces";
import CircleUser from "lucide-react/icons/circle-user";
import EllipsisVertical from "lucide-react/icons/ellipsis-vertical";
import Languages from "lucide-react/icons/languages";
import LogOut from "lucide-react/icons/log-out";
import { chooseOwnLanguage, OTHER_LANGUAGES } from "#platform/language-choice.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { useOpenReference } from "../use-open-reference.ts";
import { Initials } from "./initials.tsx";

/** The signed-in person, links to the documentation, and sign-out. */
export function UserMenu({ isFolded }: { isFolded: boolean }) {
  const { api, config, session } = usePlatform();
  const openOwnReference = useOpenReference();
  const navigate = useNavigate();
  const { user } = useVerifiedUser();
  const name = user.name ?? user.email ?? t`Signed in`;
  return (
    <Menu
      side={isFolded ? "right" : "top"}
      align="end"
      className="min-w-60"
      trigger={
        <button
          type="button"
          aria-label={isFolded ? t`Account: ${name}` : undefined}
          className={joinClasses(
            "flex shrink-0 cursor-pointer items-center rounded-control hover:bg-hover",
            isFolded ? "size-10 justify-center" : "h-12 w-full gap-2.5 px-2 text-left",
          )}
        >
          <Initials name={name} shape="round" />
          {!isFolded && (
            <>
              <span className="sr-only">
                <Trans>Account:</Trans>{" "}
              </span>
              <span className="min-w-0 grow">
                <span className="block truncate font-medium leading-tight">{name}</span>
                {user.name !== null && user.email !== null && (
                  <span className="block truncate text-ink-muted text-xs leading-tight">
                    {user.email}
                  </span>
                )}
              </span>
              <EllipsisVertical className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
            </>
          )}
        </button>
      }
    >
      <MenuGroup label={<Person name={name} email={user.email} isOperator={user.isOperator} />}>
        <MenuItem
          icon={<CircleUser aria-hidden="true" />}
          onSelect={() => void navigate({ to: "/account" })}
        >
          <Trans>Your account</Trans>
        </MenuItem>
        {config.reference !== null && (
          <MenuItem icon={<Braces aria-hidden="true" />} onSelect={openOwnReference}>
            <Trans>API reference</Trans>
          </MenuItem>
        )}
        {(config.reference === null || user.isOperator) && (
          <>
            <MenuItem icon={<BookOpen aria-hidden="true" />} href="/docs">
              <Trans>Documentation</Trans>
            </MenuItem>
            <MenuItem icon={<Braces aria-hidden="true" />} href="/v1/reference">
              {config.reference === null ? t`API reference` : t`Management API`}
            </MenuItem>
          </>
        )}
      </MenuGroup>
      <MenuSeparator />
      {OTHER_LANGUAGES.map(({ tag, name: language }) => (
        <MenuItem
          key={tag}
          icon={<Languages aria-hidden="true" />}
          onSelect={() => void chooseOwnLanguage(tag, { api, page: window })}
        >
          <span lang={tag}>{language}</span>
        </MenuItem>
      ))}
      <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={() => void session.signOut()}>
        <Trans>Sign out</Trans>
      </MenuItem>
    </Menu>
  );
}

type PersonProps = { name: string; email: string | null; isOperator: boolean };

function Person({ name, email, isOperator }: PersonProps) {
  return (
    <span className="mb-1 flex items-start justify-between gap-3 text-ink">
      <span className="min-w-0">
        <span className="block truncate text-sm">{name}</span>
        {email !== null && email !== name && (
          <span className="block truncate font-normal text-ink-muted">{email}</span>
        )}
      </span>
      {isOperator && (
        <Badge tone="accent" hasDot={false}>
          <Trans>Operator</Trans>
        </Badge>
      )}
    </span>
  );
}

import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import BookOpen from "lucide-react/icons/book-open";
import Braces from "lucide-react/icons/braces";
import Building2 from "lucide-react/icons/building-2";
import CircleUser from "lucide-react/icons/circle-user";
import CornerDownRight from "lucide-react/icons/corner-down-right";
import FileUp from "lucide-react/icons/file-up";
import FlaskConical from "lucide-react/icons/flask-conical";
import LogOut from "lucide-react/icons/log-out";
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Plus from "lucide-react/icons/plus";
import Sun from "lucide-react/icons/sun";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { titleRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { useOpenReference } from "../use-open-reference.ts";
import type { Command, CommandGroup } from "./command.ts";
import { useSwitchEnvironment } from "./environment-switch.tsx";
import { OPERATOR_SCREENS } from "./operator-screens.ts";
import { DESTINATIONS } from "./palette-destinations.ts";
import { SCREENS } from "./screens.tsx";
import { useSwitchTenant } from "./tenant-switcher.tsx";
import { useFoundCommands } from "./use-found-commands.tsx";

/**
 * Everything the palette can do for this person, here.
 *
 * @param isOpen - Whether it is looked at.
 * @param query - What is typed.
 */
export function useCommands(isOpen: boolean, query: string): CommandGroup[] {
  const { config, session, theme } = usePlatform();
  const { user, tenants } = useVerifiedUser();
  const current = useCurrentTenant();
  const found = useFoundCommands(isOpen, query);
  const switchEnvironment = useSwitchEnvironment();
  const switchTenant = useSwitchTenant();
  const openOwnReference = useOpenReference();
  const navigate = useNavigate();

  return [
    {
      value: t`Go to`,
      items: SCREENS.map(({ to, label, words, Icon }) => ({
        id: to,
        label,
        words: t`${words} go open`,
        icon: <Icon aria-hidden="true" />,
        run: () => void navigate({ to }),
      })),
    },
    {
      value: t`Operator`,
      items: (user.isOperator ? OPERATOR_SCREENS : []).map(({ to, label, words }) => ({
        id: to,
        label,
        words: t`${words} go open`,
        icon: <CornerDownRight aria-hidden="true" />,
        run: () => void navigate({ to, search: { tenant: undefined } }),
      })),
    },
    {
      value: t`Sections`,
      isFoundOnly: true,
      items: DESTINATIONS.filter((one) => user.isOperator || one.isForOperators !== true).map(
        ({ label, words, to, search, note }) => ({
          id: `${to} ${label}`,
          label,
          words: t`${words ?? ""} go open`,
          note,
          icon: <CornerDownRight aria-hidden="true" />,
          run: () => void navigate({ to, search }),
        }),
      ),
    },
    {
      value: t`Actions`,
      items: [
        ...(current?.isVisited === true
          ? []
          : toKeyCommands((dialog) => void navigate({ to: "/api-keys", search: { dialog } }))),
        ...(["live", "test"] as const).map((environment) => ({
          id: environment,
          label: t`Show ${environment} only`,
          words: t`switch environment sandbox production`,
          icon: <FlaskConical aria-hidden="true" />,
          run: () => switchEnvironment(environment),
        })),
        {
          id: "both",
          label: t`Show live and test`,
          words: t`switch environment both all`,
          icon: <FlaskConical aria-hidden="true" />,
          run: () => switchEnvironment("both"),
        },
        {
          id: "theme-light",
          label: t`Use light theme`,
          words: t`appearance bright mode`,
          icon: <Sun aria-hidden="true" />,
          run: () => theme.choose("light"),
        },
        {
          id: "theme-dark",
          label: t`Use dark theme`,
          words: t`appearance night mode`,
          icon: <Moon aria-hidden="true" />,
          run: () => theme.choose("dark"),
        },
        {
          id: "theme-system",
          label: t`Use system theme`,
          words: t`appearance auto mode`,
          icon: <Monitor aria-hidden="true" />,
          run: () => theme.choose("system"),
        },
        {
          id: "account",
          label: t`Your account`,
          words: t`profile name e-mail password sessions sign out everywhere delete settings`,
          icon: <CircleUser aria-hidden="true" />,
          run: () => void navigate({ to: "/account" }),
        },
        {
          id: "sign-out",
          label: t`Sign out`,
          words: t`log out logout sign off leave exit`,
          icon: <LogOut aria-hidden="true" />,
          run: () => void session.signOut(),
        },
      ],
    },
    ...found,
    {
      value: t`Switch tenant`,
      items: tenants
        .filter(({ tenantId }) => tenantId !== current?.tenantId)
        .map(({ tenantId, name, slug, role, customRole }) => ({
          id: tenantId,
          label: name,
          words: t`${slug} switch tenant`,
          note: titleRole({ role, customRole }),
          icon: <Building2 aria-hidden="true" />,
          run: () => switchTenant(slug),
        })),
    },
    {
      value: t`Help`,
      items: [
        ...(config.reference === null
          ? []
          : [
              {
                id: "own-reference",
                label: t`API reference`,
                words: t`docs openapi endpoints operations try`,
                icon: <Braces aria-hidden="true" />,
                run: openOwnReference,
              },
            ]),
        // As in the menu of the account: customers of an API with a reference of its own read that one.
        ...(config.reference === null || user.isOperator
          ? [
              {
                id: "docs",
                label: t`Documentation`,
                words: t`help guide manual`,
                icon: <BookOpen aria-hidden="true" />,
                run: () => window.location.assign("/docs"),
              },
              {
                id: "reference",
                label: config.reference === null ? t`API reference` : t`Management API`,
                words: t`openapi endpoints operations`,
                icon: <Braces aria-hidden="true" />,
                run: () => window.location.assign("/v1/reference"),
              },
            ]
          : []),
      ],
    },
  ];
}

/** What is done with keys, by those who may create some. */
function toKeyCommands(open: (dialog: "create" | "import") => void): Command[] {
  return [
    {
      id: "create-key",
      label: t`Create key`,
      words: t`new api key add`,
      icon: <Plus aria-hidden="true" />,
      run: () => open("create"),
    },
    {
      id: "import-keys",
      label: t`Import keys`,
      words: t`existing api keys hashes csv json upload migrate`,
      icon: <FileUp aria-hidden="true" />,
      run: () => open("import"),
    },
  ];
}

import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Menu, MenuRadioGroup } from "@turnpike/ui/menu";
import ChevronDown from "lucide-react/icons/chevron-down";
import {
  type Environment,
  useCurrentEnvironment,
  withOwnEnvironment,
} from "#platform/current-environment.ts";

type Shown = Environment | "both";

const CHOICES = [
  { value: "both", label: t`Live and test`, short: t`All` },
  { value: "live", label: t`Live`, short: t`Live` },
  { value: "test", label: t`Test`, short: t`Test` },
] as const satisfies readonly { value: Shown; label: string; short: string }[];

const LOOKS: Readonly<Record<Shown, string>> = {
  both: "border-line bg-surface text-ink-muted",
  live: "border-transparent bg-ok-soft text-ok",
  test: "border-transparent bg-warning-soft text-warning",
};

/** Goes to an environment: the screen stays, its numbers become those of the environment. */
export function useSwitchEnvironment(): (shown: Shown) => void {
  const navigate = useNavigate();
  return (shown) =>
    void navigate({
      to: ".",
      search: ({ environment: _, ...rest }) =>
        shown === "both" ? withOwnEnvironment(rest) : { ...rest, environment: shown },
    });
}

/** Which environment the screens are about, always in sight, kept from screen to screen. */
export function EnvironmentSwitch() {
  const shown = useCurrentEnvironment() ?? "both";
  const switchTo = useSwitchEnvironment();
  const { label, short } = CHOICES.find(({ value }) => value === shown) ?? CHOICES[0];
  return (
    <Menu
      className="min-w-40"
      trigger={
        <button
          type="button"
          // Either of what is seen is in it: who speaks to the browser says what they see.
          aria-label={t`Environment: ${shown === "both" ? t`All, live and test` : label}`}
          className={joinClasses(
            "relative inline-flex h-7 shrink-0 cursor-pointer items-center gap-1.5 rounded-full border px-2.5 font-medium text-xs whitespace-nowrap before:absolute before:-inset-x-1 before:-inset-y-2",
            LOOKS[shown],
          )}
        >
          <span
            className="size-1.5 rounded-full bg-current forced-color-adjust-none"
            aria-hidden="true"
          />
          <span className="max-sm:hidden">{label}</span>
          <span className="sm:hidden">{short}</span>
          <ChevronDown className="size-3" aria-hidden="true" />
        </button>
      }
    >
      <MenuRadioGroup
        label={t`Environment`}
        choices={CHOICES}
        value={shown}
        onValueChange={switchTo}
      />
    </Menu>
  );
}

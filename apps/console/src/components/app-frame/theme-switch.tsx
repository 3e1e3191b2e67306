import { t } from "@lingui/core/macro";
import { IconButton } from "@turnpike/ui/icon-button";
import { Menu, MenuRadioGroup } from "@turnpike/ui/menu";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { useSyncExternalStore } from "react";
import { usePlatform } from "#platform/platform.tsx";
import type { ThemeChoice } from "#platform/theme.ts";

const CHOICES = [
  { value: "system", label: t`System`, Icon: Monitor },
  { value: "light", label: t`Light`, Icon: Sun },
  { value: "dark", label: t`Dark`, Icon: Moon },
] as const satisfies readonly { value: ThemeChoice; label: string; Icon: unknown }[];

/** Light, dark, or what the system says. */
export function ThemeSwitch({ isFolded }: { isFolded: boolean }) {
  const { theme } = usePlatform();
  const choice = useSyncExternalStore(theme.subscribe, theme.getChoice, () => "system" as const);
  const choices = CHOICES.map(({ Icon, ...rest }) => ({
    ...rest,
    icon: <Icon aria-hidden="true" />,
  }));
  const Current = CHOICES.find(({ value }) => value === choice)?.Icon ?? Monitor;
  return isFolded ? (
    <Menu
      side="right"
      align="end"
      trigger={<IconButton label={t`Theme`} icon={<Current aria-hidden="true" />} />}
    >
      <MenuRadioGroup
        label={t`Theme`}
        choices={choices}
        value={choice}
        onValueChange={theme.choose}
      />
    </Menu>
  ) : (
    <SegmentedControl
      label={t`Theme`}
      segments={choices}
      value={choice}
      onValueChange={theme.choose}
    />
  );
}

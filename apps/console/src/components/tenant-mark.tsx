import { joinClasses } from "@turnpike/ui/join-classes";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { Initials } from "./app-frame/initials.tsx";

/** The pictures that there are of a logo; drawn at half of their size, they are sharp on every screen. */
export type LogoSide = 64 | 128 | 256;

/** Where a picture of a logo is: with the pages, so that their policy allows it. */
export function toLogoUrl(consoleUrl: string, logoId: string, side: LogoSide): string {
  return `${consoleUrl}/v1/logos/${logoId}/${side}.webp`;
}

export type TenantMarkProps = {
  tenant: { name: string; logoId: string | null };
  /** `small` in lists, `large` on cards. */
  size?: "small" | "large";
};

/** The mark of a tenant: its logo, or the first signs of its name while there is none. Purely visual. */
export function TenantMark({ tenant: { name, logoId }, size = "small" }: TenantMarkProps) {
  const { config } = usePlatform();
  const [missing, setMissing] = useState<string>();
  if (logoId === null || missing === logoId) {
    return <Initials name={name} shape="square" />;
  }
  return (
    <img
      src={toLogoUrl(config.urls.console, logoId, size === "large" ? 128 : 64)}
      alt=""
      // A logo that was replaced this moment, or a network that is gone.
      onError={() => setMissing(logoId)}
      className={joinClasses(
        // White below it in the dark too: most logos are drawn for paper.
        "shrink-0 rounded-[6px] bg-white object-contain",
        size === "large" ? "size-12" : "size-7",
      )}
    />
  );
}

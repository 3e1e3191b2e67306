import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactNode } from "react";

/** From the pointer's arrival to a tooltip, in milliseconds; the next one beside it opens at once. */
const TOOLTIP_DELAY_MS = 400;

/** What the components need around them. No `<style>` element: the policy of the console allows style sheets of its own origin alone. */
export function UiProvider({ children }: { children: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={TOOLTIP_DELAY_MS}>{children}</Tooltip.Provider>
    </CSPProvider>
  );
}

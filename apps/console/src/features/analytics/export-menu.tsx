import { useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Menu, MenuGroup, MenuItem } from "@turnpike/ui/menu";
import Download from "lucide-react/icons/download";
import { toast } from "sonner";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type AnalyticsScope, analyticsQueries } from "./analytics.queries.ts";
import type { KeyName } from "./breakdown.view-model.ts";
import { saveFile } from "./save-file.ts";
import { toUsageCsv } from "./usage-csv.view-model.ts";

export type ExportMenuProps = { scope: AnalyticsScope; keyNames: ReadonlyMap<string, KeyName> };

/** The shown numbers as CSV files, made in the browser. */
export function ExportMenu({ scope, keyNames }: ExportMenuProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const files = [
    ["requests-by-outcome", "Requests over time", analyticsQueries.outcomesOverTime(api, scope)],
    ["figures", "Latency and errors over time", analyticsQueries.figures(api, scope)],
    ["statuses", "Requests by status", analyticsQueries.statuses(api, scope)],
    ["outcomes", "Denials by reason", analyticsQueries.outcomes(api, scope)],
    ["routes", "All routes", analyticsQueries.all(api, scope, "route")],
    ["keys", "All keys", analyticsQueries.all(api, scope, "key")],
  ] as const;

  async function save(name: string, query: (typeof files)[number][2]): Promise<void> {
    try {
      const report = await client.fetchQuery(query);
      const day = report.to.slice(0, 10);
      saveFile(
        `${name}-${day}.csv`,
        toUsageCsv(report, (_, key) => keyNames.get(key)?.name),
      );
      if (report.truncated) {
        toast.warning("The file holds the first 10,000 rows: narrow the range for the rest.");
      }
    } catch (cause) {
      toast.error(`The file could not be made: ${toErrorMessage(cause)}`);
    }
  }

  return (
    <Menu
      trigger={
        <Button>
          <Download className="size-4 text-ink-faint" aria-hidden="true" />
          Export
        </Button>
      }
    >
      <MenuGroup label="Download as CSV">
        {files.map(([name, label, query]) => (
          <MenuItem key={name} onSelect={() => void save(name, query)}>
            {label}
          </MenuItem>
        ))}
      </MenuGroup>
    </Menu>
  );
}

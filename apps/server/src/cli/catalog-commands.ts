import { readFile, stat } from "node:fs/promises";
import { catalogInput, type Plan } from "@turnpike/contract/catalog";
import { parse as parseYaml } from "yaml";
import { applyCatalog, listPlans } from "#modules/catalog/index.ts";
import { type Cli, examples } from "./cli.ts";
import { parseInput } from "./parse-input.ts";
import { toGrouped, toTable } from "./print.ts";
import { UsageError } from "./usage-error.ts";

/** A catalogue of a hundred plans is some tens of kilobytes. */
const CATALOG_BYTES_MAX = 1024 * 1024;

function describeQuotas(plan: Plan): string {
  const quotas = plan.quotas.map(
    (quota) => `${toGrouped(quota.limit)} ${quota.meter} (${quota.kind})`,
  );
  return quotas.join(", ") || "-";
}

function describeRates(plan: Plan): string {
  const rates = plan.rateLimits.map(
    (rate) => `${toGrouped(rate.limit)} in ${String(rate.windowSeconds)} s`,
  );
  return rates.join(", ") || "-";
}

function toPlansTable(plans: readonly Plan[]): string {
  return toTable(
    plans,
    [
      { header: "PLAN", value: (plan) => plan.planId + (plan.isDefault ? " (default)" : "") },
      { header: "VERSION", value: (plan) => String(plan.version), align: "right" },
      {
        header: "PER MONTH",
        value: (plan) => `${plan.pricePerMonth} ${plan.currency}`,
        align: "right",
      },
      { header: "SHOWN", value: (plan) => plan.visibility },
      { header: "RATE LIMITS", value: describeRates },
      { header: "QUOTA A PERIOD", value: describeQuotas },
    ],
    "No plans.",
  );
}

/** Reads a catalogue file; YAML contains JSON. */
async function readCatalog(path: string): Promise<Record<string, unknown>> {
  try {
    if ((await stat(path)).size > CATALOG_BYTES_MAX) {
      throw new UsageError(`${path} is larger than a catalogue can be`);
    }
    const content: unknown = parseYaml(await readFile(path, "utf8"));
    if (typeof content !== "object" || content === null || Array.isArray(content)) {
      throw new UsageError(`${path} holds no catalogue: it starts with meters: and plans:`);
    }
    // A whole turnpike.yaml has the catalogue as one of its sections.
    const section = "catalog" in content ? content.catalog : content;
    return typeof section === "object" && section !== null ? { ...section } : {};
  } catch (error) {
    if (error instanceof UsageError) {
      throw error;
    }
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UsageError(`${path} cannot be read: ${reason}`);
  }
}

/** `turnpike plans …` and `turnpike catalog …`: what is sold. */
export function addCatalogCommands(cli: Cli): void {
  cli.program
    .command("plans")
    .description("show plans")
    .command("list")
    .description("list the newest version of every plan")
    .addHelpText("after", examples("plans list"))
    .action(async () => {
      await cli.run(
        ({ deps, context }) => listPlans(deps, context),
        ({ items }) => toPlansTable(items),
      );
    });

  cli.program
    .command("catalog")
    .description("change meters and plans")
    .command("apply")
    .description(
      "bring meters and plans to what a file says; a plan that differs becomes a new version, tenants keep theirs",
    )
    .argument("<file>", "YAML or JSON with meters and plans, or a whole turnpike.yaml")
    .addHelpText("after", examples("catalog apply catalog.yaml"))
    .action(async (file) => {
      const path = cli.toPath(file);
      const input = parseInput(catalogInput, await readCatalog(path), {
        plans: `${path}, plans`,
        meters: `${path}, meters`,
        defaultPlanId: `${path}, defaultPlanId`,
      });
      await cli.run(
        ({ deps, context }) => applyCatalog(deps, context, input),
        ({ published }) =>
          published.length === 0
            ? "Nothing to change: every plan is as the file says."
            : published
                .map((plan) => `Published ${plan.planId}, version ${String(plan.version)}.`)
                .join("\n"),
      );
    });
}

import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { catalogInput, type Plan } from "@turnpike/contract/catalog";
import { AppError } from "@turnpike/domain/errors/app-error";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { parse as parseYaml, stringify as stringifyYaml } from "yaml";
import type { z } from "zod";
import {
  type AppliedCatalog,
  applyCatalog,
  type CatalogDifference,
  diffCatalog,
  type ExportedCatalog,
  exportCatalog,
  listPlans,
} from "#modules/catalog/index.ts";
import { type Cli, examples } from "./cli.ts";
import { InputFileError, toInputFileError } from "./input-file-error.ts";
import { toTable } from "./print.ts";
import { EXIT_FAILED } from "./report-failure.ts";

type CatalogInput = z.output<typeof catalogInput>;

/** A catalogue of a hundred plans is some tens of kilobytes. */
const CATALOG_BYTES_MAX = 1024 * 1024;

const FILE_TEXT = "YAML or JSON with meters, plans and coupons, or a whole turnpike.yaml";

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
  const atOnce = plan.concurrency === null ? [] : [`${toGrouped(plan.concurrency)} at once`];
  return [...rates, ...atOnce].join(", ") || "-";
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

type CatalogFile = {
  path: string;
  catalog: unknown;
  /** JSON pointer of the catalogue in the file. */
  at: string;
};

async function readText(path: string): Promise<string> {
  try {
    if ((await stat(path)).size > CATALOG_BYTES_MAX) {
      throw new InputFileError(`${path} is larger than a catalogue can be.`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof InputFileError) {
      throw error;
    }
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw new InputFileError(
      code === "ENOENT"
        ? `There is no file ${path}.`
        : `${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

/** Reads a catalogue file; YAML contains JSON. */
async function readCatalog(path: string): Promise<CatalogFile> {
  const text = await readText(path);
  let content: unknown;
  try {
    content = parseYaml(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new InputFileError(`${path} is neither YAML nor JSON: ${reason?.replace(/:$/, ".")}`);
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new InputFileError(`${path} holds no catalogue: it starts with meters: and plans:.`);
  }
  // A whole turnpike.yaml has the catalogue as one of its sections.
  return "catalog" in content
    ? { path, catalog: content.catalog, at: "/catalog" }
    : { path, catalog: content, at: "" };
}

function parseCatalog({ path, catalog, at }: CatalogFile): CatalogInput {
  const parsed = catalogInput.safeParse(catalog);
  if (parsed.success) {
    return parsed.data;
  }
  const mistakes = parsed.error.issues.map(({ path: keys, message }) => ({
    pointer: at + keys.map((key) => `/${String(key)}`).join(""),
    message,
  }));
  throw toInputFileError(path, mistakes);
}

/** What the use case finds wrong is in the file, too. */
async function onFile<Result>(file: CatalogFile, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === "INVALID_REQUEST" && error.errors.length > 0) {
      const mistakes = error.errors.map(({ pointer, message }) => ({
        pointer: file.at + pointer,
        message,
      }));
      throw toInputFileError(file.path, mistakes);
    }
    throw error;
  }
}

function describeApplied(applied: AppliedCatalog): string {
  const { published, publishedMeters, changedCoupons, newDefaultPlanId } = applied;
  const lines = [
    ...publishedMeters.map(
      ({ meterId, version }) => `Published the meter ${meterId}, version ${String(version)}.`,
    ),
    ...published.map(({ planId, version }) => `Published ${planId}, version ${String(version)}.`),
    ...changedCoupons.map((couponId) => `Stored the coupon ${couponId}.`),
    ...(newDefaultPlanId === null ? [] : [`New tenants get the plan ${newDefaultPlanId}.`]),
  ];
  return lines.join("\n") || "Nothing to change: every meter, plan and coupon is as the file says.";
}

function describeDifference({ kind, id, isNew, changes }: CatalogDifference): string {
  if (kind === "default plan") {
    return changes.map(({ text }) => text).join("\n");
  }
  const title = `${kind} ${id}${isNew ? ": new" : ""}`;
  return [title, ...changes.map(({ text }) => `  ${text}`)].join("\n");
}

function describeDifferences(differences: readonly CatalogDifference[]): string {
  return differences.map(describeDifference).join("\n") || "No difference.";
}

/** Writes to a file whole or not at all: a catalogue that is cut off would still be YAML. */
async function writeWhole(path: string, text: string): Promise<void> {
  const next = `${path}.next`;
  await writeFile(next, text);
  await rename(next, path);
}

function toYaml(catalog: ExportedCatalog): string {
  return stringifyYaml(catalog).trimEnd();
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

  const catalog = cli.program
    .command("catalog")
    .description("show and change meters, plans and coupons");

  catalog
    .command("show")
    .description("print the published meters, plans and coupons as YAML that catalog apply takes")
    .addHelpText("after", examples("catalog show"))
    .action(async () => {
      await cli.run(({ deps, context }) => exportCatalog(deps, context), toYaml);
    });

  catalog
    .command("export")
    .description("like catalog show, or into a file")
    .option("--out <file>", "write to this file instead of standard output")
    .addHelpText("after", examples("catalog export --out catalog.yaml"))
    .action(async ({ out }) => {
      const path = out === undefined ? undefined : cli.toPath(out);
      await cli.run(
        async ({ deps, context }) => {
          const exported = await exportCatalog(deps, context);
          if (path !== undefined) {
            await writeWhole(path, `${toYaml(exported)}\n`);
          }
          return exported;
        },
        (exported) => (path === undefined ? toYaml(exported) : `Wrote ${path}.`),
      );
    });

  catalog
    .command("diff")
    .description(
      "say what catalog apply would change, without changing it; exit code 1 if anything",
    )
    .argument("<file>", FILE_TEXT)
    .addHelpText("after", examples("catalog diff catalog.yaml"))
    .action(async (file) => {
      const read = await readCatalog(cli.toPath(file));
      const input = parseCatalog(read);
      const differences = await cli.run(
        ({ deps, context }) => onFile(read, () => diffCatalog(deps, context, input)),
        describeDifferences,
      );
      if (differences.length > 0) {
        cli.environment.setExitCode(EXIT_FAILED);
      }
    });

  catalog
    .command("apply")
    .description(
      "bring meters, plans and coupons to what a file says; a plan that differs becomes a new version, tenants keep theirs; what the file leaves out stays",
    )
    .argument("<file>", FILE_TEXT)
    .addHelpText("after", examples("catalog apply catalog.yaml"))
    .action(async (file) => {
      const read = await readCatalog(cli.toPath(file));
      const input = parseCatalog(read);
      await cli.run(
        ({ deps, context }) => onFile(read, () => applyCatalog(deps, context, input)),
        describeApplied,
      );
    });
}

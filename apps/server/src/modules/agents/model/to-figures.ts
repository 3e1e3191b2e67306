import { MODEL_FIGURES_MAX, type ModelEvent } from "@turnpike/contract/model-answers";
import { type AnswerMeasure, answer } from "@turnpike/contract/questions";
import { usageReport } from "@turnpike/contract/usage";
import { toPlainLine } from "@turnpike/domain/text/plain-text";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { formatCell } from "#modules/intelligence/index.ts";

type Labelled = { label: string; value: string };
type Shown = Pick<Extract<ModelEvent, { kind: "result" }>, "figures" | "more">;

const TEXT_LENGTH_MAX = 120;
const DECIMAL = /^-?\d{1,30}(\.\d{1,30})?$/;

const toWords = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();

function labelOf(parts: readonly (string | null | undefined)[]): string {
  return toPlainLine(parts.filter((part) => part).join(" · "), TEXT_LENGTH_MAX);
}

type Row = {
  time: string | null;
  group: Readonly<Record<string, string | undefined>>;
  values: Readonly<Record<string, unknown>>;
};

/** The figures of rows; without any, of the sums. */
function ofRows(
  rows: readonly Row[],
  write: (measure: string, value: unknown) => Labelled,
  names: Readonly<Record<string, string>> = {},
): Labelled[] {
  return rows.flatMap(({ time, group, values }) =>
    Object.entries(values).map(([measure, value]) => {
      const written = write(measure, value);
      const groups = Object.values(group).map((name) => names[name ?? ""] ?? name);
      return { label: labelOf([time, ...groups, written.label]), value: written.value };
    }),
  );
}

function writePlain(measure: string, value: unknown): Labelled {
  const text =
    typeof value === "number" || typeof value === "string" ? toGrouped(value) : "nothing";
  return { label: toWords(measure), value: text };
}

function writeMeasured(measures: readonly AnswerMeasure[]) {
  return (name: string, value: unknown): Labelled => {
    const measure = measures.find((each) => each.name === name);
    const cell = typeof value === "number" || typeof value === "string" ? value : null;
    return measure === undefined
      ? writePlain(name, value)
      : { label: measure.title, value: formatCell(measure, cell) };
  };
}

/** Every number of a result of another shape, named by where it stands. */
function ofOther(value: unknown, path: readonly string[]): Labelled[] {
  const label = labelOf(path.map(toWords));
  if (typeof value === "number" || (typeof value === "string" && DECIMAL.test(value))) {
    return [{ label, value: toGrouped(value) }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => ofOther(each, [...path, String(index + 1)]));
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, each]) => ofOther(each, [...path, name]))
    : [];
}

function listFigures(result: Readonly<Record<string, unknown>>): Labelled[] {
  const asked = answer.safeParse(result["answer"]);
  if (asked.success) {
    const { rows, totals, measures, names } = asked.data;
    const write = writeMeasured(measures);
    const sums = totals === null ? [] : [{ time: null, group: {}, values: totals }];
    return ofRows(rows.length > 0 ? rows : sums, write, names);
  }
  const report = usageReport.safeParse(result);
  if (report.success) {
    const { rows, totals } = report.data;
    const all = rows.length > 0 ? rows : [{ time: null, group: {}, values: totals }];
    return ofRows(all, writePlain);
  }
  return ofOther(result, []);
}

/** The first figures of a result, for the person beside the model's text. */
export function toFigures(result: Readonly<Record<string, unknown>>): Shown {
  const figures = listFigures(result);
  return {
    figures: figures.slice(0, MODEL_FIGURES_MAX),
    more: Math.max(0, figures.length - MODEL_FIGURES_MAX),
  };
}

/** The arguments of a call, as chips. */
export function toQueryChips(input: unknown): Labelled[] {
  if (typeof input !== "object" || input === null) {
    return [];
  }
  return Object.entries(input)
    .filter(([, value]) => value !== undefined && value !== null)
    .slice(0, 20)
    .map(([name, value]) => ({
      label: toPlainLine(toWords(name), TEXT_LENGTH_MAX),
      value: toPlainLine(
        typeof value === "string" ? value : JSON.stringify(value),
        2 * TEXT_LENGTH_MAX,
      ),
    }));
}

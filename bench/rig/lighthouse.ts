import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensurePeer } from "@turnpike/testkit/install-peer";

/** What Lighthouse judges, in the words of its reports. */
export const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"] as const;
export type Category = (typeof CATEGORIES)[number];

export type PageAudit = {
  /** From 0 to 1. */
  scores: Readonly<Record<Category, number>>;
  /** When the largest thing of the first view was painted on the simulated phone, milliseconds. */
  largestPaintMs: number;
  /** Names of the audits that cost points. */
  faults: readonly string[];
  /** How fast Lighthouse found this machine during the audit: 1,500 and more for a desktop at rest. */
  machine: number;
};

export type Lighthouse = { audit(url: string): Promise<PageAudit> };

const PROGRAM = join(
  import.meta.dirname,
  "../peers/lighthouse/node_modules/lighthouse/cli/index.js",
);
/** Root cannot enter Chromium's sandbox, and nothing here talks to others. */
const CHROME_FLAGS =
  "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync";
const AUDIT_TIMEOUT_MS = 180_000;
const REPORT_BYTES_MAX = 64 * 1024 * 1024;
/** What says nothing about the page: the browser recorded no trace. Lighthouse itself asks to be run again. */
const RECORDING_FAILED = new Set(["NO_NAVSTART", "NO_TRACING_STARTED", "NO_SCREENSHOTS"]);
const ATTEMPTS = 3;

type Report = {
  environment: { benchmarkIndex: number };
  runtimeError?: { code: string; message: string };
  categories: Record<
    string,
    { score: number | null; auditRefs: { id: string; weight: number }[] } | undefined
  >;
  audits: Record<string, { score: number | null; numericValue?: number } | undefined>;
};

class LighthouseError extends Error {
  override readonly name = "LighthouseError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code} ${message}`);
    this.code = code;
  }
}

/** @throws {LighthouseError} when Lighthouse could not judge the page. */
export function readReport(text: string): PageAudit {
  const report = JSON.parse(text) as Report;
  if (report.runtimeError !== undefined) {
    throw new LighthouseError(report.runtimeError.code, report.runtimeError.message);
  }
  const faults = new Set<string>();
  const scores: Partial<Record<Category, number>> = {};
  for (const name of CATEGORIES) {
    const category = report.categories[name];
    if (category === undefined || category.score === null) {
      throw new Error(`Lighthouse gave no score for ${name}.`);
    }
    scores[name] = category.score;
    for (const { id, weight } of category.auditRefs) {
      const score = report.audits[id]?.score;
      if (weight > 0 && typeof score === "number" && score < 0.9) {
        faults.add(id);
      }
    }
  }
  return {
    scores: scores as Record<Category, number>,
    largestPaintMs: report.audits["largest-contentful-paint"]?.numericValue ?? Number.NaN,
    faults: [...faults],
    machine: report.environment.benchmarkIndex,
  };
}

/**
 * Lighthouse as it judges phones: a mobile window, a fourfold slower processor and a slow 4G network, all simulated.
 *
 * @param chromium - Absolute path of the browser.
 * @throws {PeerUnavailableError} when it is not installed and cannot be.
 */
export async function startLighthouse(
  chromium: string,
  note: (text: string) => void,
): Promise<Lighthouse> {
  await ensurePeer("lighthouse", note);
  return {
    audit: async (url) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return readReport(await writeReport(chromium, url));
        } catch (error) {
          const isOfRecording =
            error instanceof LighthouseError && RECORDING_FAILED.has(error.code);
          if (attempt === ATTEMPTS || !isOfRecording) {
            throw error;
          }
          note(`${url} is judged again: ${error.message}`);
        }
      }
    },
  };
}

/**
 * @returns The report as JSON.
 * @throws {LighthouseError} when the page could not be judged.
 */
async function writeReport(chromium: string, url: string): Promise<string> {
  const args = [
    PROGRAM,
    url,
    "--output=json",
    "--output-path=stdout",
    "--quiet",
    "--no-enable-error-reporting",
    `--only-categories=${CATEGORIES.join(",")}`,
    `--chrome-flags=${CHROME_FLAGS}`,
  ];
  const options = {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], CHROME_PATH: chromium },
    timeout: AUDIT_TIMEOUT_MS,
    maxBuffer: REPORT_BYTES_MAX,
  };
  try {
    return (await promisify(execFile)(process.execPath, args, options)).stdout;
  } catch (error) {
    // Its report is cut off then; what it says to people is whole.
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
    const [, message, code] = /^Runtime error encountered: (.*) \((\w+)\)$/m.exec(stderr) ?? [];
    throw message === undefined || code === undefined ? error : new LighthouseError(code, message);
  }
}

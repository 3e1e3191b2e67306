import { appendFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type {
  Reporter,
  SerializedError,
  TestCase,
  TestModule,
  TestSpecification,
} from "vitest/node";

/** Lines of a failure that the end of a log shows. */
const LINES_MAX = 30;

/**
 * Appends a line of JSON for each file of a run to `TEST_REPORT_FILE` as soon as the file ends. A run that is cut short
 * then still says what failed, what was under way and what never ran; `tools/run/test.mjs` reads it.
 */
export default class FileReporter implements Reporter {
  readonly #path = process.env["TEST_REPORT_FILE"] ?? "";

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { project, testModule, moduleId } of specifications) {
      const file = testModule?.relativeModuleId ?? moduleId;
      this.#append({ planned: nameOf(project.name, file, project.config.root) });
    }
  }

  onTestModuleStart(module: TestModule): void {
    this.#append({ started: nameModule(module) });
  }

  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()];
    const withState = (state: string) => tests.filter((test) => test.result().state === state);
    const failed = withState("failed").map((test) => ({
      name: test.fullName,
      message: describeErrors(test.result().errors ?? []),
    }));
    const errors = module.errors();
    this.#append({
      ended: nameModule(module),
      passed: withState("passed").length,
      failed:
        errors.length === 0
          ? failed
          : [{ name: "the file", message: describeErrors(errors) }, ...failed],
      skipped: withState("skipped").map((test) => ({ name: test.fullName, message: noteOf(test) })),
    });
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#append({ unhandled: errors.map((error) => describeErrors([error])) });
  }

  #append(entry: object): void {
    appendFileSync(this.#path, `${JSON.stringify(entry)}\n`);
  }
}

const nameModule = (module: TestModule) => `${module.project.name} ${module.relativeModuleId}`;

function nameOf(project: string, file: string, root: string): string {
  return `${project} ${file.startsWith(root) ? file.slice(root.length + 1) : file}`;
}

function noteOf(test: TestCase): string {
  const result = test.result();
  return result.state === "skipped" ? (result.note ?? "") : "";
}

function describeErrors(errors: readonly SerializedError[]): string {
  const lines = errors.flatMap((error) => {
    const { message, stack = "", diff } = error as SerializedError & { diff?: string };
    const frames = stack
      .split("\n")
      .filter((line) => /^\s*at .*\.tsx?:\d+/.test(line) && !line.includes("node_modules"));
    const text = [message, ...(diff === undefined ? [] : [diff]), ...frames.slice(0, 3)].join("\n");
    return stripVTControlCharacters(text).trim().split("\n").slice(0, LINES_MAX);
  });
  return lines.join("\n");
}

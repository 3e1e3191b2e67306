import { createDailyNames, type DailyNamesOptions } from "../text/daily-names.ts";

/** The model of calls whose own name is not kept: it has another form, no call with it succeeded, or there are too many. */
export const OTHER_MODEL = "{other}";

/** Names of models: no spaces, quotes or braces, so no sentence and no markup. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$/;

/** True for what a call can be counted under. */
export function isModelName(text: string): boolean {
  return text === OTHER_MODEL || MODEL_NAME.test(text);
}

export type ModelRegistry = {
  /**
   * The model under which a call is counted: the name that it gives, or {@link OTHER_MODEL}.
   *
   * @param call.name - As the call gives it; empty when it gives none, and so is the answer.
   * @param call.isServed - True when the upstream answered it with success. Only then is a name learned, so that names that callers
   *   make up take no room from models that exist.
   * @param call.nowMs - Wall clock, epoch milliseconds.
   */
  modelOf(tenantId: string, call: { name: string; isServed: boolean; nowMs: number }): string;
};

/**
 * Makes the registry of models that this process has seen today (UTC), bounded for each tenant.
 *
 * @param declared - Names that the configuration has. They are known from the start and take no room.
 */
export function createModelRegistry(
  options: DailyNamesOptions & { declared: ReadonlySet<string> },
): ModelRegistry {
  const names = createDailyNames(options);
  return {
    modelOf(tenantId, { name, isServed, nowMs }) {
      if (name === "") {
        return name;
      }
      if (!MODEL_NAME.test(name)) {
        return OTHER_MODEL;
      }
      if (options.declared.has(name)) {
        return name;
      }
      const isKnown = isServed
        ? names.learn(tenantId, name, nowMs)
        : names.has(tenantId, name, nowMs);
      return isKnown ? name : OTHER_MODEL;
    },
  };
}

import { implement } from "@orpc/server";
import { keyImportContract } from "@turnpike/contract/key-import";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { importKeys } from "./import-keys.ts";

export function createKeyImportRoutes(deps: AppServices) {
  const os = implement(keyImportContract).$context<HttpContext>();
  return os.router({
    import: os.import.handler(({ input, context }) => importKeys(deps, context.call(), input)),
  });
}

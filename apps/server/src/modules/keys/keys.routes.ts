import { implement } from "@orpc/server";
import { keyBulkContract } from "@turnpike/contract/key-bulk";
import { keysContract, serviceKeysContract } from "@turnpike/contract/keys";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { changeManyKeys } from "./change-many-keys.ts";
import { createKey } from "./create-key.ts";
import { createServiceKey } from "./create-service-key.ts";
import { getKey } from "./get-key.ts";
import { listKeyScopes } from "./list-key-scopes.ts";
import { listKeys } from "./list-keys.ts";
import { listServiceKeys } from "./list-service-keys.ts";
import { revokeKey } from "./revoke-key.ts";
import { revokeServiceKey } from "./revoke-service-key.ts";
import { rollKey } from "./roll-key.ts";
import { updateKey } from "./update-key.ts";

// `verify` is not here: it belongs to the gateway, on plain node:http in front of these routes.
const { verify: _, ...ownedContract } = keysContract;

export function createKeysRoutes(deps: AppServices) {
  const os = implement({ ...ownedContract, ...keyBulkContract }).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) => createKey(deps, context.call(), input)),
    list: os.list.handler(({ input, context }) => listKeys(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getKey(deps, context.call(), input)),
    update: os.update.handler(({ input, context }) => updateKey(deps, context.call(), input)),
    roll: os.roll.handler(({ input, context }) => rollKey(deps, context.call(), input)),
    revoke: os.revoke.handler(({ input, context }) => revokeKey(deps, context.call(), input)),
    change: os.change.handler(({ input, context }) => changeManyKeys(deps, context.call(), input)),
    listScopes: os.listScopes.handler(({ input, context }) =>
      listKeyScopes(deps, context.call(), input),
    ),
  });
}

export function createServiceKeysRoutes(deps: AppServices) {
  const os = implement(serviceKeysContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) =>
      createServiceKey(deps, context.call(), input),
    ),
    list: os.list.handler(({ input, context }) => listServiceKeys(deps, context.call(), input)),
    revoke: os.revoke.handler(({ input, context }) =>
      revokeServiceKey(deps, context.call(), input),
    ),
  });
}

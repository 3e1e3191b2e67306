import type { ApiClient } from "./api-client.ts";
import type { ClientConfig } from "./client-config.ts";

/** Where the operator's documentation begins: the reference of its own API, or the product's guides where it has none. */
export function docsHref({ reference }: Pick<ClientConfig, "reference">): string {
  return reference === null ? "/docs" : "/reference";
}

/**
 * Opens the reference of the operator's API. One that only signed-in people may read is opened by an address of their own.
 *
 * @throws When that address cannot be had.
 */
export async function openReference(
  api: Pick<ApiClient, "reference">,
  { reference }: Pick<ClientConfig, "reference">,
): Promise<void> {
  const url = reference === "members" ? (await api.reference.visit({})).url : "/reference";
  window.location.assign(url);
}

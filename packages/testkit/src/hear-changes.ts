import { pollUntil } from "./poll-until.ts";
import type { TestApp } from "./test-app.ts";

/**
 * Makes what waits until an instance has heard every change so far, by a key that is disabled and enabled again. What a
 * change of a tenant makes a process let go of is on its way back for a moment: no test begins in it.
 *
 * @param serviceKey - With `keys:verify` and `keys:write`.
 */
export function createHearChanges(app: TestApp, serviceKey: string): () => Promise<void> {
  let marker: { path: string; key: string; isOff: boolean } | undefined;
  return async () => {
    if (marker === undefined) {
      const keys = `/v1/tenants/${await app.mintTenant("Marker")}/keys`;
      const { json } = await app.call(serviceKey, "POST", keys, { name: "Marker" });
      marker = { path: `${keys}/${String(json.keyId)}`, key: json.key, isOff: false };
    }
    const { path, key } = marker;
    const isOff = !marker.isOff;
    marker.isOff = isOff;
    await app.call(serviceKey, "PATCH", path, { disabled: isOff });
    await pollUntil("changes are heard", async () => {
      const { json } = await app.call(serviceKey, "POST", "/v1/keys/verify", { key, cost: 0 });
      return json.valid === !isOff;
    });
  };
}

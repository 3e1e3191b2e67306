import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { hasProxy, startExampleProxy } from "@turnpike/testkit/proxy-process";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let folder: TempFolder;
const connected = new Set<{ destroy(): void }>();
/** Takes connections and never answers. */
const hanging = createServer((socket) => {
  connected.add(socket);
  socket.resume().on("error", () => undefined);
});

beforeAll(async () => {
  folder = await makeTempFolder();
  await once(hanging.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  for (const socket of connected) {
    socket.destroy();
  }
  hanging.close();
  await folder[Symbol.asyncDispose]();
});

// Side by side, for each waits as long as its configuration says.
describe("a Turnpike that hangs", () => {
  for (const name of ["nginx", "caddy"] as const) {
    it.skipIf(!hasProxy(name)).concurrent(
      `lets no call pass behind examples/${name}, and none wait for more than a few seconds`,
      async ({ onTestFinished }) => {
        const proxy = await startExampleProxy(name, {
          folder: join(folder.path, name),
          turnpikePort: (hanging.address() as AddressInfo).port,
          upstreamPort: await findFreePort(),
        });
        onTestFinished(() => proxy.stop());
        const response = await fetch(`${proxy.url}/v1/maps`, {
          headers: { "x-api-key": "k" },
          // The question has 10 s, and nginx's second one 2 s.
          signal: AbortSignal.timeout(20_000),
        });
        expect(response.status).toBe(504);
      },
    );
  }
});

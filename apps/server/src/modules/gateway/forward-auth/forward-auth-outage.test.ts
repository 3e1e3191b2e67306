import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { hasProxy, type ProxyName, startExampleProxy } from "@turnpike/testkit/proxy-process";
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

async function callBehind(name: ProxyName, input: { folder: string; turnpikePort: number }) {
  const proxy = await startExampleProxy(name, { ...input, upstreamPort: await findFreePort() });
  try {
    return await fetch(`${proxy.url}/v1/maps`, {
      headers: { "x-api-key": "k" },
      // The question has 10 s, and nginx's second one 2 s.
      signal: AbortSignal.timeout(20_000),
    });
  } finally {
    await proxy.stop();
  }
}

// Side by side, for each waits as long as its configuration says.
describe("no call passes, and none waits for more than a few seconds,", () => {
  for (const name of ["nginx", "caddy"] as const) {
    const test = it.skipIf(!hasProxy(name)).concurrent;

    test(`behind examples/${name} and a Turnpike that hangs`, async () => {
      const { port: turnpikePort } = hanging.address() as AddressInfo;
      const folderOfTest = join(folder.path, `${name}-hangs`);
      const response = await callBehind(name, { folder: folderOfTest, turnpikePort });
      expect(response.status).toBe(504);
    });

    test(`behind examples/${name} and a Turnpike that is away`, async () => {
      const turnpikePort = await findFreePort();
      const folderOfTest = join(folder.path, `${name}-away`);
      const response = await callBehind(name, { folder: folderOfTest, turnpikePort });
      expect(response.status).toBe(502);
    });
  }
});

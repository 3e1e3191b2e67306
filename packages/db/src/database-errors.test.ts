import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { spawnScript } from "@turnpike/testkit/spawn-script";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { expect, it } from "vitest";
import { isConnectionError } from "./database-errors.ts";

const SERVER = `
import { createServer } from "node:net";
createServer().listen({ path: process.argv[1], backlog: 1 }, () => console.log("ready"));
`;

/** Connects, and gives the socket or why not. */
function tryConnect(path: string): Promise<{ socket: Socket; error?: NodeJS.ErrnoException }> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once("connect", () => resolve({ socket }));
    socket.once("error", (error) => resolve({ socket, error }));
  });
}

it("recognises every failure to connect, such as to a stalled server, and no failure of a file", async () => {
  await using folder = await makeTempFolder();
  const path = join(folder.path, "server.socket");
  const gone = await tryConnect(path);
  expect(gone.error?.code).toBe("ENOENT");
  expect(isConnectionError(gone.error)).toBe(true);

  const server = spawnScript(SERVER, path);
  await server.nextLine();
  server.child.kill("SIGSTOP");
  const tries = await Promise.all(Array.from({ length: 20 }, () => tryConnect(path)));
  await server.kill();
  const refused = tries.flatMap(({ error }) => error ?? []);
  expect(refused).not.toEqual([]);
  expect(refused.filter((error) => !isConnectionError(error))).toEqual([]);
  for (const { socket } of tries) {
    socket.destroy();
  }

  const missing = await readFile(join(folder.path, "missing")).catch((error: unknown) => error);
  expect(missing).toMatchObject({ code: "ENOENT" });
  expect(isConnectionError(missing)).toBe(false);
});

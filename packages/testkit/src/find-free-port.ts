import { createServer } from "node:net";

/** A port of loopback that was free a moment ago. Prefer to listen on 0 where the code under test can. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") {
    throw new Error("A TCP server has a numeric port.");
  }
  return address.port;
}

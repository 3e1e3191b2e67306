import type { Server } from "node:net";

/** Listens on a free port of loopback, tells the bench which, and ends when the bench does. */
export function reportPort(server: Server): void {
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, () => {
    const address = server.address();
    process.send?.(typeof address === "object" ? address?.port : undefined);
  });
  process.once("disconnect", () => process.exit(0));
}

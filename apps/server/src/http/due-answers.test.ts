import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { openRawConnection } from "@turnpike/testkit/raw-http";
import { describe, expect, it, onTestFinished } from "vitest";
import { DueAnswers } from "./due-answers.ts";

describe("answers that are due", () => {
  it("end a connection on which the next head came too slowly, and nothing is done for that one", async () => {
    const due = new DueAnswers();
    const taken: ServerResponse[] = [];
    const server = createServer(
      { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 },
      (_req, res) => {
        if (due.add(res)) {
          taken.push(res);
        }
      },
    );
    server.on("clientError", due.onClientError);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const accepted = once(server, "connection");
    const connection = await openRawConnection((server.address() as AddressInfo).port);
    const [served] = await accepted;
    const tooLate = once(server, "clientError");
    const [begun, rest] = [
      "GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /late HTTP/1.1\r\nHo",
      "st: a\r\n\r\n",
    ];
    connection.write(begun);
    await tooLate;
    connection.write(rest);
    await pollUntil("all of it is read", () => served.bytesRead === begun.length + rest.length);
    expect(taken.map((res) => res.req.url)).toEqual(["/first"]);
    taken[0]?.end("first");
    const { bytes } = await connection.readToEnd();
    expect(bytes.toString().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    expect(bytes.toString()).toMatch(/\r\n\r\nfirst$/);
  });
});

import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { encodeText, sendCached } from "./html-page.ts";

it("sends a text that was encoded before as it is, without encoding it again", () => {
  const text = encodeText("Ünïcode");
  const req = new IncomingMessage(new Socket());
  for (const asked of ["", text.etag]) {
    req.headers["if-none-match"] = asked;
    const res = new ServerResponse(req);
    const end = vi.spyOn(res, "end");
    sendCached(req, res, { status: 200, type: "text/plain", text });
    const [sent] = end.mock.calls[0] ?? [];
    expect(sent).toBe(asked === "" ? text.bytes : undefined);
    expect(res.statusCode).toBe(asked === "" ? 200 : 304);
  }
});

import { describe, expect, it } from "vitest";
import type { RawRoute } from "./raw-route.ts";
import { createRouteTable } from "./route-table.ts";

const route = (method: RawRoute["method"], path: string): RawRoute => ({
  method,
  path,
  handle: () => Promise.resolve(),
});
const fixed = route("POST", "/v1/keys/verify");
const live = route("GET", "/health/live");
const upload = route("PUT", "/v1/tenants/{tenantId}/files");
const download = route("GET", "/v1/tenants/{tenantId}/files/{fileId}/content");
const find = createRouteTable([fixed, live, upload, download]);

describe("createRouteTable", () => {
  it("finds a route by method and path, with what stands in its braces", () => {
    expect(find("POST", "/v1/keys/verify")).toEqual({ kind: "found", route: fixed, params: {} });
    expect(find("PUT", "/v1/tenants/ten_1/files")).toEqual({
      kind: "found",
      route: upload,
      params: { tenantId: "ten_1" },
    });
    expect(find("GET", "/v1/tenants/ten_1/files/file_2/content")).toMatchObject({
      route: download,
      params: { tenantId: "ten_1", fileId: "file_2" },
    });
  });

  it("answers HEAD as GET, and never as anything that changes something", () => {
    expect(find("HEAD", "/health/live")).toMatchObject({ route: live });
    expect(find("HEAD", "/v1/keys/verify")).toEqual({ kind: "other_method", allow: ["POST"] });
  });

  it("finds the same after anything that was found before", () => {
    const asked = [
      ["POST", "/v1/keys/verify"],
      ["GET", "/v1/keys/verify"],
      ["GET", "/health/live"],
      ["HEAD", "/health/live"],
      ["POST", "/health/live"],
      ["PUT", "/v1/tenants/ten_1/files"],
      ["GET", "/nowhere"],
    ] as const;
    const alone = asked.map(([method, path]) =>
      createRouteTable([fixed, live, upload, download])(method, path),
    );
    for (const [method, path] of asked) {
      for (const [place, [nextMethod, nextPath]] of asked.entries()) {
        find(method, path);
        expect(find(nextMethod, nextPath)).toEqual(alone[place]);
        expect(find(nextMethod, nextPath)).toEqual(alone[place]);
      }
    }
  });

  it("names the methods that a path takes", () => {
    expect(find("GET", "/v1/keys/verify")).toEqual({ kind: "other_method", allow: ["POST"] });
    expect(find("DELETE", "/v1/tenants/ten_1/files")).toEqual({
      kind: "other_method",
      allow: ["PUT"],
    });
  });

  it.each([
    "/",
    "",
    "/v1/keys/verify/",
    "/v1/keys/Verify",
    "/v1//keys/verify",
    "/v1/tenants//files",
    "/v1/tenants/ten_1/files/",
    "/v1/tenants/a/b/files",
    "/v1/tenants/{tenantId}/other",
    "/__proto__",
  ])("finds nothing at %j", (path) => {
    expect(find("GET", path).kind).toBe("none");
  });

  it("takes what stands in braces as text: nothing in it makes another route", () => {
    const strange = "%2e%2e%2f__proto__";
    expect(find("PUT", `/v1/tenants/${strange}/files`)).toMatchObject({
      route: upload,
      params: { tenantId: strange },
    });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Body, isSameJson, mergeDocuments } from "./merge-documents.ts";

const name = fc.constantFrom("a", "b", "c");
const value = fc.oneof(
  fc.constantFrom(0, 1, "x", "y", null, true),
  fc.uniqueArray(fc.constantFrom("p", "q", "r"), { maxLength: 3 }),
  fc.array(fc.constantFrom(1, 1, "z"), { maxLength: 3 }),
  fc.dictionary(name, fc.constantFrom(0, 1, "x"), { maxKeys: 3 }),
);
const body: fc.Arbitrary<Body> = fc.option(fc.dictionary(name, value, { maxKeys: 3 }), { freq: 6 });
const copy = (one: Body): Body => structuredClone(one);

describe("mergeDocuments", () => {
  it("has what one writer changed when the other changed nothing", () => {
    fc.assert(
      fc.property(body, body, fc.boolean(), (base, theirs, isMineNewer) => {
        const nothing = mergeDocuments({ base, mine: copy(base), theirs, isMineNewer });
        expect([nothing.body, nothing.conflicts]).toEqual([theirs, []]);
        const all = mergeDocuments({ base, mine: theirs, theirs: copy(base), isMineNewer });
        expect([all.body, all.conflicts]).toEqual([theirs, []]);
      }),
    );
  });

  it("is the same for every side that merges", () => {
    fc.assert(
      fc.property(body, body, body, fc.boolean(), (base, mine, theirs, isMineNewer) => {
        const one = mergeDocuments({ base, mine, theirs, isMineNewer });
        const other = mergeDocuments({
          base,
          mine: theirs,
          theirs: mine,
          isMineNewer: !isMineNewer,
        });
        expect(other).toEqual(one);
      }),
      { numRuns: 500 },
    );
  });

  it("changes nothing when it is done again", () => {
    fc.assert(
      fc.property(body, body, body, fc.boolean(), (base, mine, theirs, isMineNewer) => {
        const once = mergeDocuments({ base, mine, theirs, isMineNewer }).body;
        expect(mergeDocuments({ base: theirs, mine: once, theirs, isMineNewer }).body).toEqual(
          once,
        );
      }),
    );
  });

  it("loses no field that only one writer changed, and names every value that it drops", () => {
    fc.assert(
      fc.property(body, body, body, fc.boolean(), (base, mine, theirs, isMineNewer) => {
        fc.pre(base !== null && mine !== null && theirs !== null);
        const { body: merged, conflicts } = mergeDocuments({ base, mine, theirs, isMineNewer });
        for (const field of ["a", "b", "c"]) {
          const [b, m, t] = [base[field], mine[field], theirs[field]];
          const got = merged?.[field];
          if (isSameJson(m, b)) {
            expect(got).toEqual(t);
          } else if (isSameJson(t, b)) {
            expect(got).toEqual(m);
          } else if (typeof m !== "object" && typeof t !== "object" && !isSameJson(m, t)) {
            const [conflict] = conflicts.filter(({ path }) => path[0] === field);
            expect([conflict?.kept, conflict?.dropped]).toEqual(
              got === m && !isSameJson(got, t) ? [m, t] : [t, m],
            );
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("brings two writers together who edit and return in any order", () => {
    const step = fc.record({
      who: fc.nat(1),
      does: fc.constantFrom("edit", "return"),
      field: name,
      value,
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let at = 0;
        const server = { body: {} as Body, revision: 0, at: 0 };
        const clients = [0, 1].map(() => ({
          base: {} as Body,
          mine: {} as Body,
          revision: 0,
          at: undefined as number | undefined,
        }));
        const comeBack = (client: (typeof clients)[number]) => {
          const merged =
            client.at === undefined
              ? server.body
              : mergeDocuments({
                  base: client.base,
                  mine: client.mine,
                  theirs: server.body,
                  isMineNewer: client.revision === server.revision || client.at > server.at,
                }).body;
          if (!isSameJson(merged, server.body)) {
            Object.assign(server, { body: merged, revision: server.revision + 1, at: client.at });
          }
          Object.assign(client, {
            base: server.body,
            mine: server.body,
            revision: server.revision,
            at: undefined,
          });
        };
        for (const { who, does, field, value: next } of steps) {
          const client = clients[who];
          at += 1;
          if (client !== undefined && does === "edit") {
            Object.assign(client, { mine: { ...client.mine, [field]: next }, at });
          } else if (client !== undefined) {
            comeBack(client);
          }
        }
        for (const client of [...clients, ...clients]) {
          comeBack(client);
        }
        expect(clients[0]?.mine).toEqual(clients[1]?.mine);
        expect(clients[0]?.mine).toEqual(server.body);
      }),
    );
  });

  it.each([
    ["a set by element", ["a", "b"], ["b", "c"], ["a", "b", "d"], ["b", "c", "d"]],
    ["a field inside of a field", { x: 1, y: 1 }, { x: 2, y: 1 }, { x: 1, y: 2 }, { x: 2, y: 2 }],
    ["a value over a deletion", 1, undefined, 2, 2],
    ["the newer of two values", 1, 2, 3, 2],
  ])("keeps %s", (_what, base, mine, theirs, merged) => {
    const of = (one: unknown) => (one === undefined ? {} : { field: one });
    const input = { base: of(base), mine: of(mine), theirs: of(theirs), isMineNewer: true };
    expect(mergeDocuments(input).body).toEqual({ field: merged });
  });

  it("keeps a document that someone changed while someone else deleted it", () => {
    const input = { base: { a: 1 }, mine: null, theirs: { a: 2 }, isMineNewer: true };
    const conflict = { path: [], kept: { a: 2 }, dropped: undefined };
    expect(mergeDocuments(input)).toEqual({ body: { a: 2 }, conflicts: [conflict] });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePatch } from "./parse-patch.ts";
import { type GroupAttributes, parseGroup, patchGroup } from "./patch-group.ts";
import { patchPerson } from "./patch-person.ts";
import { type PersonAttributes, parsePerson } from "./person-attributes.ts";
import { ScimError } from "./scim-error.ts";

const PERSON: PersonAttributes = {
  userName: "ada@example.com",
  externalId: null,
  displayName: null,
  formattedName: null,
  givenName: null,
  familyName: null,
  active: true,
  email: null,
};

/** A person as a directory would read and send them. */
function toBody(person: PersonAttributes): object {
  return {
    userName: person.userName,
    externalId: person.externalId,
    displayName: person.displayName,
    name: {
      formatted: person.formattedName,
      givenName: person.givenName,
      familyName: person.familyName,
    },
    active: person.active,
    emails: person.email === null ? [] : [{ value: person.email, primary: true, type: "work" }],
  };
}

/** Names of attributes and operations are compared without regard to case. */
const cased = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((capitals) =>
      [...text]
        .map((letter, index) => (capitals[index] === true ? letter.toUpperCase() : letter))
        .join(""),
    );
const word = fc.stringMatching(/^[a-z]{1,12}$/);
const address = word.map((name) => `${name}@example.com`);

/** What the model knows of an attribute: where it is kept, what may be written, and what is there without a value. */
const TEXTS = [
  { path: "externalId", key: "externalId" },
  { path: "displayName", key: "displayName" },
  { path: "name.formatted", key: "formattedName" },
  { path: "name.givenName", key: "givenName" },
  { path: "name.familyName", key: "familyName" },
] as const;

type Step = {
  operation: { op: string; path: string; value?: unknown };
  model: (person: PersonAttributes) => PersonAttributes;
};

const setting = fc.constantFrom("add", "replace");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...TEXTS), setting.chain(cased), word)
    .chain(([{ path, key }, op, value]) =>
      cased(path).map((written) => ({
        operation: { op, path: written, value },
        model: (person: PersonAttributes) => ({ ...person, [key]: value }),
      })),
    ),
  fc.constantFrom(...TEXTS).chain(({ path, key }) =>
    cased(path).map((written) => ({
      operation: { op: "remove", path: written },
      model: (person: PersonAttributes) => ({ ...person, [key]: null }),
    })),
  ),
  fc.tuple(setting, word).map(([op, value]) => ({
    operation: { op, path: "userName", value },
    model: (person: PersonAttributes) => ({ ...person, userName: value }),
  })),
  fc.tuple(setting, fc.boolean(), fc.boolean()).map(([op, value, isText]) => ({
    operation: { op, path: "active", value: isText ? (value ? "True" : "False") : value },
    model: (person: PersonAttributes) => ({ ...person, active: value }),
  })),
  fc
    .tuple(setting, address, fc.constantFrom("emails.value", 'emails[type eq "work"].value'))
    .map(([op, value, path]) => ({
      operation: { op, path, value },
      model: (person: PersonAttributes) => ({ ...person, email: value }),
    })),
  fc.tuple(setting, address).map(([op, value]) => ({
    operation: { op, path: 'emails[type eq "home"].value', value },
    model: (person: PersonAttributes) => person,
  })),
  fc.tuple(setting, word, word).map(([op, name, value]) => ({
    operation: { op, path: `urn:ietf:params:scim:schemas:extension:x:2.0:User:${name}`, value },
    model: (person: PersonAttributes) => person,
  })),
);

const anything = fc.array(
  fc.record(
    {
      op: fc.oneof(fc.constantFrom("add", "Replace", "REMOVE"), fc.string()),
      path: fc.oneof(
        fc.constantFrom("active", "emails", "userName", "name", "members", "displayName"),
        fc.constantFrom("__proto__", "constructor.prototype", "name.__proto__", "id", "schemas"),
        fc.string(),
      ),
      value: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
  { minLength: 1, maxLength: 8 },
);

/** The result; undefined where the directory gets an error. */
function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(ScimError);
    return undefined;
  }
}

describe("a person after any sequence of operations", () => {
  it("is what a model of one attribute after the other says, in any spelling", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
        const operations = steps.map(({ operation }) => operation);
        const expected = steps.reduce((person, { model }) => model(person), PERSON);
        expect(patchPerson(PERSON, parsePatch({ Operations: operations }))).toEqual(expected);
      }),
    );
  });

  it("is the same whether its operations come at once or one by one", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 10 }), (steps) => {
        const operations = steps.map(({ operation }) => operation);
        const single = operations.reduce(
          (person, operation) => patchPerson(person, parsePatch({ Operations: [operation] })),
          PERSON,
        );
        expect(single).toEqual(patchPerson(PERSON, parsePatch({ Operations: operations })));
      }),
    );
  });

  it("is refused, or one that could be sent whole and would be the same", () => {
    fc.assert(
      fc.property(anything, (operations) => {
        const person = unlessRefused(() =>
          patchPerson(PERSON, parsePatch({ Operations: operations })),
        );
        if (person !== undefined) {
          expect(Object.keys(person)).toEqual(Object.keys(PERSON));
          expect(parsePerson(toBody(person))).toEqual(person);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});

const GROUP: GroupAttributes = { displayName: "viewer", externalId: null, members: new Set() };
const member = fc.integer({ min: 0, max: 9 }).map((digit) => `scu_${String(digit).repeat(32)}`);
const members = fc.array(member, { maxLength: 5 });
const toValues = (ids: readonly string[]) => ids.map((value) => ({ value }));

type GroupStep = {
  operation: { op: string; path: string; value?: unknown };
  model: (before: readonly string[]) => readonly string[];
};

const groupStep: fc.Arbitrary<GroupStep> = fc.oneof(
  members.map((ids) => ({
    operation: { op: "add", path: "members", value: toValues(ids) },
    model: (before: readonly string[]) => [...before, ...ids.filter((id) => !before.includes(id))],
  })),
  members.map((ids) => ({
    operation: { op: "replace", path: "members", value: toValues(ids) },
    model: () => ids,
  })),
  fc.array(member, { minLength: 1, maxLength: 5 }).map((ids) => ({
    operation: { op: "remove", path: "members", value: toValues(ids) },
    model: (before: readonly string[]) => before.filter((id) => !ids.includes(id)),
  })),
  member.map((id) => ({
    operation: { op: "remove", path: `members[value eq "${id}"]` },
    model: (before: readonly string[]) => before.filter((one) => one !== id),
  })),
  fc.constant({ operation: { op: "remove", path: "members" }, model: () => [] }),
);

describe("a group after any sequence of operations", () => {
  it("has the members that a model by lists says", () => {
    fc.assert(
      fc.property(fc.array(groupStep, { minLength: 1, maxLength: 20 }), (steps) => {
        const operations = steps.map(({ operation }) => operation);
        const { members: left } = patchGroup(GROUP, parsePatch({ Operations: operations }));
        const expected = steps.reduce<readonly string[]>((before, { model }) => model(before), []);
        expect([...left].sort()).toEqual([...new Set(expected)].sort());
      }),
    );
  });

  it("is refused, or one that could be sent whole and would be the same", () => {
    fc.assert(
      fc.property(anything, (operations) => {
        const group = unlessRefused(() =>
          patchGroup(GROUP, parsePatch({ Operations: operations })),
        );
        if (group !== undefined) {
          const { members: ids, ...rest } = group;
          expect(parseGroup({ ...rest, members: toValues([...ids]) })).toEqual(group);
        }
      }),
    );
  });
});

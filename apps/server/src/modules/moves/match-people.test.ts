import { describe, expect, it } from "vitest";
import { matchAccounts, matchPeople } from "./match-people.ts";
import type { Account, Person } from "./people.store.ts";

const person = (userId: string, more: Partial<Person> = {}): Person => ({
  ...{ userId, issuer: "https://id.example.com", subject: userId, email: null, isDeleted: false },
  ...more,
});
const account = (accountId: string, email: string, isConfirmed = true): Account => ({
  ...{ accountId, email, isConfirmed },
});

describe("people of a tenant, in the other cell,", () => {
  it("are copied where no one has their identity", () => {
    const here = { people: [person("usr_1")], accounts: [account("acc_1", "a@example.com")] };
    expect(matchPeople(here, { accounts: new Map(), known: [] })).toEqual({
      names: {},
      userIds: ["usr_1"],
      accountIds: ["acc_1"],
    });
  });

  it("are those with the same identity, under their id there", () => {
    const known = [person("usr_9", { subject: "usr_1" }), person("usr_2")];
    const here = { people: [person("usr_1"), person("usr_2")], accounts: [] };
    expect(matchPeople(here, { accounts: new Map(), known })).toEqual({
      names: { usr_1: "usr_9", "user:usr_1": "user:usr_9" },
      userIds: [],
      accountIds: [],
    });
  });

  it("are those with the account of the same confirmed address", () => {
    const accounts = matchAccounts(
      [account("acc_1", "a@example.com")],
      [account("acc_9", "a@example.com")],
    );
    const here = {
      people: [person("usr_1", { issuer: "builtin", subject: "acc_1" })],
      accounts: [account("acc_1", "a@example.com")],
    };
    const known = [person("usr_9", { issuer: "builtin", subject: "acc_9" })];
    expect(matchPeople(here, { accounts, known })).toEqual({
      names: { acc_1: "acc_9", usr_1: "usr_9", "user:usr_1": "user:usr_9" },
      userIds: [],
      accountIds: [],
    });
  });

  it.each([
    [true, false],
    [false, true],
  ])("are refused with an address that is not confirmed in both: %j, %j", (here, there) => {
    expect(() =>
      matchAccounts(
        [account("acc_1", "a@example.com", here)],
        [account("acc_9", "a@example.com", there)],
      ),
    ).toThrow("a@example.com has an account in both cells");
  });

  it("are refused where two would be one", () => {
    const here = { people: [person("usr_1"), person("usr_2")], accounts: [] };
    const known = [person("usr_9", { subject: "usr_1" }), person("usr_9", { subject: "usr_2" })];
    expect(() => matchPeople(here, { accounts: new Map(), known })).toThrow("would be one person");
  });
});

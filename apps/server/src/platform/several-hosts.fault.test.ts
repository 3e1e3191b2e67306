import { chmod } from "node:fs/promises";
import { THIS_MACHINE } from "@turnpike/testkit/cluster/place";
import { type PostgresPair, startPostgresPair } from "@turnpike/testkit/cluster/postgres-pair";
import { eventually } from "@turnpike/testkit/eventually";
import { findFreePort } from "@turnpike/testkit/find-free-port";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineJob } from "./define-job.ts";
import { openJobQueue } from "./job-queue.ts";
import { createLogger } from "./logger.ts";
import { openDatabase } from "./open-database.ts";
import { createListen } from "./postgres-listen.ts";
import { pingDatabase } from "./transact.ts";
import { watchDatabase } from "./watch-database.ts";

const logger = createLogger({ level: "silent" });
const job = defineJob({
  name: "test.failover",
  schema: z.object({}),
  retryLimit: 0,
  retryDelaySeconds: 1,
  retryDelaySecondsMax: 1,
  expireInSeconds: 60,
});

let folder: TempFolder;
let pair: PostgresPair;
beforeAll(async () => {
  folder = await makeTempFolder();
  // The servers run as another user.
  await chmod(folder.path, 0o711);
  const place = async () => ({ ...THIS_MACHINE, port: await findFreePort() });
  pair = await startPostgresPair({ folder: folder.path, places: [await place(), await place()] });
});
afterAll(async () => {
  await pair.stop();
  await folder[Symbol.asyncDispose]();
});

describe("an address with several hosts", () => {
  it("reaches the primary in any order, and after a failover the new one, by both drivers", async () => {
    const { primary, standby } = pair;
    // The standby first: being there is not enough.
    const url = `${pair.urlOf([standby.place, primary.place])}?target_session_attrs=read-write`;
    const target = { url };
    const database = await openDatabase({ target, applicationName: "hosts", connectionsMax: 2 });
    const queue = await openJobQueue({ target, logger });
    const watch = watchDatabase({ target, transact: database.transact, logger });
    const heard: string[] = [];
    const notify = (payload: string) =>
      database.sql.transaction((tx) => tx`select pg_notify('hosts', ${payload})`);
    const listen = () => createListen(target, "hosts")((payload) => heard.push(payload));
    let listening = await listen();
    try {
      await queue.enqueue(job, {});
      await notify("before");
      await eventually(() => expect(heard).toEqual(["before"]));
      expect(watch.trouble()).toEqual({});

      await primary.kill();
      await pair.promote();

      await eventually(() => pingDatabase(database.sql));
      await database.sql.transaction((tx) => tx`create table written_after_failover ()`);
      await eventually(() => queue.enqueue(job, {}));
      // As the feed of changes does, when a test message to itself stays away.
      await listening.close();
      listening = await listen();
      await notify("after");
      await eventually(() => expect(heard).toEqual(["before", "after"]));
    } finally {
      await listening.close();
      await watch.stop();
      await queue.close();
      await database.close();
    }
    // What was promoted has no standby: the next failover would lose what it acknowledged.
    const alone = await openDatabase({ target, applicationName: "hosts", connectionsMax: 2 });
    const later = watchDatabase({ target, transact: alone.transact, logger });
    await pollUntil("the missing standby is noticed", () => later.trouble().standby);
    await later.stop();
    await alone.close();
  });
});

import { statfs } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { verifyMailServer } from "#modules/notifications/index.ts";
import { createConfiguredFetch } from "#platform/configured-fetch.ts";
import { readLastBackup } from "#platform/last-backup.ts";
import { COMMAND_LINE } from "#platform/published.ts";
import type { Config } from "../config.ts";
import { toMailSettings } from "../to-mail-settings.ts";
import { type Finding, ok } from "./check.ts";

const PROBE_TIMEOUT_MS = 3_000;
const DOCUMENT_BYTES_MAX = 1024 * 1024;
const DAY_MS = 86_400_000;
const BACKUP_AGE_DAYS_MAX = 7;
const MEGABYTE = 1024 * 1024;
/** Warned of while twice the reserve is left: at the reserve nothing more is stored. */
const RESERVES_LEFT = 2;

/** Whether something listens at an address; nothing is sent to it. */
async function accepts(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.setTimeout(PROBE_TIMEOUT_MS, () => resolve(false));
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

export async function checkUpstreams(
  upstreams: readonly { name: string; url: string }[] | undefined,
): Promise<Finding> {
  if (upstreams === undefined) {
    return {
      state: "warning",
      seen: "Calls are answered by the demo API.",
      advice: "Name your API under upstreams in turnpike.yaml, or as npx turnpike <address>.",
    };
  }
  const answers = await Promise.all(upstreams.map(({ url }) => accepts(url)));
  const silent = upstreams.filter((_, index) => answers[index] !== true).map(({ name }) => name);
  return silent.length === 0
    ? ok(`${upstreams.map(({ name }) => name).join(", ")}: reached.`)
    : {
        state: "failed",
        seen: `Nothing listens at ${silent.join(", ")}: calls get 502.`,
        advice: "Start it, or correct its address under upstreams.",
      };
}

/** Of the folder, or of where it is going to be. */
async function readFree(folder: string): Promise<{ bavail: number; bsize: number }> {
  try {
    return await statfs(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw error;
    }
    return await readFree(parent);
  }
}

export async function checkDisk({ dataFolder, storage }: Config): Promise<Finding> {
  const { bavail, bsize } = await readFree(dataFolder);
  const freeMegabytes = Math.floor((bavail * bsize) / MEGABYTE);
  const seen = `${toGrouped(freeMegabytes)} MB are free in ${dataFolder}.`;
  return freeMegabytes >= storage.reserveMegabytes * RESERVES_LEFT
    ? ok(seen)
    : {
        state: freeMegabytes < storage.reserveMegabytes ? "failed" : "warning",
        seen: `${seen} Below ${String(storage.reserveMegabytes)} MB nothing more is stored.`,
        advice: "Make room, or move the data folder to a larger disk.",
      };
}

export async function checkBackup({ dataFolder }: Config, now: Date): Promise<Finding> {
  const last = await readLastBackup(dataFolder);
  const advice = `Make one every day by a timer: ${COMMAND_LINE} backup <folder>. It works while the product serves.`;
  if (last === undefined) {
    return { state: "warning", seen: "This installation knows of no backup.", advice };
  }
  const days = Math.floor((now.getTime() - Date.parse(last.madeAt)) / DAY_MS);
  const seen = `The last was made ${days < 1 ? "less than a day" : days === 1 ? "a day" : `${String(days)} days`} ago.`;
  return days <= BACKUP_AGE_DAYS_MAX ? ok(seen) : { state: "warning", seen, advice };
}

export async function checkMail(config: Config): Promise<Finding> {
  const { smtp } = config.mail;
  if (smtp === undefined) {
    return {
      state: "warning",
      seen: "No mail server is configured: mails stay in the outbox, and you hand on their links.",
      advice: "Set mail.smtp.",
    };
  }
  const server = `${smtp.host}:${String(smtp.port)}`;
  try {
    await verifyMailServer({ ...toMailSettings(config), smtp });
    return ok(`${server} takes mail.`);
  } catch (error) {
    return {
      state: "failed",
      seen: `${server} takes no mail: ${error instanceof Error ? error.message : String(error)}`,
      advice: `Correct mail.smtp, then try it: ${COMMAND_LINE} mail test you@example.com`,
    };
  }
}

async function answersDiscovery(issuer: string): Promise<boolean> {
  const base = issuer.replace(/\/$/, "");
  try {
    const answer = await createConfiguredFetch(base, { bytesMax: DOCUMENT_BYTES_MAX })(
      `${base}/.well-known/openid-configuration`,
      { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) },
    );
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

export async function checkSignIn({ identity }: Config): Promise<Finding> {
  const { providers, builtin, firebase } = identity;
  const answers = await Promise.all(providers.map(({ issuer }) => answersDiscovery(issuer)));
  const silent = providers.filter((_, index) => answers[index] !== true).map(({ name }) => name);
  if (silent.length > 0) {
    return {
      state: "failed",
      seen: `No answer from ${silent.join(", ")}: people cannot sign in there.`,
      advice: "Check the issuer under identity.providers, and whether this machine may reach it.",
    };
  }
  const ways = [
    ...(builtin ? ["e-mail and password"] : []),
    ...(firebase === undefined ? [] : ["Firebase"]),
    ...providers.map(({ name }) => name),
  ];
  return ok(`By ${ways.join(", ")}.`);
}

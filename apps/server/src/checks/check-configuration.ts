import { isIP } from "node:net";
import type { Config } from "../config.ts";
import { BRAND_NAME_DEFAULT } from "../config-brand.ts";
import type { PublicUrls } from "../public-urls.ts";
import { type Finding, ok } from "./check.ts";

function isLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

/** Private networks have names and addresses of their own, where a certificate may be out of reach. */
function isInternal(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    (isIP(hostname) === 4 && /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(hostname)) ||
    /\.(internal|local|lan|home\.arpa)$/.test(hostname)
  );
}

/** Whether people and programs reach both listeners from elsewhere, and in secret. */
export function checkAddresses({ console, gateway }: PublicUrls): Finding {
  const both = `${console} (console), ${gateway} (gateway)`;
  const local = [console, gateway].filter(isLocal);
  if (local.length > 0) {
    return {
      state: "warning",
      seen: `Only this machine can use ${local.join(", ")}.`,
      advice: "Set publicUrls.console and publicUrls.gateway to the addresses of your customers.",
    };
  }
  const plain = [console, gateway].filter((url) => url.startsWith("http:"));
  if (plain.length > 0) {
    return {
      state: plain.every(isInternal) ? "warning" : "failed",
      seen: `Passwords and API keys travel unencrypted to ${plain.join(", ")}.`,
      advice: "Put a proxy with a certificate in front, and set publicUrls to https addresses.",
    };
  }
  return ok(`${both}.`);
}

/** A proxy that is not named hides the addresses of clients: limits of networks would count all of them as one. */
export function checkProxy({ trustedProxies }: Config, urls: PublicUrls): Finding {
  if (trustedProxies.length > 0) {
    return ok(`Trusted: ${trustedProxies.join(", ")}.`);
  }
  return [urls.console, urls.gateway].some((url) => url.startsWith("https:"))
    ? {
        state: "warning",
        seen: "The addresses are https, which a proxy in front must serve, and no proxy is trusted: all clients seem to have its address.",
        advice: "Add the address of your proxy to trustedProxies.",
      }
    : ok("None is needed: the addresses are served directly.");
}

/** Names what was given and what was generated; their strength is checked when the configuration is read. */
export function checkSecrets(config: Config): Finding {
  const generated = (
    [
      ["TURNPIKE_SIGNING_SECRET", config.signingSecret],
      ["TURNPIKE_IDENTITY_SECRET", config.identitySecret],
      ["TURNPIKE_WEBHOOK_SECRET", config.webhookSecret],
    ] as const
  )
    .filter(([, value]) => value === undefined)
    .map(([name]) => name);
  if (generated.length === 0) {
    return ok("All three are given in the environment.");
  }
  return config.databaseUrl === undefined
    ? ok("Generated, in the folder secrets of the data folder: back them up, apart from the rest.")
    : {
        state: "warning",
        seen: `The database is your own, and each machine generates for itself: ${generated.join(", ")}. A second one, or one that is set up anew, could not read what this one encrypted.`,
        advice: "Set them in the environment, the same on every machine.",
      };
}

export function checkPayments({ billing, stripeKeys }: Config): Finding {
  const ways = [
    ...(stripeKeys.live === undefined ? [] : ["Stripe"]),
    ...(billing.bank === undefined ? [] : ["bank transfer"]),
  ];
  return ways.length > 0
    ? ok(`Customers pay by ${ways.join(" and ")}.`)
    : {
        state: "warning",
        seen: "Invoices are issued, and customers have no way to pay them here.",
        advice: "Set TURNPIKE_STRIPE_KEY, or billing.bank, unless you collect payments elsewhere.",
      };
}

/** Every page, mail and invoice shows the name. */
export function checkBrand({ brand, configPath }: Config): Finding {
  return brand.name === BRAND_NAME_DEFAULT
    ? {
        state: "warning",
        seen: `Pages, mails and invoices call your API ${brand.name}: brand.name is not set.`,
        advice: `Write brand.name, and brand.mark for a picture, in ${configPath}, and restart.`,
      }
    : ok(`Customers read ${brand.name}.`);
}

/** Terms bind no one without the name of who offers the service. */
export function checkLegal({ legal, configPath }: Config): Finding {
  const missing = [
    ...(legal.operator === undefined ? ["legal.operator"] : []),
    ...(legal.contact === undefined ? ["legal.contact"] : []),
  ];
  return missing.length === 0
    ? ok(`${legal.operator ?? ""}, ${legal.contact ?? ""}.`)
    : {
        state: "warning",
        seen: `The terms and the privacy notice do not say who your customers contract with, or how to reach you. Not set: ${missing.join(", ")}.`,
        advice: `Write ${missing.join(" and ")} in ${configPath}, and restart.`,
      };
}

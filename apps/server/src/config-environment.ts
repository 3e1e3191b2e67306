import { z } from "zod";
import { cellVariables } from "./config-cell.ts";
import { clickhouseVariables } from "./config-clickhouse.ts";
import { clientSecretVariables } from "./config-client-secrets.ts";
import { databaseAddress } from "./config-database-address.ts";
import { modelVariables } from "./config-intelligence.ts";
import { LOG_LEVELS } from "./config-log.ts";
import { origin } from "./config-origin.ts";
import { valkeyVariables } from "./config-rate-limits.ts";
import { stripeVariables } from "./config-stripe.ts";
import { workers } from "./config-workers.ts";

const PORT_EXPECTED = "A port number from 0 to 65535.";
const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT_EXPECTED)
  .transform(Number)
  .refine((value) => value <= 65_535, PORT_EXPECTED);

/** The environment of the process: secrets, places, and what differs between starts. */
export const environment = z
  .object({
    PORT: port.default(3000),
    GATEWAY_PORT: port.default(3001),
    TURNPIKE_DATA_DIR: z.string().optional(),
    TURNPIKE_CONFIG: z.string().optional(),
    TURNPIKE_LOG_LEVEL: z
      .enum(LOG_LEVELS, { error: `One of ${LOG_LEVELS.join(", ")}.` })
      .optional(),
    TURNPIKE_MODE: z
      .enum(["production", "development"], { error: "production or development." })
      .default("production"),
    TURNPIKE_WORKERS: z
      .string()
      .transform((text) => (/^\d{1,4}$/.test(text) ? Number(text) : text))
      .pipe(workers)
      .optional(),
    TURNPIKE_NODES_MAY_DIFFER: z
      .enum(["true", "false"], { error: "true or false." })
      .default("false")
      .transform((word) => word === "true"),
    TURNPIKE_DATABASE_USER: z.string().optional(),
    TURNPIKE_CONSOLE_URL: origin.optional(),
    TURNPIKE_SIGNING_SECRET: z.string().min(32, "At least 32 characters.").optional(),
    TURNPIKE_IDENTITY_SECRET: z.string().min(32, "At least 32 characters.").optional(),
    TURNPIKE_WEBHOOK_SECRET: z.string().min(32, "At least 32 characters.").optional(),
    TURNPIKE_SMTP_PASSWORD: z.string().optional(),
    TURNPIKE_S3_SECRET_KEY: z
      .string()
      .regex(/^[\x21-\x7e]{8,512}$/, "8 to 512 plain characters without spaces.")
      .optional(),
    ...stripeVariables,
    ...modelVariables,
    ...clientSecretVariables,
    ...valkeyVariables,
    ...clickhouseVariables,
    ...cellVariables,
    DATABASE_URL: databaseAddress.optional(),
  })
  .superRefine((env, context) => {
    if (env.PORT === env.GATEWAY_PORT && env.PORT !== 0) {
      context.addIssue({
        code: "custom",
        path: ["GATEWAY_PORT"],
        message: "Must differ from PORT.",
      });
    }
  });
export type ParsedEnvironment = z.output<typeof environment>;

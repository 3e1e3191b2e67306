import { z } from "zod";
import { writeLike } from "./config-shape.ts";

export const mailSection = z
  .strictObject({
    from: z.email().max(320).default("turnpike@localhost.localdomain").describe("Sender of mails."),
    smtp: z
      .strictObject(
        {
          host: z.string().min(1).max(253).describe("Name of the mail server."),
          port: z.number().int().min(1).max(65_535).default(587).describe("Its port."),
          secure: z
            .boolean()
            .default(false)
            .describe("TLS from the first byte. Otherwise STARTTLS when the server offers it."),
          user: z
            .string()
            .min(1)
            .max(320)
            .optional()
            .describe("User of the mail server; the password is `TURNPIKE_SMTP_PASSWORD`."),
        },
        writeLike("smtp: { host: mail.example.com, user: postmaster }"),
      )
      .optional()
      .describe("The mail server. Left out: mails are kept in the outbox."),
  })
  .prefault({});

import { findTextColor } from "#http/pages/brand-style.ts";
import type { MailSettings } from "#modules/notifications/index.ts";
import type { Config } from "./config.ts";

/** What mails are sent with, and how they look. */
export function toMailSettings({ brand, mail, smtpPassword }: Config): MailSettings {
  const { name, accent, mark, language } = brand;
  return {
    ...mail,
    smtpPassword,
    brand: { name, accent, onAccent: findTextColor(accent), mark, language },
  };
}

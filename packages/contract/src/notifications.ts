import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, tenantId, userId } from "./shapes.ts";

export const notificationId = z
  .string()
  .refine((value) => isId("notification", value), {
    error: "Not the id of a notification; it looks like ntf_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["ntf_0199f3b0c1d27a4e8f60112233445566"] });

/** A path of the console, never another address: the content of a notification may come from outside. */
export const ownPath = z
  .string()
  .max(500)
  .regex(/^\/(?:[^/\\\p{Cc}][^\\\p{Cc}]*)?$/u, "A path of the console, such as /billings.");

export const notification = z.strictObject({
  notificationId: z.string(),
  tenantId,
  /** Null for all members of the tenant. */
  userId: z.string().nullable(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  link: z.string().nullable(),
  createdAt: instant,
  readAt: instant.nullable(),
});
export type Notification = z.infer<typeof notification>;

export const createNotificationRequest = z.strictObject({
  tenantId,
  userId: userId.optional(),
  /** The subject, such as `usage.threshold`. */
  kind: z.string().regex(/^[a-z][a-z0-9_.]{0,63}$/, "Lower-case letters, digits, dots and _."),
  title: displayText(200),
  body: displayText(2_000),
  link: ownPath.optional(),
});
export type CreateNotificationRequest = z.infer<typeof createNotificationRequest>;

/** The most notifications that one call marks as read. */
export const READ_AT_ONCE_MAX = 1_000;

const tags = ["Notifications"];

export const notificationsContract = {
  create: operation({ scope: "notifications:write" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/notifications",
      successStatus: 201,
      summary: "Notify all members of a tenant, or one of them",
      tags,
    })
    .input(createNotificationRequest)
    .output(notification),
  list: operation({ scope: "notifications:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/notifications",
      summary: "List notifications, newest first",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        /** Only those for this user or for all members. */
        userId: userId.optional(),
        unread: z.stringbool().or(z.boolean()).optional(),
        ...pageQuery,
      }),
    )
    .output(pageOf(notification)),
  markRead: operation({ scope: "notifications:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/notifications/{notificationId}/read",
      summary: "Mark a notification as read",
      tags,
    })
    .input(z.strictObject({ tenantId, notificationId }))
    .output(notification),
  markAllRead: operation({ scope: "notifications:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/notifications/read",
      summary: "Mark notifications as read up to a given one, at most a thousand",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        /** Only those for this user or for all members. */
        userId: userId.optional(),
        /** The newest one that was seen. Later ones stay unread. */
        upTo: notificationId,
      }),
    )
    .output(z.strictObject({ read: z.number().int() })),
};

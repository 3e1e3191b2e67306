/** A report as a common mail server writes it. */
export function makeDeliveryReport(input: {
  messageId: string;
  recipient: string;
  status?: string;
  action?: string;
  diagnostic?: string;
}): string {
  const { messageId, recipient, status = "5.1.1", action = "failed" } = input;
  const diagnostic = input.diagnostic ?? `smtp; 550 5.1.1 <${recipient}>: no such user`;
  return [
    "From: MAILER-DAEMON@mail.test (Mail Delivery System)",
    "To: turnpike@sender.test",
    "Subject: Undelivered Mail Returned to Sender",
    "MIME-Version: 1.0",
    "Content-Type: multipart/report; report-type=delivery-status;",
    '\tboundary="4Dz.1/mail.test"',
    "",
    "This is a MIME-encapsulated message.",
    "",
    "--4Dz.1/mail.test",
    "Content-Description: Notification",
    "Content-Type: text/plain; charset=us-ascii",
    "",
    `<${recipient}>: no such user`,
    "",
    "--4Dz.1/mail.test",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mail.test",
    "",
    `Final-Recipient: rfc822; ${recipient}`,
    `Original-Recipient: rfc822;${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    "Remote-MTA: dns; mx.example.test",
    `Diagnostic-Code: ${diagnostic.replace(": ", ":\r\n    ")}`,
    "",
    "--4Dz.1/mail.test",
    "Content-Type: text/rfc822-headers",
    "",
    "From: turnpike@sender.test",
    `Message-ID: <${messageId}>`,
    "",
    "--4Dz.1/mail.test--",
    "",
  ].join("\r\n");
}

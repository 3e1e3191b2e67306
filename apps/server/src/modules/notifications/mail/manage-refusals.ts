import type { RefusedAddress } from "@turnpike/contract/outbox";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { hashRecipient } from "./mail-transport.ts";
import { deleteRefusedAddress, listRefusedAddressRows } from "./refused-addresses.store.ts";

/**
 * Lists addresses that refused mail for good, the newest refusals first.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` unless the actor is an operator or one of their programs.
 */
export async function listRefusedAddresses(
  { transact }: Pick<AppServices, "transact">,
  { actor }: CallContext,
  { address, limit }: { address?: string | undefined; limit: number },
): Promise<{ items: RefusedAddress[] }> {
  assertMay(actor, "outbox:read");
  const rows = await transact.asOperator((tx) => listRefusedAddressRows(tx, { address, limit }));
  return {
    items: rows.map(({ refused_at, ...row }) => ({ ...row, refusedAt: refused_at.toISOString() })),
  };
}

/**
 * Lets mails to an address go out again. Those that were held meanwhile stay so until they are sent again one by one, because what
 * they say may be out of date.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` for an address that refused nothing.
 */
export async function liftRefusal(
  deps: Pick<AppServices, "transact" | "clock" | "newId">,
  context: CallContext,
  input: { address: string },
): Promise<{ address: string }> {
  assertMay(context.actor, "outbox:write");
  const address = input.address.toLowerCase();
  await deps.transact.asOperator(async (tx) => {
    if (!(await deleteRefusedAddress(tx, address))) {
      throw resourceNotFound("refused address");
    }
    await writeAudit(deps, tx, context, {
      tenantId: null,
      action: "mail.refusal_lifted",
      entityType: "address",
      // The trail is kept for longer than the address.
      entityId: hashRecipient(address),
    });
  });
  return { address };
}

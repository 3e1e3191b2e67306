import type { CreateTenantDialogProps } from "./create-tenant-dialog.tsx";
import { useLatePart } from "./use-late-part.ts";

/** The dialog that creates a tenant, loaded when it is first opened: most people create one tenant in their life. */
export function LateCreateTenantDialog(props: CreateTenantDialogProps) {
  const part = useLatePart(
    "create-tenant-dialog",
    () => import("./create-tenant-dialog.tsx"),
    props.isOpen,
  );
  return part !== undefined && <part.CreateTenantDialog {...props} />;
}

import { CreateKeyDialog } from "./forms/create-key-dialog.tsx";
import { EditKeyDialog } from "./forms/edit-key-dialog.tsx";
import { RollKeyDialog } from "./forms/roll-key-dialog.tsx";
import { ImportKeysDialog } from "./import/import-keys-dialog.tsx";
import { KeyTaskDialog } from "./key-task-dialog.tsx";
import { KeyPanel } from "./panel/key-panel.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";

/** What opens above the list of keys, in one file that is loaded after the list. */
export const KEY_LAYERS = {
  CreateKeyDialog,
  EditKeyDialog,
  ImportKeysDialog,
  KeyPanel,
  KeyTaskDialog,
  RevokeKeyDialog,
  RollKeyDialog,
};

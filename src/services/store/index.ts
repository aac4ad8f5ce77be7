export { passwordsIn, publicName, type StoreAddress, StoreError, type StoreErrorKind } from './backend.ts';
export { backUpStore } from './backup/back-up.ts';
export { checkBackup, openBackup, restoreStore } from './backup/restore.ts';
export type { FindingKind } from './examination/checks.ts';
export { type Examination, examine } from './examination/examination.ts';
export { schemaName } from './marks.ts';
export { countRows, isSameContent as isSame, type MovedNamespace as Moved, moveStore } from './move-store.ts';
export { openBackend, openExisting, openStore } from './open-store.ts';
export { importOptional } from './remote/adapter.ts';

export { type Examination, examine } from './examination/examination.ts';
export type { FindingKind } from './examination/finding.ts';
export { countRows, isSame, type Moved, moveStore } from './moving/move-store.ts';
export { openBackend, openExisting, openStore } from './open-store.ts';
export { passwordsIn, publicName, type StoreAddress } from './store-address.ts';
export { StoreError, type StoreErrorKind } from './store-error.ts';

export { passwordsIn, publicName, type StoreAddress, StoreError, type StoreErrorKind } from './backend.ts';
export { type Examination, examine } from './examination/examination.ts';
export type { FindingKind } from './examination/looks.ts';
export { countRows, isSame, type Moved, moveStore } from './move-store.ts';
export { openBackend, openExisting, openStore } from './open-store.ts';

export { type Examination, examine } from './examination/examination.ts';
export type { FindingKind } from './examination/finding.ts';
export { openStore } from './open-store.ts';
export { StoreError, type StoreErrorKind } from './store-error.ts';

export { GatewayError, type GatewayErrorKind } from './errors.ts';
export { type Gateway, openGateway } from './gateway.ts';
export type { Snapshot } from './read/snapshot.ts';
export { defaultSettings } from './settings.ts';

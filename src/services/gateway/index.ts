export { GatewayError, type GatewayErrorKind } from './errors.ts';
export { type Gateway, openGateway } from './gateway.ts';
export type { Snapshot } from './read/snapshot.ts';
export type { TextEvent } from './responses/events.ts';
export { refusedParts } from './responses/refused.ts';
export type { TextRequest, TextTool } from './responses/request.ts';
export type { TextResponse } from './responses/response.ts';
export { defaultSettings } from './settings.ts';

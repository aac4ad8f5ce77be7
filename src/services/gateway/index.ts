export { GatewayError, type GatewayErrorKind } from './errors.ts';
export { type Gateway, openGateway } from './gateway.ts';
export type { Snapshot } from './read/snapshot.ts';
export type { TextEvent } from './responses/events.ts';
export { type RefusablePart, refusedParts } from './responses/refused.ts';
export type { TextContent, TextFormat, TextItem, TextRequest, TextTool } from './responses/request.ts';
export type { TextEnd, TextResponse, TextUsage, ToolCall } from './responses/response.ts';
export { defaultSettings } from './settings.ts';

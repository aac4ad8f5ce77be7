import { validateCallback } from './callback.ts';
import { validateCommand, validateCommands } from './command.ts';
import type { BodyFacts } from './facts.ts';
import { validateMessage } from './message.ts';
import { validateThread } from './thread.ts';
import { type Violation, withoutDuplicates } from './violation.ts';

export type BodyKind =
  | 'callback'
  | 'webhook-message'
  | 'webhook-edit'
  | 'channel-message'
  | 'channel-edit'
  | 'thread'
  | 'thread-on-message'
  | 'thread-edit'
  | 'commands'
  | 'command';

const NO_FACTS: BodyFacts = { files: [] };

const VALIDATORS: Readonly<Record<BodyKind, (body: unknown, facts: BodyFacts) => Violation[]>> = {
  callback: validateCallback,
  'webhook-message': (body, facts) => validateMessage('webhook', body, facts),
  'webhook-edit': (body, facts) => validateMessage('webhookEdit', body, facts),
  'channel-message': (body, facts) => validateMessage('channel', body, facts),
  'channel-edit': (body, facts) => validateMessage('channelEdit', body, facts),
  thread: validateThread('start'),
  'thread-on-message': validateThread('startOnMessage'),
  'thread-edit': validateThread('edit'),
  commands: validateCommands,
  command: validateCommand,
};

/** All reasons why Discord would refuse this body; empty if Discord would accept it. */
export const validateBody = (kind: BodyKind, body: unknown, facts: BodyFacts = NO_FACTS): Violation[] =>
  withoutDuplicates(VALIDATORS[kind](body, facts));
